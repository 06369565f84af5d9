/*
 * What a program counts itself, to compare with its trace: COUNTED(name) first thing in an instrumented function,
 * DEFINE_COUNT(name) once per name, REPORT_COUNT(name) at the end. Counts are shared with forked children; the counting
 * itself is not instrumented.
 */
#ifndef RV_TESTS_E2E_COUNT_H
#define RV_TESTS_E2E_COUNT_H

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define QUIET __attribute__((no_instrument_function))
#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

QUIET static inline uint64_t *make_count(void)
{
    void *page = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return (uint64_t *)page;
}

#define DEFINE_COUNT(name)                                                                                             \
    static uint64_t *n_##name;                                                                                         \
    QUIET __attribute__((constructor(101))) static void make_##name(void)                                              \
    {                                                                                                                  \
        n_##name = make_count();                                                                                       \
    }

#define COUNTED(name) __atomic_fetch_add(n_##name, 1, __ATOMIC_RELAXED)
#define REPORT_COUNT(name) printf("COUNT %s %llu\n", #name, (unsigned long long)*n_##name)

#endif
