/*
 * migrate: threads of a runtime, each run by one native thread after another, in the middle of its calls; then they go on
 * in a forked child.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ringviz/producer.h"

#define N_JOBS 8u
#define N_NATIVE 3u
#define N_TURNS 3000u /* of each job: it begins its outer call, its inner one, or ends both */

struct job {
    struct ringviz_thread *thread;
    uint64_t called[2], ready;
    uint32_t number, turn, n_open;
    struct job *next;
};

static struct job jobs[N_JOBS], *first, **end = &first;
static unsigned n_left;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t ids[2];
static _Thread_local struct job *running;

static void replay(void)
{
    for (uint32_t i = 0; running && i < running->n_open; i++)
        ringviz_replay(ids[i], i, running->called[i]);
}

static void enter(struct job *job)
{
    job->called[job->n_open] = ringviz_call(ids[job->n_open], job->n_open, 0);
    job->n_open++;
}

static void leave(struct job *job)
{
    job->n_open--;
    ringviz_return(ids[job->n_open], job->n_open);
}

static void take_turn(struct job *job)
{
    char name[16];
    struct ringviz_thread *before = ringviz_thread_use(job->thread);
    running = job;
    if (job->turn == 0) {
        snprintf(name, sizeof name, "job %u", job->number);
        ringviz_thread_name(name);
    }
    ringviz_thread_state_since(RINGVIZ_READY, job->ready);
    ringviz_thread_state(RINGVIZ_RESUMED);
    if (job->turn % 3 < 2)
        enter(job);
    else
        while (job->n_open)
            leave(job);
    job->turn++;
    ringviz_thread_state(RINGVIZ_SUSPENDED);
    running = NULL;
    if (ringviz_thread_use(before) != job->thread)
        abort();
}

static struct job *take(void)
{
    struct job *job = first;
    if (job)
        first = job->next;
    if (!first)
        end = &first;
    return job;
}

static void put(struct job *job)
{
    job->next = NULL;
    *end = job;
    end = &job->next;
    job->ready = ringviz_ticks();
}

static void *work(void *until)
{
    const uint32_t last = *(const uint32_t *)until;
    pthread_mutex_lock(&lock);
    while (n_left) {
        struct job *job = take();
        pthread_mutex_unlock(&lock);
        if (job)
            take_turn(job);
        pthread_mutex_lock(&lock);
        if (job && job->turn < last)
            put(job);
        else if (job)
            n_left--;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void run_until(uint32_t turn)
{
    pthread_t threads[N_NATIVE];
    n_left = N_JOBS;
    for (unsigned i = 0; i < N_JOBS; i++)
        put(&jobs[i]);
    for (unsigned i = 0; i < N_NATIVE; i++)
        if (pthread_create(&threads[i], NULL, work, &turn))
            exit(1);
    for (unsigned i = 0; i < N_NATIVE; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    int status;
    ids[0] = ringviz_intern("Job", "outer", "migrate", 1);
    ids[1] = ringviz_intern("Job", "inner", "migrate", 2);
    ringviz_on_ring(replay);
    for (unsigned i = 0; i < N_JOBS; i++)
        jobs[i] = (struct job){.thread = ringviz_thread_attach(), .number = i};
    run_until(N_TURNS + 1);
    pid_t child = fork(); /* in all outer calls */
    if (child < 0)
        return 1;
    run_until(N_TURNS + 3);
    for (unsigned i = 0; i < N_JOBS; i++)
        ringviz_thread_detach(jobs[i].thread);
    return child && (waitpid(child, &status, 0) != child || status);
}
