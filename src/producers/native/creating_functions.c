/*
 * The functions of the C library that create threads, in front of it: each thread learns who has created it (creator.h). And
 * clone() and _Fork(): of a child that they make no fork handler learns.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <threads.h>

#include "base/own_syscalls.h"
#include "producers/native/creator.h"
#include "producers/native/forking.h"
#include "producers/native/next_function.h"
#include "producers/native/thread_memory.h"
#include "producers/native/thread.h"

static struct rv_next_function next_create = {.name = "pthread_create"}, next_c11_create = {.name = "thrd_create"},
                               next_clone = {.name = "clone"}, next_fork = {.name = "_Fork"};

#define NEXT(function, entry) ((__typeof__(&function))(uintptr_t)rv_next_function(&entry))

/* Later, dlsym() might wait for a lock of the loader. */
__attribute__((constructor)) static void start(void)
{
    (void)rv_next_function(&next_create);
    (void)rv_next_function(&next_c11_create);
    (void)rv_next_function(&next_clone);
    (void)rv_next_function(&next_fork);
}

struct begin { /* what a new thread is to do */
    union {
        void *(*posix)(void *);
        thrd_start_t c11;
    } run;
    void *argument;
    struct rv_creator origin;
};

static struct rv_thread_memory begins = RV_THREAD_MEMORY(sizeof(struct begin));

/* NULL: the new thread has no origin. */
static struct begin *make_begin(void *argument)
{
    if (rv_thread_ring() < 0)
        return NULL;
    rv_os_begin_own();
    struct begin *begin = rv_thread_memory_take(&begins);
    rv_os_end_own();
    if (begin)
        *begin = (struct begin){.argument = argument, .origin = rv_creator_announce()};
    return begin;
}

static struct begin take_begin(struct begin *begin)
{
    const struct begin taken = *begin;
    rv_thread_memory_give(&begins, begin);
    rv_creator_begin(&taken.origin);
    return taken;
}

static void *run_posix(void *context)
{
    const struct begin begin = take_begin(context);
    return begin.run.posix(begin.argument);
}

static int run_c11(void *context)
{
    const struct begin begin = take_begin(context);
    return begin.run.c11(begin.argument);
}

RV_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                             void *(*run)(void *), void *restrict argument)
{
    struct begin *begin = make_begin(argument);
    if (!begin)
        return NEXT(pthread_create, next_create)(thread, attributes, run, argument);
    begin->run.posix = run;
    const int error = NEXT(pthread_create, next_create)(thread, attributes, run_posix, begin);
    if (error)
        rv_thread_memory_give(&begins, begin);
    return error;
}

RV_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    struct begin *begin = make_begin(argument);
    if (!begin)
        return NEXT(thrd_create, next_c11_create)(thread, run, argument);
    begin->run.c11 = run;
    const int result = NEXT(thrd_create, next_c11_create)(thread, run_c11, begin);
    if (result != thrd_success)
        rv_thread_memory_give(&begins, begin);
    return result;
}

/* In the child, which has a copy of its parent's memory. */
static int run_clone(void *context)
{
    const struct begin *begin = context;
    rv_forking_end();
    return begin->run.c11(begin->argument);
}

/* Within fork(3), whose handlers have begun, the C library calls it by another name. */
RV_EXPORT pid_t _Fork(void)
{
    if (rv_forking_is_under_way())
        return NEXT(_Fork, next_fork)();
    rv_forking_begin();
    const pid_t child = NEXT(_Fork, next_fork)();
    rv_forking_end();
    return child;
}

/* A child that shares its parent's memory is a thread, or runs while its parent waits. */
RV_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
    struct begin begin = {.run.c11 = run, .argument = argument};
    const bool is_fork = !(flags & CLONE_VM) && !rv_forking_is_under_way();
    va_list all;
    va_start(all, argument);
    void *const parent_tid = va_arg(all, void *), *const tls = va_arg(all, void *), *const tid = va_arg(all, void *);
    va_end(all);
    if (!is_fork)
        return NEXT(clone, next_clone)(run, stack, flags, argument, parent_tid, tls, tid);
    rv_forking_begin();
    const int result = NEXT(clone, next_clone)(run_clone, stack, flags, &begin, parent_tid, tls, tid);
    rv_forking_end();
    return result;
}
