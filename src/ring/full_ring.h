/* Room in a ring for the producer: what each policy does when there is none. Used by the push's slow path only. */
#ifndef RV_RING_FULL_RING_H
#define RV_RING_FULL_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

struct rv_pusher_state;

enum rv_room {
    RV_ROOM_THERE,
    RV_ROOM_NONE,    /* refuse the event and count it */
    RV_ROOM_UNTRACED /* tracing is off: the event was never meant to be seen */
};

/* Events that may be written now without asking again; 0 when tracing has stopped. */
uint64_t rv_room_free(struct rv_pusher_state *state);

/* Make room for n_needed events, by waiting where the policy says so. */
enum rv_room rv_room_make(struct rv_pusher_state *state, uint64_t n_needed);

/* Is there a consumer that goes on reading, as far as can be told now? Any thread. */
bool rv_room_has_consumer(const struct rv_wire_header *header);

/* fill: this ring is full at `ticks`; the first to say so stops all. */
void rv_room_stop(struct rv_pusher_state *state, uint64_t ticks);

/* After an event was written: wake a sleeping consumer for a ring's first event and when the ring is half full. */
void rv_room_wake_consumer(struct rv_pusher_state *state);

#endif
