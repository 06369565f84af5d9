/*
 * forksignals: forks in threads with and without previous calls; fork handlers that were
 * registered before any library's make calls, and so do signal handlers that they raise. The first fork comes before
 * any call.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

#define N_ROUNDS 64u

DEFINE_COUNT(leaf)
DEFINE_COUNT(prepare)
DEFINE_COUNT(in_parent)
DEFINE_COUNT(in_child)
DEFINE_COUNT(handle)

static bool is_ready; /* libraries' constructors may fork, too */

KEPT static unsigned leaf(unsigned i)
{
    COUNTED(leaf);
    return i ^ 3;
}

static void handle(int signal_number)
{
    COUNTED(handle);
    leaf((unsigned)signal_number);
}

static void prepare(void)
{
    COUNTED(prepare);
    raise(SIGUSR1);
}

static void in_parent(void)
{
    COUNTED(in_parent);
    raise(SIGUSR1);
}

static void in_child(void)
{
    COUNTED(in_child);
    raise(SIGUSR1);
}

QUIET static void before_fork(void)
{
    if (is_ready)
        prepare();
}

QUIET static void after_fork_in_parent(void)
{
    if (is_ready)
        in_parent();
}

QUIET static void after_fork_in_child(void)
{
    if (is_ready)
        in_child();
}

QUIET static void register_first(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = register_first;

/* calls: 1 before the fork, 2 after it in the parent, 4 in the child */
QUIET static void *fork_once(void *calls)
{
    uintptr_t when = (uintptr_t)calls;
    int status = 0;
    if (when & 1)
        leaf(1);
    pid_t pid = fork();
    if (when & (pid ? 2 : 4))
        leaf(2);
    if (pid == 0)
        _exit(0);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        exit(1);
    return NULL;
}

QUIET int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    is_ready = true;
    fork_once(NULL);
    for (uintptr_t i = 0; i < N_ROUNDS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, fork_once, (void *)i);
        pthread_join(thread, NULL);
    }
    REPORT_COUNT(leaf);
    REPORT_COUNT(prepare);
    REPORT_COUNT(in_parent);
    REPORT_COUNT(in_child);
    REPORT_COUNT(handle);
    return 0;
}
