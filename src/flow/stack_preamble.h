/*
 * The open frames at the beginning of a recording's segment, written as events so that the segment can be read without
 * those before it: a SWITCH to each stack, a SYNC for each of its frames, outermost first, and after a frame whose calls
 * have taken time a LINE that holds those ns in its id, frame and aux, lowest bits first.
 */
#ifndef RV_FLOW_STACK_PREAMBLE_H
#define RV_FLOW_STACK_PREAMBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "ringviz/wire.h"

struct rv_event rv_stack_preamble_stack(uint64_t at_ns, uint32_t stack);
struct rv_event rv_stack_preamble_frame(uint64_t start_ns, uint32_t id, uint16_t tag);
struct rv_event rv_stack_preamble_children(uint64_t at_ns, uint64_t children_ns);

/* Are these events nothing but a preamble? */
bool rv_stack_preamble_is_all(const struct rv_event *events, size_t n);

struct rv_stack_preamble { /* how far it was read; zeroed before the first event */
    uint32_t stack, n_frames;
};

/* Read on. True: in the last of the stack's frames so far, calls took *children_ns. */
bool rv_stack_preamble_read(struct rv_stack_preamble *preamble, const struct rv_event *event, uint64_t *children_ns);

#endif
