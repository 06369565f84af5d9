/* As vfork(2), but other processes and the program's own waits for children do not see it: it ends without a signal. */
#include "producers/native/own_files.h"

#include <sched.h>
#include <stdint.h>
#include <sys/wait.h>

#include "base/os_call.h"
#include "producers/native/blocked.h"

#if defined(__x86_64__) && defined(__LP64__)

/* On the caller's stack, below its frame: that stays as it is. */
static __attribute__((noinline, noreturn)) void run_in_child(void (*run)(void *context), void *context)
{
    run(context);
    for (;;)
        (void)rv_os_call(SYS_exit, 0, 0, 0, 0, 0, 0);
}

static __attribute__((noinline)) long run_as_child(void (*run)(void *context), void *context)
{
    const long child = rv_os_call(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, 0);
    if (child == 0)
        run_in_child(run, context);
    return child;
}

/* A handler of the program must not run in the child. */
int rv_own_files_run(void (*run)(void *context), void *context)
{
    const uint64_t all = UINT64_MAX;
    uint64_t before = 0;
    (void)rv_os_call(SYS_rt_sigprocmask, SIG_SETMASK, RV_OS_POINTER(&all), RV_OS_POINTER(&before), sizeof all, 0, 0);
    const long child = run_as_child(run, context);
    if (child > 0)
        (void)rv_os_call(SYS_wait4, child, 0, __WALL, 0, 0, 0);
    (void)rv_blocked_may_have(); /* not in a call of the program */
    (void)rv_os_call(SYS_rt_sigprocmask, SIG_SETMASK, RV_OS_POINTER(&before), 0, sizeof all, 0, 0);
    return child > 0 ? 0 : (int)child;
}

#else

/* Elsewhere a system call is a function of the C library, which a child would return from on its parent's stack. */
int rv_own_files_run(void (*run)(void *context), void *context)
{
    run(context);
    return 0;
}

#endif
