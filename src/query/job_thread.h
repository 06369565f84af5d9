/*
 * A thread for work that takes longer than a picture: start it, poll its progress, wait for it or cancel it. Main
 * thread, unless said otherwise. When it does not run, the work's results can be read.
 */
#ifndef RV_QUERY_JOB_THREAD_H
#define RV_QUERY_JOB_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Interval at which waiting work checks for cancellation. */
#define RV_JOB_THREAD_WAIT_NS 1000000u

struct rv_job_thread { /* zeroed = no work; must not move while running */
    void (*work)(void *context);
    void *context;
    pthread_t thread;
    bool is_running; /* the thread must be joined */
    unsigned percent_told;
    atomic_bool is_over, is_unwanted; /* no ordering needed: the join orders */
};

/* Start work; none is running. If no thread can be created, the work runs before this returns. */
void rv_job_thread_start(struct rv_job_thread *worker, void (*work)(void *context), void *context);

/* Called by the work: it must end soon once this is false. */
bool rv_job_thread_is_wanted(const struct rv_job_thread *worker);

/* Wait for the end of the work; _stop cancels it first. */
void rv_job_thread_wait(struct rv_job_thread *worker);
void rv_job_thread_stop(struct rv_job_thread *worker);

/* Has the work (percent done) progressed or ended since the last call? An end is reported once, and then the thread is
 * joined. */
bool rv_job_thread_poll(struct rv_job_thread *worker, unsigned percent);

#endif
