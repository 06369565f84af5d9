/*
 * What is open where something begins that was more before: a segment of a recording. It is told in events that nothing
 * happened by: SWITCH to each stack, SYNC for each of its frames, outermost first, and behind each the time that calls
 * took in it that have ended, as a LINE with those ns in its id, frame and aux, from the lowest bits up. Frames without
 * any have none.
 */
#ifndef RV_FLOW_STACK_PREAMBLE_H
#define RV_FLOW_STACK_PREAMBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "ringviz/wire.h"

struct rv_event rv_opening_stack(uint64_t at_ns, uint32_t stack);
struct rv_event rv_opening_frame(uint64_t start_ns, uint32_t id, uint16_t tag);
struct rv_event rv_opening_children(uint64_t at_ns, uint64_t children_ns);

/* Is this all that they tell? */
bool rv_opening_is_all(const struct rv_event *events, size_t n);

struct rv_opening { /* how far it was read; zeroed before the first event */
    uint32_t stack, n_frames;
};

/* Read on. True: in the last of the stack's frames so far, calls took *children_ns. */
bool rv_opening_read(struct rv_opening *opening, const struct rv_event *event, uint64_t *children_ns);

#endif
