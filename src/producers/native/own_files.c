/*
 * As vfork(2), but other processes and the program's own waits for children do not see it: it ends without a signal. It takes
 * longer than what is asked, and a sandbox may end the process for it: it is done where another thread could see the files.
 */
#include "producers/native/own_files.h"

#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/own_syscalls.h"
#include "producers/native/has_waited.h"
#include "producers/native/sandbox.h"
#include "producers/native/single_threaded.h"
#include "ringviz/producer.h"

static bool is_copied; /* [atomic] as valgrind has it, a child has memory of its own */

#if defined(__x86_64__) && defined(__LP64__)

struct task {
    void (*run)(void *context);
    void *context;
    bool has_run;
};

/* On the caller's stack, below its frame: that stays as it is. */
static __attribute__((noinline, noreturn)) void run_in_child(struct task *task)
{
    (void)rv_os_call(SYS_prctl, PR_SET_NAME, RV_OS_POINTER(RINGVIZ_OWN_NAME), 0, 0, 0, 0);
    task->run(task->context);
    task->has_run = true;
    for (;;)
        (void)rv_os_call(SYS_exit, 0, 0, 0, 0, 0, 0);
}

static __attribute__((noinline)) long run_as_child(struct task *task)
{
    const long child = rv_os_call(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, 0);
    if (child == 0)
        run_in_child(task);
    return child;
}

/* False: it has not run. */
static bool run_apart(void (*run)(void *context), void *context)
{
    struct task task = {.run = run, .context = context, .has_run = false};
    const long child = run_as_child(&task);
    if (child > 0)
        (void)rv_os_call(SYS_wait4, child, 0, __WALL, 0, 0, 0);
    if (child > 0 && !task.has_run)
        __atomic_store_n(&is_copied, true, __ATOMIC_RELAXED);
    (void)rv_has_waited(); /* not in a call of the program */
    return task.has_run;
}

#else

/* Here a system call is a function of the C library, which a child would return from on its parent's stack. */
static bool run_apart(void (*run)(void *context), void *context)
{
    (void)run;
    (void)context;
    return false;
}

#endif

/* A handler of the program must neither run in the child nor see the files. */
void rv_own_files_run(void (*run)(void *context), void *context)
{
    const bool is_here =
        rv_is_single_threaded() || rv_sandbox_is_there() || __atomic_load_n(&is_copied, __ATOMIC_RELAXED);
    const uint64_t all = UINT64_MAX;
    uint64_t before = 0;
    (void)rv_os_call(SYS_rt_sigprocmask, SIG_SETMASK, RV_OS_POINTER(&all), RV_OS_POINTER(&before), sizeof all, 0, 0);
    if (is_here || !run_apart(run, context))
        run(context);
    (void)rv_os_call(SYS_rt_sigprocmask, SIG_SETMASK, RV_OS_POINTER(&before), 0, sizeof all, 0, 0);
}
