/* Without privileges, a filter is set after PR_SET_NO_NEW_PRIVS only. */
#include "producers/native/sandbox.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "base/own_syscalls.h"
#include "producers/native/forking.h"
#include "producers/native/next_function.h"
#include "producers/native/process.h"
#include "producers/native/signal_guard.h"
#include "producers/native/thread.h"

static bool is_there; /* [atomic] of any thread */
static struct rv_next_function next = {.name = "prctl"};

/* Later, dlsym() might wait for a lock of the loader, or be called by a signal handler. */
__attribute__((constructor)) static void start(void)
{
    (void)rv_next_function(&next);
    if (rv_os_call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) != 0)
        __atomic_store_n(&is_there, true, __ATOMIC_RELAXED);
}

bool rv_sandbox_is_there(void)
{
    return __atomic_load_n(&is_there, __ATOMIC_RELAXED);
}

static bool forbids_clock(long number, long a, long b)
{
    if (number == SYS_seccomp)
        return a == SECCOMP_SET_MODE_STRICT && b == 0; /* with flags it fails: libseccomp asks so whether it is there */
    return number == SYS_prctl &&
           ((a == PR_SET_SECCOMP && b == SECCOMP_MODE_STRICT) || (a == PR_SET_TSC && b == PR_TSC_SIGSEGV));
}

static void abandon_process(void)
{
    struct rv_signal_guard guard;
    if (rv_forking_is_child()) /* ring and process are its parent's until an event comes */
        rv_forking_restart(rv_push_is_under_way(&rv_thread.pusher));
    rv_signal_guard_begin(&guard);
    rv_thread_release();
    rv_process_abandon();
    rv_signal_guard_end(&guard);
}

/* Without one, it is asked whether there are filters: systemd does. */
static bool sets_filter(long number, long a, long c)
{
    return c && (number == SYS_seccomp ? a == SECCOMP_SET_MODE_FILTER : number == SYS_prctl && a == PR_SET_SECCOMP);
}

void rv_sandbox_expect(long number, long a, long b, long c)
{
    if (forbids_clock(number, a, b))
        abandon_process();
    if (sets_filter(number, a, c))
        rv_process_confine();
    if (number == SYS_seccomp || (number == SYS_prctl && (a == PR_SET_NO_NEW_PRIVS || a == PR_SET_SECCOMP)))
        __atomic_store_n(&is_there, true, __ATOMIC_RELAXED);
}

RV_EXPORT int prctl(int option, ...)
{
    va_list all;
    va_start(all, option);
    const unsigned long b = va_arg(all, unsigned long), c = va_arg(all, unsigned long), d = va_arg(all, unsigned long),
                        e = va_arg(all, unsigned long);
    va_end(all);
    rv_sandbox_expect(SYS_prctl, option, (long)b, (long)c);
    return ((__typeof__(&prctl))(uintptr_t)rv_next_function(&next))(option, b, c, d, e);
}
