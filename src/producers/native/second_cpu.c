#include "producers/native/second_cpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/own_syscalls.h"
#include "ringviz/producer.h"

#define STACK_BYTES 65536u
#define FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED | SIGCHLD)

typedef int clone_fn(int (*run)(void *), void *stack, int flags, void *argument, ...);

struct task {
    void (*work)(void *context);
    void *context;
    uint64_t cpu_ns; /* that the child has used; 0: it has not done its work */
};

static uint64_t used_ns; /* by children, and not taken yet */

static bool has_second(void)
{
    cpu_set_t cpus;
    return sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 1;
}

/* A filter may end the process for a call that it does not expect; to ask is allowed by each. */
static bool is_filtered(void)
{
    return rv_os_call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) != 0;
}

static long read_link(const char *path, char out[32])
{
    return rv_os_call(SYS_readlinkat, AT_FDCWD, RV_OS_POINTER(path), RV_OS_POINTER(out), 32, 0, 0);
}

/* The first child in a new namespace of process ids is its "init": when that ends, no other one can begin. */
static bool has_children_elsewhere(void)
{
    char own[32], of_children[32];
    const long n = read_link("/proc/self/ns/pid", own);
    return n <= 0 || read_link("/proc/self/ns/pid_for_children", of_children) != n ||
           memcmp(own, of_children, (size_t)n) != 0;
}

/* Some may be from before its exec(). */
static bool has_children(void)
{
    siginfo_t info;
    const long options = WEXITED | WNOHANG | WNOWAIT | __WALL;
    return rv_os_call(SYS_waitid, P_ALL, 0, RV_OS_POINTER(&info), options, 0, 0) != -ECHILD;
}

static bool may_begin_child(void)
{
    return has_second() && !is_filtered() && !has_children_elsewhere() && !has_children();
}

static int run_child(void *context)
{
    struct task *task = context;
    (void)rv_os_call(SYS_prctl, PR_SET_NAME, RV_OS_POINTER(RINGVIZ_OWN_NAME), 0, 0, 0, 0);
    task->work(task->context);
    task->cpu_ns = rv_clock_thread_cpu_ns();
    return 0;
}

/* By the C library's function: ours announces children. Negative: none. */
static long begin_child(struct task *task, uint8_t *stack)
{
    clone_fn *begin = (clone_fn *)(uintptr_t)dlsym(RTLD_NEXT, "clone");
    return begin ? begin(run_child, stack + STACK_BYTES, FLAGS, task) : -1;
}

/* As the kernel has it. */
struct action {
    void (*handler)(int number);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static void set_action(const struct action *action, struct action *before)
{
    const long mask_bytes = sizeof action->mask;
    (void)rv_os_call(SYS_rt_sigaction, SIGCHLD, RV_OS_POINTER(action), RV_OS_POINTER(before), mask_bytes, 0, 0);
}

/*
 * Has the child, if there was one, done its work? While SIGCHLD is ignored a child ends without it, and the program's
 * RUSAGE_CHILDREN lacks what the child has used; it is waited for all the same.
 */
static bool run_both(struct task *task, uint8_t *stack)
{
    const struct action ignore = {.handler = SIG_IGN};
    struct action before;
    set_action(&ignore, &before);
    const long child = begin_child(task, stack);
    task->work(task->context);
    if (child > 0)
        (void)rv_os_call(SYS_wait4, child, 0, __WALL, 0, 0, 0);
    set_action(&before, NULL);
    used_ns += task->cpu_ns;
    return child < 0 || task->cpu_ns;
}

bool rv_second_cpu_share(void (*work)(void *context), void *context)
{
    struct task task = {.work = work, .context = context};
    uint8_t *stack = may_begin_child() ? mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)
                                       : MAP_FAILED;
    if (stack == MAP_FAILED) {
        work(context);
        return true;
    }
    const bool is_done = run_both(&task, stack);
    munmap(stack, STACK_BYTES);
    return is_done;
}

uint64_t rv_second_cpu_take_ns(void)
{
    const uint64_t ns = used_ns;
    used_ns = 0;
    return ns;
}
