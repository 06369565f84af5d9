/* Work on a second CPU, and what a program could see of it. */
#include "producers/native/second_cpu.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(second_cpu, .timeout = 60);

struct work {
    atomic_uint n, n_children;
    bool kills; /* the child */
    pid_t own;
};

static pid_t own_pid(void)
{
    return (pid_t)syscall(SYS_getpid);
}

static void do_work(void *context)
{
    struct work *work = context;
    atomic_fetch_add_explicit(&work->n, 1, memory_order_relaxed);
    if (own_pid() == work->own)
        return;
    atomic_fetch_add_explicit(&work->n_children, 1, memory_order_relaxed);
    if (work->kills)
        syscall(SYS_kill, own_pid(), SIGKILL);
}

static unsigned count_cpus(void)
{
    cpu_set_t cpus;
    cr_assert_eq(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    return (unsigned)CPU_COUNT(&cpus);
}

static unsigned count_threads(void)
{
    unsigned n = 0;
    DIR *folder = opendir("/proc/self/task");
    cr_assert_not_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static atomic_uint n_signals;

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add_explicit(&n_signals, 1, memory_order_relaxed);
}

Test(second_cpu, does_the_work_in_both_and_leaves_nothing_behind)
{
    struct work work = {.own = own_pid()};
    const unsigned n_threads = count_threads();
    signal(SIGCHLD, count_signal);
    errno = EDOM;
    cr_assert(rv_second_cpu_share(do_work, &work));
    cr_expect_eq(errno, EDOM);
    cr_expect_eq(work.n_children, count_cpus() > 1);
    cr_expect_eq(work.n, 1 + work.n_children);
    cr_expect_eq(n_signals, 0);
    cr_expect_eq(count_threads(), n_threads);
    cr_expect_eq(waitpid(-1, NULL, __WALL), -1);
    cr_expect_eq(errno, ECHILD);
    struct rusage usage;
    struct sigaction action;
    cr_expect_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    cr_expect_eq(usage.ru_maxrss, 0);
    cr_expect_eq(sigaction(SIGCHLD, NULL, &action), 0);
    cr_expect_eq(action.sa_handler, count_signal);
    cr_expect_eq(rv_second_cpu_take_ns() != 0, work.n_children != 0);
    cr_expect_eq(rv_second_cpu_take_ns(), 0);
}

Test(second_cpu, ignored_ends_of_children_make_no_difference)
{
    struct work work = {.own = own_pid()};
    signal(SIGCHLD, SIG_IGN);
    cr_assert(rv_second_cpu_share(do_work, &work));
    cr_expect_eq(work.n, 1 + (count_cpus() > 1));
}

Test(second_cpu, one_cpu_does_all_alone)
{
    struct work work = {.own = own_pid()};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_assert(rv_second_cpu_share(do_work, &work));
    cr_expect_eq(work.n, 1);
    cr_expect_eq(work.n_children, 0);
}

Test(second_cpu, a_filter_of_system_calls_has_all_done_alone)
{
    struct work work = {.own = own_pid()};
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = 1, .filter = &allow};
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
    cr_assert(rv_second_cpu_share(do_work, &work));
    cr_expect_eq(work.n, 1);
    cr_expect_eq(work.n_children, 0);
}

enum { ALONE, SHARED, NO_NAMESPACES };

static int share_in_new_namespace(void)
{
    struct work work = {.own = own_pid()};
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
        return NO_NAMESPACES;
    return rv_second_cpu_share(do_work, &work) && work.n == 1 && work.n_children == 0 ? ALONE : SHARED;
}

/* Whose first child is its first process, and ends it; so no sanitizer may begin one as the process exits. */
Test(second_cpu, a_new_namespace_of_process_ids_is_left_to_the_program)
{
    int status;
    const pid_t child = fork();
    if (child == 0)
        _exit(share_in_new_namespace());
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_NAMESPACES)
        cr_skip_test("there are no namespaces");
    cr_expect_eq(WEXITSTATUS(status), ALONE);
}

Test(second_cpu, children_of_the_process_before_are_left_to_the_program)
{
    struct work work = {.own = own_pid()};
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    cr_assert(rv_second_cpu_share(do_work, &work));
    cr_expect_eq(work.n, 1);
    cr_expect_eq(waitpid(child, NULL, 0), child);
}

Test(second_cpu, a_child_that_is_killed_is_reported)
{
    struct work work = {.own = own_pid(), .kills = true};
    cr_expect_eq(rv_second_cpu_share(do_work, &work), count_cpus() == 1);
    cr_expect_eq(waitpid(-1, NULL, __WALL), -1);
}
