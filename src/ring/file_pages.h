/*
 * Allocates the file pages of a claimed ring before they are written, so that no store can fail or wait for a page: the
 * ring's state before anybody reads it, the events' pages as the ring fills, what most rings never use when it is first
 * used. Thousands of threads that call little are started quickly and take little memory.
 *
 * All: 0 or -ENOSPC, -EBADF ...; any thread of the owner, async-signal-safe, errno kept.
 */
#ifndef RV_RING_FILE_PAGES_H
#define RV_RING_FILE_PAGES_H

#include <stdint.h>

#include "ring/map.h"

#define RV_BACKING_FIRST_EVENTS 256u /* allocated by a claim: a page */

/* Nothing to do for a ring that was claimed before or was prepared (wire: n_rings_used, n_rings_ready). */
int rv_file_pages_give_state(struct rv_map *map, uint32_t ring_idx);

/* Of the control: its slots and message, behind the struct. Any process that may write. */
int rv_file_pages_give_rest(struct rv_map *map, uint32_t ring_idx);

/* Allocate the pages of n events from the free-running count `head` on; wraps at the end of the ring. Nothing to do for
 * those that the ring has from an earlier claim. */
int rv_file_pages_give_events(struct rv_map *map, uint32_t ring_idx, uint64_t head, uint64_t n);

/* By the consumer, of the rings in their order: its first claim will need no system call for its pages. */
int rv_file_pages_prepare(struct rv_map *map, uint32_t ring_idx);

#endif
