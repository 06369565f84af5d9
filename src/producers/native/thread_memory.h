/*
 * Memory that ended threads leave to new ones: mapping and unmapping it for each thread costs more than starting the
 * thread. Pieces of one size, zeroed when new, never unmapped. A piece is known by an address in it, at which the pool
 * has a word of its own while it has the piece again: no other page of it is touched.
 */
#ifndef RV_PRODUCERS_NATIVE_THREAD_MEMORY_H
#define RV_PRODUCERS_NATIVE_THREAD_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"

struct rv_thread_memory {
    uint64_t free;            /* [atomic] a count << 48 | address of the last piece returned; the count prevents ABA */
    uint64_t unused;          /* [atomic] pieces that were never taken: their number << 48 | address of the first */
    size_t n_before, n_after; /* bytes of a piece before its address and from it on; n_before: whole pages */
    size_t alignment;
    uint32_t n_taken; /* [atomic] pieces made so far */
};

#define RV_THREAD_MEMORY_PAGE 4096u

/* A static pool of pieces of so many bytes; small ones share pages. */
#define RV_THREAD_MEMORY(size)                                                                                         \
    RV_THREAD_MEMORY_AROUND(0, size, (size) < RV_THREAD_MEMORY_PAGE ? 64 : RV_THREAD_MEMORY_PAGE)
#define RV_THREAD_MEMORY_AROUND(before, after, align)                                                                  \
    {                                                                                                                  \
        .n_before = (before), .n_after = (after), .alignment = (align)                                                 \
    }

/* NULL without memory. Both functions: any thread or signal handler; errno kept. */
RV_HIDDEN void *rv_thread_memory_take(struct rv_thread_memory *pool);
RV_HIDDEN void rv_thread_memory_give(struct rv_thread_memory *pool, void *piece);

#endif
