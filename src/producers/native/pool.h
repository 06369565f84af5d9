/*
 * Memory that ended threads leave to new ones: mapping and unmapping it for each thread costs more than starting the
 * thread. Pieces of one size, zeroed when new, never unmapped.
 */
#ifndef RV_PRODUCERS_NATIVE_POOL_H
#define RV_PRODUCERS_NATIVE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "producers/native/linkage.h"

struct rv_pool {
    uint64_t free; /* [atomic] a count << 48 | address of the last piece returned; the count prevents ABA */
    size_t n_bytes;
    uint32_t n_taken; /* [atomic] new pieces */
};

/* A static pool of pieces of n_bytes. */
#define RV_POOL(size)                                                                                                  \
    {                                                                                                                  \
        .n_bytes = (size)                                                                                              \
    }

/* NULL without memory. Both functions: any thread or signal handler; errno kept. */
RV_HIDDEN void *rv_pool_take(struct rv_pool *pool);
RV_HIDDEN void rv_pool_give(struct rv_pool *pool, void *piece);

#endif
