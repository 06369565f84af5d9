/*
 * As vfork(2), but other processes and the program's own waits for children do not see it: it ends without a signal. It takes
 * longer than what is asked, and a sandbox may end the process for it: it is done where another thread could see the files.
 */
#include "producers/native/own_files.h"

#include <sched.h>
#include <stdint.h>
#include <sys/wait.h>

#include "base/os_call.h"
#include "producers/native/blocked.h"
#include "producers/native/sandbox.h"
#include "producers/native/single_threaded.h"

static int run_here(void (*run)(void *context), void *context)
{
    run(context);
    return 0;
}

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

static int run_apart(void (*run)(void *context), void *context)
{
    const long child = run_as_child(run, context);
    if (child > 0)
        (void)rv_os_call(SYS_wait4, child, 0, __WALL, 0, 0, 0);
    (void)rv_blocked_may_have(); /* not in a call of the program */
    return child > 0 ? 0 : (int)child;
}

#else

/* Here a system call is a function of the C library, which a child would return from on its parent's stack. */
static int run_apart(void (*run)(void *context), void *context)
{
    return run_here(run, context);
}

#endif

/* A handler of the program must neither run in the child nor see the files. */
int rv_own_files_run(void (*run)(void *context), void *context)
{
    const bool is_here = rv_is_single_threaded() || rv_sandbox_is_there();
    const uint64_t all = UINT64_MAX;
    uint64_t before = 0;
    (void)rv_os_call(SYS_rt_sigprocmask, SIG_SETMASK, RV_OS_POINTER(&all), RV_OS_POINTER(&before), sizeof all, 0, 0);
    const int error = is_here ? run_here(run, context) : run_apart(run, context);
    (void)rv_os_call(SYS_rt_sigprocmask, SIG_SETMASK, RV_OS_POINTER(&before), 0, sizeof all, 0, 0);
    return error;
}
