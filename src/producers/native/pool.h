/*
 * Memory that threads leave to those that come after them: mapping and unmapping it for each costs more than starting
 * the thread. Pieces of one size, zeroed when they are new, never unmapped.
 */
#ifndef RV_PRODUCERS_NATIVE_POOL_H
#define RV_PRODUCERS_NATIVE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "producers/native/linkage.h"

struct rv_pool {
    uint64_t free; /* [atomic] a count << 48 | the piece left last: the count tells it from when it was left before */
    size_t n_bytes;
    uint32_t n_taken; /* [atomic] new pieces */
};

/* A static pool of pieces of n_bytes. */
#define RV_POOL(size)                                                                                                  \
    {                                                                                                                  \
        .n_bytes = (size)                                                                                              \
    }

/* NULL without memory. Both: any thread and handler; errno is kept. */
RV_HIDDEN void *rv_pool_take(struct rv_pool *pool);
RV_HIDDEN void rv_pool_give(struct rv_pool *pool, void *piece);

#endif
