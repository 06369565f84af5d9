/*
 * The frames open at the start of a recording's segment, written as events so that the segment can be read without the
 * earlier ones: a SWITCH to each stack, then a SYNC for each of its frames, outermost first. Where finished calls of a
 * frame took time, a LINE follows with those ns in its id, frame and aux, lowest bits first. Behind the frames of all
 * stacks, a SWITCH to each in which the thread waits, and its waits (waits/open_waits.h).
 */
#ifndef RV_STREAM_STACK_PREAMBLE_H
#define RV_STREAM_STACK_PREAMBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "ringviz/wire.h"

/* The events: selects a stack; is an open frame of it; has the time that the frame's callees took so far. */
struct rv_event rv_stack_preamble_stack(uint64_t at_ns, uint32_t stack);
struct rv_event rv_stack_preamble_frame(uint64_t start_ns, uint32_t id, uint16_t tag);
struct rv_event rv_stack_preamble_children(uint64_t at_ns, uint64_t children_ns);

/* Do these events consist of a preamble only? */
bool rv_stack_preamble_is_all(const struct rv_event *events, size_t n);

struct rv_stack_preamble { /* reader's state; zeroed before the first event */
    uint32_t stack, n_frames;
};

/* Read the next event. True: finished calls of the stack's last frame so far took *children_ns. */
bool rv_stack_preamble_read(struct rv_stack_preamble *preamble, const struct rv_event *event, uint64_t *children_ns);

#endif
