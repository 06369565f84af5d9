/*
 * The jobs of one stream or page on their way through the workers: scanned in any order, joined in submission order by
 * whichever worker finds the next one ready.
 */
#ifndef RV_PIPELINE_JOB_ORDER_H
#define RV_PIPELINE_JOB_ORDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pipeline/batch_pool.h"

struct rv_pending_page;

struct rv_job_order { /* the first member of struct rv_stream and struct rv_pending_page: a batch's `stream` */
    struct rv_pending_page *page; /* NULL: of a stream */
    /* drain thread */
    uint64_t n_submitted;
    uint32_t exit_stack; /* stack selected after the last batch submitted */
    /* under lock: jobs that wait for their turn */
    pthread_mutex_t lock;
    struct rv_job **ready; /* by sequence mod n_jobs */
    size_t n_jobs;
    uint64_t n_joined; /* also the sequence to join next */
    bool is_joining;
};

/* n_jobs: most jobs at once. */
void rv_job_order_init(struct rv_job_order *order, size_t n_jobs);
void rv_job_order_fini(struct rv_job_order *order);

/* Start again with the first job; no job is on its way. */
void rv_job_order_reset(struct rv_job_order *order, uint32_t entry_stack);

/* Give a job its place. Drain thread. */
void rv_job_order_add(struct rv_job_order *order, struct rv_job *job);

/*
 * Store a scanned job.
 *   returns  true when the caller has become the joiner: it then takes jobs until rv_job_order_take() returns NULL
 */
bool rv_job_order_put(struct rv_job_order *order, struct rv_job *job);

/* The next job in order, or NULL: the caller is no longer the joiner. */
struct rv_job *rv_job_order_take(struct rv_job_order *order);

#endif
