/*
 * syscall(), in front of the C library's: futexes (futex.h), filters (sandbox.h), and children, of which no fork handler
 * learns. What such a child writes goes to a ring of its own, as that of fork's does.
 */
#include "producers/native/raw_call.h"

#include <linux/sched.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own_syscalls.h"
#include "producers/native/forking.h"
#include "producers/native/futex.h"
#include "producers/native/next_function.h"
#include "producers/native/sandbox.h"
#include "producers/native/thread.h"

static struct rv_next_function next = {.name = "syscall"};

/* Later, dlsym() might wait for a lock of the loader, or be called by a signal handler. */
__attribute__((constructor)) static void start(void)
{
    (void)rv_next_function(&next);
}

long rv_raw_call_next(const struct rv_raw_call *call)
{
    typedef __typeof__(syscall) syscall_fn;
    return ((syscall_fn *)(uintptr_t)rv_next_function(&next))(call->number, call->a, call->b, call->c, call->d, call->e,
                                                              call->f);
}

/* Of a bad pointer, none. */
static uint64_t flags_at(long address)
{
    uint64_t flags = 0;
    (void)rv_os_read_own(&flags, (const void *)address, sizeof flags);
    return flags;
}

/* A child with memory of its own; one without is a thread, or its parent waits until it has another program. */
static bool makes_fork(const struct rv_raw_call *call)
{
    switch (call->number) {
#if defined(SYS_fork)
    case SYS_fork:
        return true;
#endif
    case SYS_clone:
        return !((uint64_t)call->a & CLONE_VM);
    case SYS_clone3:
        return !(flags_at(call->a) & CLONE_VM);
    default:
        return false;
    }
}

static long call_fork(const struct rv_raw_call *call)
{
    rv_forking_begin();
    const long result = rv_raw_call_next(call);
    rv_forking_end();
    return result;
}

RV_EXPORT long syscall(long number, ...)
{
    va_list all;
    va_start(all, number);
    struct rv_raw_call call = {.number = number};
    call.a = va_arg(all, long);
    call.b = va_arg(all, long);
    call.c = va_arg(all, long);
    call.d = va_arg(all, long);
    call.e = va_arg(all, long);
    call.f = va_arg(all, long);
    va_end(all);
    if (number == SYS_futex)
        return rv_futex_call(&call);
    rv_sandbox_expect(number, call.a, call.b, call.c);
    return makes_fork(&call) && !rv_forking_is_under_way() ? call_fork(&call) : rv_raw_call_next(&call);
}
