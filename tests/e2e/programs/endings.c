/*
 * endings: children that make calls until a timer's handler interrupts them anywhere, makes calls too, and ends them by
 * _exit or exec. Prints the number of completed hooks, and of children.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

#define N_CHILDREN 60u
#define N_CALLS_IN_HANDLER 20u

DEFINE_COUNT(hooks)

static bool ends_by_exec;

KEPT static unsigned leaf(unsigned i)
{
    COUNTED(hooks);
    return i ^ 5;
}

KEPT static unsigned step(unsigned i)
{
    COUNTED(hooks);
    unsigned sum = leaf(i);
    COUNTED(hooks);
    sum += leaf(i + 1);
    COUNTED(hooks);
    return sum;
}

static void handle(int signal_number)
{
    COUNTED(hooks);
    for (unsigned i = 0; i < N_CALLS_IN_HANDLER; i++) {
        leaf((unsigned)signal_number);
        COUNTED(hooks);
    }
    if (ends_by_exec)
        execl("/proc/self/exe", "endings", "0", (char *)NULL);
    _exit(0);
}

QUIET static void call_until_ended(unsigned child)
{
    struct itimerval once = {{0, 0}, {0, 500 + 37 * (int)child}};
    struct sigaction action = {.sa_handler = handle};
    ends_by_exec = child % 2;
    for (unsigned i = 0; i < 100; i++, COUNTED(hooks))
        step(i); /* it has its ring */
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &once, NULL);
    for (volatile unsigned i = 0;; i++, COUNTED(hooks))
        step(i);
}

QUIET int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return 0;
    for (unsigned i = 0; i < N_CHILDREN; i++) {
        int status;
        pid_t pid = fork();
        if (pid == 0)
            call_until_ended(i);
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
            return 1;
    }
    printf("HOOKS %llu\nCHILDREN %u\n", (unsigned long long)*n_hooks, N_CHILDREN);
    return 0;
}
