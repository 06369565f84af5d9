/* What each policy does when a ring is full. Called from the slow path of a push only. */
#ifndef RV_RING_FULL_RING_POLICY_H
#define RV_RING_FULL_RING_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

struct rv_pusher_state;

enum rv_full_ring_room {
    RV_FULL_RING_ROOM,
    RV_FULL_RING_REFUSE,  /* refuse the event and count it */
    RV_FULL_RING_UNTRACED /* tracing is off: the event is not counted as lost */
};

/* That tell a sleep for room. */
#define RV_FULL_RING_WAIT_EVENTS 3u

/* Events that may be written before the next check; 0 when tracing has stopped. */
uint64_t rv_full_ring_n_free(struct rv_pusher_state *state);

/* Make room for n_needed events, by waiting where the policy says so; after a sleep state->asleep_ticks is set. */
enum rv_full_ring_room rv_full_ring_make_room(struct rv_pusher_state *state, uint64_t n_needed);

/* Is this ring to be written? Its owner. */
bool rv_full_ring_is_tracing(const struct rv_wire_header *header, const struct rv_wire_control *control);

/* Does a live consumer drain this file, as far as can be told now? Any thread. */
bool rv_full_ring_has_consumer(const struct rv_wire_header *header);

/* fill: this ring is full at `ticks`; the first call stops all rings. */
void rv_full_ring_stop(struct rv_pusher_state *state, uint64_t ticks);

/* After an event was written: wake a sleeping consumer at a ring's first event and when the ring is more than half
 * full. */
void rv_full_ring_wake_consumer(struct rv_pusher_state *state);

#endif
