/*
 * A lock that thousands of threads may wait for: a word that is 0 while it is free. Holders have signals blocked.
 *
 *   L1 -> L2  what the holder has written, before the next one has it
 */
#ifndef RV_PRODUCERS_NATIVE_OWN_LOCK_H
#define RV_PRODUCERS_NATIVE_OWN_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/visibility.h"

/* Take a lock, 0 at first, and wait as long as another thread has it; release it. Not recursive. */
RV_HIDDEN void rv_own_lock_take(uint32_t *lock);
RV_HIDDEN void rv_own_lock_release(uint32_t *lock);

/* CLOCK_MONOTONIC. False: it was held until then. */
RV_HIDDEN bool rv_own_lock_take_before(uint32_t *lock, uint64_t end_ns);

#endif
