/*
 * Closing order read backwards is calling order backwards, the last sibling first: a call is left when a span is met
 * that lies before it.
 */
#include "export/call_walk.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"

struct walking {
    const struct rv_call_walk *walk;
    struct rv_span *open; /* frames open at now_ns, outermost first */
    size_t n_open, open_capacity;
    uint64_t now_ns; /* all later spans are done */
};

static void leave(struct walking *walking)
{
    const struct rv_span *call = &walking->open[--walking->n_open];
    walking->now_ns = call->start;
    walking->walk->leave(walking->walk->context, call);
}

/* Had span closed when top was called? At equal times, depth decides whether top called it. */
static bool is_before(const struct rv_span *span, const struct rv_span *top, uint32_t top_depth)
{
    if (span->end != top->start)
        return span->end < top->start;
    return span->start < top->start || span->depth <= top_depth;
}

static const struct rv_span *top_of(const struct walking *walking)
{
    return walking->n_open ? &walking->open[walking->n_open - 1] : NULL;
}

/* Made where it stays: a copy would wait for what was just stored in parts. */
static void enter(struct walking *walking, const struct rv_span *span)
{
    const struct rv_span *top;
    while ((top = top_of(walking)) && is_before(span, top, top->stack))
        leave(walking);
    if (walking->n_open == walking->open_capacity) {
        walking->open =
            rv_vec_reserve(walking->open, &walking->open_capacity, walking->n_open + 1, sizeof *walking->open);
        top = top_of(walking);
    }
    struct rv_span *taken = &walking->open[walking->n_open];
    *taken = *span;
    taken->end = span->end < walking->now_ns ? span->end : walking->now_ns;
    taken->start = span->start < taken->end ? span->start : taken->end;
    if (top && (span->flags & RV_SPAN_ORPHAN) && !(top->flags & RV_SPAN_ORPHAN))
        taken->start = taken->end;
    if (top && taken->start < top->start)
        taken->start = top->start;
    taken->stack = span->depth; /* while it is open, the depth that the scan gave it */
    taken->depth = (uint32_t)walking->n_open;
    walking->now_ns = taken->end;
    if (walking->walk->enter)
        walking->walk->enter(walking->walk->context, taken, top);
    walking->n_open++;
}

static void take_some(void *context, const struct rv_span *spans, size_t n)
{
    struct walking *walking = context;
    for (size_t i = 0; i < n; i++)
        if (rv_slice_has_span(walking->walk->part, walking->walk->lane, &spans[i]))
            enter(walking, &spans[i]);
}

static void finish(struct walking *walking)
{
    while (walking->n_open)
        leave(walking);
    free(walking->open);
}

int rv_call_walk(const struct rv_call_walk *walk)
{
    struct walking walking = {.walk = walk, .now_ns = UINT64_MAX};
    const int error =
        walk->calls->read(walk->calls->context,
                          &(struct rv_lane_calls_wanted){.lane = walk->lane,
                                                         .from_ns = walk->part->from_ns,
                                                         .to_ns = walk->part->to_ns ? walk->part->to_ns : UINT64_MAX,
                                                         .is_needed = walk->is_needed,
                                                         .needed_by = walk->needed_by,
                                                         .take = take_some,
                                                         .context = &walking});
    finish(&walking);
    return error;
}

void rv_call_walk_piece(const struct rv_call_walk *walk, const struct rv_span_piece *piece)
{
    struct walking walking = {.walk = walk, .now_ns = UINT64_MAX};
    for (size_t i = piece->n; i-- > 0;)
        enter(&walking, &piece->spans[i]);
    finish(&walking);
}
