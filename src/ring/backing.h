/*
 * The pages of a claimed ring: of its control at the claim, of its events as they are used, so that a thread which
 * calls little costs little. After that no store to them can fail, nor has it to wait for a page.
 *
 * All: 0 or -ENOSPC, -EBADF ...; any thread of the owner, async-signal-safe, errno kept.
 */
#ifndef RV_RING_BACKING_H
#define RV_RING_BACKING_H

#include <stdint.h>

#include "ring/map.h"

#define RV_BACKING_FIRST_EVENTS 1024u /* that a claim gives */

int rv_backing_give_control(struct rv_map *map, uint32_t ring_idx);

/* n events from `head` on, a count as that of the ring's control; across the end of the ring, too. */
int rv_backing_give_events(struct rv_map *map, uint32_t ring_idx, uint64_t head, uint64_t n);

#endif
