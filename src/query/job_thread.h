/*
 * A thread for work that takes longer than a picture: begun, asked whether it has got on, waited for or given up. Main
 * thread, but for what says otherwise. Once it does not run, what the work has left behind can be read.
 */
#ifndef RV_QUERY_JOB_THREAD_H
#define RV_QUERY_JOB_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Work that waits looks so often whether it is still wanted. */
#define RV_JOB_THREAD_WAIT_NS 1000000u

struct rv_job_thread { /* zeroed = there is no work; does not move while it runs */
    void (*work)(void *context);
    void *context;
    pthread_t thread;
    bool is_running; /* the thread is to be joined */
    unsigned percent_told;
    atomic_bool is_over, is_unwanted; /* they order nothing: the join does */
};

/* Begin, where nothing runs. There is no thread to be had: the work has ended when this returns. */
void rv_job_thread_start(struct rv_job_thread *worker, void (*work)(void *context), void *context);

/* Of the work, on its own thread: it ends soon once this is false. */
bool rv_job_thread_is_wanted(const struct rv_job_thread *worker);

/* Until the work has ended, to its end or, with stop, as it is not wanted any more. */
void rv_job_thread_wait(struct rv_job_thread *worker);
void rv_job_thread_stop(struct rv_job_thread *worker);

/* Has the work, of which so much is done, got on since this was last asked, or ended? That is seen once: then it does
 * not run any more. */
bool rv_job_thread_poll(struct rv_job_thread *worker, unsigned percent);

#endif
