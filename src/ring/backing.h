/*
 * Allocates the file pages of a claimed ring, so that no later store can fail or wait for a page: the control's pages
 * at the claim, its first one, with the ring's state, before anybody reads it; the events' pages as the ring fills, so
 * that a thread with few calls uses little memory.
 *
 * All: 0 or -ENOSPC, -EBADF ...; any thread of the owner, async-signal-safe, errno kept.
 */
#ifndef RV_RING_BACKING_H
#define RV_RING_BACKING_H

#include <stdint.h>

#include "ring/map.h"

#define RV_BACKING_FIRST_EVENTS 1024u /* allocated by a claim */

/* Nothing to do for a ring that was claimed before (wire: n_rings_used). */
int rv_backing_give_state(struct rv_map *map, uint32_t ring_idx);

/* The same for the ring's control. */
int rv_backing_give_control(struct rv_map *map, uint32_t ring_idx);

/* Allocate the pages of n events from the free-running count `head` on; wraps at the end of the ring. */
int rv_backing_give_events(struct rv_map *map, uint32_t ring_idx, uint64_t head, uint64_t n);

#endif
