/*
 * Names of threads outside of what is traced that woke threads inside, asked for as soon as one is seen. All functions:
 * drain thread.
 */
#ifndef RV_SOURCE_OUTSIDE_WAKERS_H
#define RV_SOURCE_OUTSIDE_WAKERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "source/perf_buffers.h"
#include "source/source.h"

struct rv_outside_wakers { /* zeroed = none */
    struct rv_outside_waker {
        uint32_t pid, tid;
    } * all;
    size_t n, capacity, n_told;
    struct rv_hash_index by_tid; /* index in all, + 1 */
};

void rv_outside_wakers_fini(struct rv_outside_wakers *wakers);

/* This thread has woken one: it may have ended since, or another process may have its number now. */
void rv_outside_wakers_see(struct rv_outside_wakers *wakers, uint32_t pid, uint32_t tid);

/* Name those that were not told before, such as "postgres", or "writer of mysqld 1200" of a thread that is not its
 * first. */
void rv_outside_wakers_tell(struct rv_outside_wakers *wakers, const struct rv_intake *intake);

/* A thread's name as the kernel has it now; "" when it is gone. Perhaps without its end. */
void rv_outside_wakers_ask_name(uint32_t tid, char name[RV_PERF_NAME_BYTES]);

#endif
