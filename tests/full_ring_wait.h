/* The events that tell that a thread has slept until its ring had room: how many there are depends on who runs when. */
#ifndef RV_TESTS_FULL_RING_WAIT_H
#define RV_TESTS_FULL_RING_WAIT_H

#include <stdbool.h>

#include "ring/full_ring_policy.h"
#include "ringviz/wire.h"

/* Is the ring's next event one of them? n_left: 0 at first. */
static inline bool full_ring_wait_has(unsigned *n_left, const struct rv_event *event)
{
    if (rv_event_kind(event) == RV_EVENT_WAIT && (event->frame & RV_WAIT_KIND_MASK) == RV_WAIT_FULL_RING)
        *n_left = RV_FULL_RING_WAIT_EVENTS;
    const bool is_one = *n_left > 0;
    *n_left -= is_one;
    return is_one;
}

#endif
