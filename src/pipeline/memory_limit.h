/*
 * --memory: what of it each part of a session may take. Lanes get what all other resident data leaves, but at least
 * their share, and evict their oldest calls beyond it.
 */
#ifndef RV_PIPELINE_MEMORY_LIMIT_H
#define RV_PIPELINE_MEMORY_LIMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"

struct rv_memory_limit {
    struct rv_lanes *lanes;
    uint64_t bytes; /* of resident memory */
    pthread_mutex_t checking;
    _Atomic uint64_t n_unchecked; /* spans added to lanes since the last check */
};

/* A quarter of RAM, with a history a 32nd. */
uint64_t rv_memory_limit_default(bool has_history);

void rv_memory_limit_init(struct rv_memory_limit *limit, uint64_t bytes, struct rv_lanes *lanes);
void rv_memory_limit_fini(struct rv_memory_limit *limit);

/* Limit lanes now; count spans added to them, which limits them after many. Any thread. */
void rv_memory_limit_check(struct rv_memory_limit *limit);
void rv_memory_limit_count(struct rv_memory_limit *limit, uint64_t n_spans);

/* The most open calls of all streams: far more than fit the stacks of real programs. */
uint64_t rv_memory_limit_open_calls(uint64_t bytes);

/* Bytes of a limit: for waits that come one by one; for folds of a recording; for pages in view; for the list of a
 * history's blocks; for parts of ranges that were measured. */
uint64_t rv_memory_limit_waits(uint64_t bytes);
uint64_t rv_memory_limit_folds(uint64_t bytes);
uint64_t rv_memory_limit_pages(uint64_t bytes, bool has_history);
uint64_t rv_memory_limit_block_list(uint64_t bytes);
uint64_t rv_memory_limit_ranges(uint64_t bytes);

#endif
