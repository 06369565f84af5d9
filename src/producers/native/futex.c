/*
 * Futexes that a program asks the kernel for by syscall(): those of C++20 (std::latch, counting_semaphore, atomic::wait), of
 * Rust and of locks of a program's own. Those of the C library are within its functions (waits.c).
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os_call.h"
#include "producers/native/next_function.h"
#include "producers/native/wait.h"

static struct rv_next_function next = {.name = "syscall"};

struct arguments {
    long a, b, c, d, e, f;
};

static long call_next(long number, const struct arguments *of)
{
    typedef __typeof__(syscall) syscall_fn;
    return ((syscall_fn *)(uintptr_t)rv_next_function(&next))(number, of->a, of->b, of->c, of->d, of->e, of->f);
}

/* The kernel does not let a thread wait for a word that has changed, or that cannot be read. So it is asked to move no
 * waiters, if the word has the value. Where it does not tell, the thread may wait. */
static bool may_wait(const uint32_t *word, uint32_t value)
{
    const long at = RV_OS_POINTER(word), result = rv_os_call(SYS_futex, at, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, at, value);
    return result != -EAGAIN && result != -EFAULT && result != -EINVAL;
}

static long wait_for(const uint32_t *word, long number, const struct arguments *of)
{
    if (!rv_wait_is_traced() || rv_os_n_own || !may_wait(word, (uint32_t)of->c))
        return call_next(number, of);
    struct rv_wait outer = rv_wait_begin(word, RV_WAIT_FUTEX, RV_ENTRY_STACK());
    const long result = call_next(number, of);
    rv_wait_end(&outer, result == -1 ? errno : 0);
    return result;
}

static long call_futex(long number, const struct arguments *of)
{
    const uint32_t *word = (const uint32_t *)of->a;
    switch (of->b & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return wait_for(word, number, of);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        rv_wait_release(word, RV_WAIT_FUTEX);
        break;
    default:
        break;
    }
    return call_next(number, of);
}

RV_EXPORT long syscall(long number, ...)
{
    va_list all;
    va_start(all, number);
    struct arguments of;
    of.a = va_arg(all, long);
    of.b = va_arg(all, long);
    of.c = va_arg(all, long);
    of.d = va_arg(all, long);
    of.e = va_arg(all, long);
    of.f = va_arg(all, long);
    va_end(all);
    return number == SYS_futex ? call_futex(number, &of) : call_next(number, &of);
}

/* Later, dlsym() might wait for a lock of the loader, or be called by a signal handler. */
__attribute__((constructor)) static void start(void)
{
    (void)rv_next_function(&next);
}
