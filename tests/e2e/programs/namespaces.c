/* namespaces: the first process of a PID namespace makes one that is the first of another: it has the same number. Status 77:
 * the kernel does not allow that. */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

#define N_CALLS 2000

DEFINE_COUNT(leaf)
DEFINE_COUNT(first_work)
DEFINE_COUNT(inner_work)

KEPT static unsigned leaf(unsigned i)
{
    COUNTED(leaf);
    return i * 3;
}

KEPT static void inner_work(void)
{
    COUNTED(inner_work);
    for (unsigned i = 0; i < N_CALLS; i++)
        leaf(i);
}

QUIET static int run_inner(void *unused)
{
    (void)unused;
    inner_work();
    return getpid() != 1;
}

QUIET static int by_clone(void)
{
    static char stack[1 << 20] __attribute__((aligned(16)));
    return clone(run_inner, stack + sizeof stack, CLONE_NEWPID | SIGCHLD, NULL);
}

QUIET static int by_system_call(void)
{
    const int pid = (int)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        _exit(run_inner(NULL));
    return pid;
}

QUIET static int status_of(int pid)
{
    int status;
    if (pid < 0)
        return 77;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

KEPT static int first_work(void)
{
    COUNTED(first_work);
    const int status = status_of(by_clone());
    for (unsigned i = 0; i < N_CALLS; i++)
        leaf(i);
    return status ? status : status_of(by_system_call());
}

QUIET int main(void)
{
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
        return 77;
    const int pid = fork();
    if (pid == 0)
        _exit(first_work());
    const int status = status_of(pid);
    REPORT_COUNT(leaf);
    REPORT_COUNT(first_work);
    REPORT_COUNT(inner_work);
    return status;
}
