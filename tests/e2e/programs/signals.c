/* signals [SECONDS/10]: timers hammer three threads with handlers that call, while they call. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "count.h"

DEFINE_COUNT(leaf)
DEFINE_COUNT(branch)
DEFINE_COUNT(handle)
DEFINE_COUNT(handle_inner)

static uint64_t end_ns;

QUIET static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

KEPT static unsigned leaf(unsigned i)
{
    COUNTED(leaf);
    return i ^ 5;
}

KEPT static unsigned branch(unsigned i)
{
    COUNTED(branch);
    return leaf(i) + leaf(i + 1);
}

KEPT static void handle_inner(int depth)
{
    COUNTED(handle_inner);
    if (depth > 0)
        handle_inner(depth - 1);
}

static void handle(int signal_number)
{
    COUNTED(handle);
    handle_inner(signal_number % 3);
}

QUIET static void *hammered(void *context)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 + (int)(uintptr_t)context % 2 * 2};
    struct itimerspec interval = {{0, 150000}, {0, 150000}};
    sigset_t all;
    timer_t timer;
    unsigned sum = 0;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &interval, NULL);
    while (now_ns() < end_ns)
        for (unsigned i = 0; i < 100; i++)
            sum += branch(i);
    timer_delete(timer);
    sigfillset(&all); /* what comes after the last of the thread's destructors is on no ring */
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    return (void *)(uintptr_t)sum;
}

QUIET int main(int argc, char **argv)
{
    static const int signals[] = {SIGUSR1, SIGUSR2, SIGPROF};
    struct itimerval profile = {{0, 500}, {0, 500}}, none = {{0, 0}, {0, 0}};
    pthread_t threads[3];
    end_ns = now_ns() + (argc > 1 ? (unsigned)atoi(argv[1]) : 10) * 100000000ull;
    for (unsigned i = 0; i < 3; i++) {
        struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART | (i == 2 ? SA_NODEFER : 0)};
        sigaction(signals[i], &action, NULL);
    }
    setitimer(ITIMER_PROF, &profile, NULL);
    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, hammered, (void *)i);
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_PROF, &none, NULL);
    for (unsigned i = 0; i < 3; i++)
        signal(signals[i], SIG_IGN);
    REPORT_COUNT(leaf);
    REPORT_COUNT(branch);
    REPORT_COUNT(handle);
    REPORT_COUNT(handle_inner);
    return 0;
}
