/*
 * The jobs of a session: a fixed number, made at its start. The drain borrows a long one, a worker processes and
 * returns it. When none is free the borrower waits: this is the back-pressure on the drain. Short batches of many
 * threads are handed over many at once, copied to jobs with little memory, so that all of them together take less than
 * two long ones.
 */
#ifndef RV_PIPELINE_BATCH_POOL_H
#define RV_PIPELINE_BATCH_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/block.h"
#include "stream/batch.h"

/* A batch, and once it is scanned, the block. */
struct rv_job {
    struct rv_batch batch; /* first: a source sees only this */
    struct rv_block *block;
    uint32_t entry_stack;
    bool closes_stream; /* end of the stream: n may be 0 */
    uint64_t end_ns;    /* with closes_stream */
};

struct rv_batch_pool {
    struct rv_job *all; /* long ones first */
    size_t n, n_long;
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t has_free;
    struct rv_job **free, **free_short;
    size_t n_free, n_free_short;
    struct rv_block **blocks; /* not in use, the last used one last: as many as jobs were scanned and not yet joined */
    size_t n_blocks;
};

#define RV_BATCH_POOL_SHORT 1024u /* a batch with fewer events is short */

/* n_long: of its jobs; some more are for short batches. */
void rv_batch_pool_init(struct rv_batch_pool *jobs, size_t n_long);
void rv_batch_pool_fini(struct rv_batch_pool *jobs); /* borrowed ones, too */

/* Borrow an empty long job; NULL when none was returned for a while. Any thread. */
struct rv_job *rv_batch_pool_borrow(struct rv_batch_pool *jobs);
void rv_batch_pool_release(struct rv_batch_pool *jobs, struct rv_job *job);

/* Exchange a borrowed job with a short batch for one with little memory, if one is free. Returns the job with the
 * batch. */
struct rv_job *rv_batch_pool_shorten(struct rv_batch_pool *jobs, struct rv_job *job);

/* Give a borrowed job a block to scan into. Any thread. */
void rv_batch_pool_give_block(struct rv_batch_pool *jobs, struct rv_job *job);

/* Its batch as input of the scan. */
struct rv_block_input rv_job_input(const struct rv_job *job);

#endif
