/* Without privileges, a filter is set after PR_SET_NO_NEW_PRIVS only. */
#include "producers/native/sandbox.h"

#include <stdarg.h>
#include <sys/prctl.h>

#include "base/own_syscalls.h"
#include "producers/native/next_function.h"

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

void rv_sandbox_expect(long number, long a)
{
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
    rv_sandbox_expect(SYS_prctl, option);
    return ((__typeof__(&prctl))(uintptr_t)rv_next_function(&next))(option, b, c, d, e);
}
