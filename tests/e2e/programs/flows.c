/*
 * flows N: N requests that are accepted by one thread, worked on by another, and answered by a child process; and N tasks
 * of which two are done in turns by two threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ringviz/producer.h"

#define QUIET __attribute__((no_instrument_function))
#define KEPT __attribute__((noinline, noipa))

static const uint64_t FAR = 0x0123456789abcde0; /* of 60 bits */
static unsigned n_requests;
static int to_worker[2], to_child[2];
static uint32_t request, job;

static void hand_over(int file, unsigned i)
{
    if (write(file, &i, sizeof i) != sizeof i)
        abort();
}

KEPT static void accept_one(unsigned i)
{
    ringviz_flow(FAR + i, request, RINGVIZ_FLOW_BEGIN);
    hand_over(to_worker[1], i);
}

KEPT static void work_on(unsigned i)
{
    ringviz_flow(FAR + i, request, RINGVIZ_FLOW_STEP);
    hand_over(to_child[1], i);
}

KEPT static void answer(unsigned i)
{
    ringviz_flow(FAR + i, request, RINGVIZ_FLOW_END);
}

QUIET static void each(int file, void (*handle)(unsigned))
{
    unsigned i;
    while (read(file, &i, sizeof i) == sizeof i)
        handle(i);
}

QUIET static void *work(void *context)
{
    ringviz_thread_name("worker");
    each(to_worker[0], work_on);
    close(to_child[1]);
    return context;
}

QUIET static pid_t start_child(void)
{
    pid_t child = fork();
    if (child)
        return child;
    close(to_child[1]);
    close(to_worker[1]);
    each(to_child[0], answer);
    exit(0);
}

QUIET static void run_flows(void)
{
    pthread_t thread;
    if (pipe(to_worker) || pipe(to_child))
        abort();
    pid_t child = start_child();
    pthread_create(&thread, NULL, work, NULL);
    for (unsigned i = 0; i < n_requests; i++)
        accept_one(i);
    close(to_worker[1]);
    pthread_join(thread, NULL);
    waitpid(child, NULL, 0);
}

KEPT static void part_one(void)
{
    usleep(100);
}

KEPT static void part_two(void)
{
    usleep(100);
}

/* The second halves of two tasks, on another thread. */
QUIET static void *run_halves(void *context)
{
    const unsigned i = *(unsigned *)context;
    ringviz_thread_name("second");
    for (unsigned k = i; k < i + 2; k++) {
        ringviz_task_switch(k + 1);
        part_two();
        ringviz_task_end(k + 1);
    }
    return NULL;
}

QUIET static void run_tasks(void)
{
    for (unsigned i = 0; i + 1 < n_requests; i += 2) {
        pthread_t thread;
        for (unsigned k = i; k < i + 2; k++) {
            ringviz_task_begin(k + 1, job);
            part_one();
        }
        ringviz_task_switch(0);
        part_one();
        pthread_create(&thread, NULL, run_halves, &i);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv)
{
    n_requests = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
    request = ringviz_intern(NULL, "request", NULL, 0);
    job = ringviz_intern(NULL, "job", NULL, 0);
    run_flows();
    run_tasks();
    return 0;
}
