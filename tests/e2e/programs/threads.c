/* threads [N [CALLS]]: 8 threads, each with a name of its own, make a million calls each. None calls before all are there,
 * none is over before all are done. */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "count.h"

DEFINE_COUNT(leaf)
DEFINE_COUNT(inner)
DEFINE_COUNT(work)

static unsigned n_calls = 1000000;
static unsigned n_threads;

KEPT static unsigned leaf(unsigned i)
{
    COUNTED(leaf);
    return i * 2654435761u >> 7;
}

KEPT static unsigned inner(unsigned i)
{
    COUNTED(inner);
    return leaf(i) + leaf(i + 1) + leaf(i + 2);
}

/* By an instruction: waits by functions of the C library are events of their own. */
QUIET static void call_futex(uint32_t *word, long operation, long value)
{
#if defined(__x86_64__)
    long result = SYS_futex;
    register long r10 __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(word), "S"(operation), "d"(value), "r"(r10)
                     : "rcx", "r11", "memory", "cc");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = SYS_futex, x0 __asm__("x0") = (long)word, x1 __asm__("x1") = operation;
    register long x2 __asm__("x2") = value, x3 __asm__("x3") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory", "cc");
#endif
}

/* A barrier, but not pthread's. */
QUIET static void meet(void)
{
    static uint32_t n_there, turn;
    const uint32_t now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&n_there, 1, __ATOMIC_ACQ_REL) % n_threads == 0) {
        __atomic_add_fetch(&turn, 1, __ATOMIC_RELEASE);
        call_futex(&turn, FUTEX_WAKE_PRIVATE, INT_MAX);
    }
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) == now)
        call_futex(&turn, FUTEX_WAIT_PRIVATE, now);
}

static void *work(void *context)
{
    COUNTED(work);
    uintptr_t serial = (uintptr_t)context, sum = 0;
    char name[16];
    snprintf(name, sizeof name, "worker-%u", (unsigned)serial);
    pthread_setname_np(pthread_self(), name);
    meet();
    for (unsigned i = 0; i < n_calls / 4; i++)
        sum += inner(i);
    meet();
    return (void *)sum;
}

QUIET int main(int argc, char **argv)
{
    enum { MOST = 8192 };
    static pthread_t threads[MOST];
    unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 8;
    if (argc > 2)
        n_calls = (unsigned)strtoul(argv[2], NULL, 10);
    n = n < MOST ? n : MOST;
    n_threads = n;
    for (unsigned i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    REPORT_COUNT(leaf);
    REPORT_COUNT(inner);
    REPORT_COUNT(work);
    return 0;
}
