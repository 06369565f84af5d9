/*
 * The jobs of a session: a fixed number, made at its start. The drain borrows one, a worker processes and returns it.
 * When none is free the borrower waits, or when as many of them are long as may be: this is the back-pressure on the
 * drain. Short ones of many threads are handed over many at once.
 */
#ifndef RV_PIPELINE_BATCH_POOL_H
#define RV_PIPELINE_BATCH_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/batch.h"
#include "scan/block.h"

/* A batch, and once it is scanned, the block. */
struct rv_job {
    struct rv_batch batch; /* first: a source sees only this */
    struct rv_block *block;
    uint32_t entry_stack;
    bool is_long;       /* on its way to a worker, or there */
    bool closes_stream; /* n == 0: the stream's last */
    uint64_t end_ns;    /* with closes_stream */
};

struct rv_batch_pool {
    struct rv_job *all;
    size_t n, most_long;
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t has_free;
    struct rv_job **free;
    size_t n_free, n_long;
    struct rv_block **blocks; /* not in use, the last used one last: as many as jobs were scanned and not yet joined */
    size_t n_blocks;
};

/* most_long: of its jobs; some more are for short batches. */
void rv_batch_pool_init(struct rv_batch_pool *jobs, size_t most_long);
void rv_batch_pool_fini(struct rv_batch_pool *jobs); /* borrowed ones, too */

/* Borrow an empty job; NULL when none was returned for a while. Any thread. */
struct rv_job *rv_batch_pool_borrow(struct rv_batch_pool *jobs);
void rv_batch_pool_lend_long(struct rv_batch_pool *jobs, struct rv_job *job); /* until its release */
void rv_batch_pool_release(struct rv_batch_pool *jobs, struct rv_job *job);

/* Give a borrowed job a block to scan into. Any thread. */
void rv_batch_pool_give_block(struct rv_batch_pool *jobs, struct rv_job *job);

/* Its batch as input of the scan. */
struct rv_block_input rv_job_input(const struct rv_job *job);

#endif
