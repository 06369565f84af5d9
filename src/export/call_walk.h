/*
 * Walks a lane's calls backwards: a call is entered at its end and left at its begin. Memory holds only the frames open
 * at one time.
 *
 * The calls are always a proper tree: a span lies within its caller, and begins no earlier than its previous sibling
 * ended. Spans that an orphan encloses become its children; an orphan inside a call begins at its own end, because its
 * real begin is unknown.
 */
#ifndef RV_EXPORT_CALL_WALK_H
#define RV_EXPORT_CALL_WALK_H

#include "export/lane_calls.h"
#include "export/slice.h"

struct rv_call_walk {
    const struct rv_lane_calls *calls;
    const struct rv_lane *lane;
    const struct rv_slice *part; /* only spans in it; callees of a span not in it move up to its place */
    /* As of struct rv_lane_calls_wanted. */
    bool (*is_needed)(const void *needed_by, uint64_t from_ns, uint64_t to_ns);
    const void *needed_by;
    /* A call with its depth in the tree, for the duration of the function; caller NULL: there is none. enter may be
     * NULL. */
    void (*enter)(void *context, const struct rv_span *call, const struct rv_span *caller);
    void (*leave)(void *context, const struct rv_span *call);
    void *context;
};

/* 0, or a negative errno with one line printed. */
int rv_call_walk(const struct rv_call_walk *walk);

/* The same of the calls of a piece of the lane's time, all of them. */
void rv_call_walk_piece(const struct rv_call_walk *walk, const struct rv_span_piece *piece);

#endif
