/* The parts of a lane's calls in which no callee is shown: what the thread executed at each time. Pure. */
#ifndef RV_MODEL_INNERMOST_H
#define RV_MODEL_INNERMOST_H

#include "model/box.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


struct rv_innermost_part {
    uint32_t box;               /* index of the call or cell */
    uint16_t coverage;          /* the greatest of the open boxes': how much of the part the lane was busy */
    uint64_t from_ns, until_ns; /* equal: a call without duration */
};
typedef void rv_innermost_fn(void *context, const struct rv_innermost_part *part);

struct rv_innermost { /* zeroed = ready; scratch only */
    struct rv_innermost_open {
        uint32_t box;
        uint16_t coverage; /* the greatest up to here */
    } * stack;
    size_t capacity, n_open;
    uint64_t now_ns; /* everything before is resolved */
};

/* The box that shows where a cell covers less than half of its width: the deepest that covers at least half as much as
 * the one below it, since the others were open less than not. */
uint32_t rv_innermost_shown(const struct rv_innermost *innermost, const struct rv_box *boxes, uint64_t until_ns);

/* Of a box with deeper ones open, or without room for it: insert it below these. */
void rv_innermost_insert(struct rv_innermost *innermost, const struct rv_box *boxes, uint32_t idx);

void rv_innermost_fini(struct rv_innermost *innermost);

static inline void rv_innermost_open(struct rv_innermost *innermost, const struct rv_box *boxes, uint32_t idx)
{
    const size_t n = innermost->n_open;
    if (n == 0 || n == innermost->capacity || boxes[innermost->stack[n - 1].box].depth > boxes[idx].depth) {
        rv_innermost_insert(innermost, boxes, idx);
        return;
    }
    const uint16_t own = boxes[idx].coverage, below = innermost->stack[n - 1].coverage;
    innermost->stack[n] = (struct rv_innermost_open){idx, own > below ? own : below};
    innermost->n_open++;
}

__attribute__((always_inline)) static inline void rv_innermost_give(const struct rv_innermost *innermost,
                                                                    const struct rv_box *boxes, uint64_t until_ns,
                                                                    rv_innermost_fn *give_part, void *context)
{
    const struct rv_innermost_open *top = &innermost->stack[innermost->n_open - 1];
    const bool is_mostly_covered = 2u * boxes[top->box].coverage >= RV_BOX_EXACT;
    const uint32_t shown = is_mostly_covered ? top->box : rv_innermost_shown(innermost, boxes, until_ns);
    const struct rv_box *box = &boxes[shown];
    const uint64_t now_ns = innermost->now_ns, from_ns = now_ns > box->start_ns ? now_ns : box->start_ns;
    if (until_ns > from_ns || (until_ns == from_ns && box->duration_ns == 0))
        give_part(context, &(struct rv_innermost_part){shown, top->coverage, from_ns, until_ns});
}

/* Resolve up to a time: the top is visible until it ends, then the one below. */
__attribute__((always_inline)) static inline void rv_innermost_run_until(struct rv_innermost *innermost,
                                                                         const struct rv_box *boxes, uint64_t until_ns,
                                                                         rv_innermost_fn *give_part, void *context)
{
    while (innermost->n_open > 0) {
        const uint64_t top_end_ns = rv_box_end_ns(&boxes[innermost->stack[innermost->n_open - 1].box]);
        const bool is_open = top_end_ns > until_ns;
        const uint64_t end_ns = is_open ? until_ns : top_end_ns;
        rv_innermost_give(innermost, boxes, end_ns, give_part, context);
        if (is_open)
            break;
        if (end_ns > innermost->now_ns)
            innermost->now_ns = end_ns;
        innermost->n_open--;
    }
    innermost->now_ns = until_ns;
}

/*
 * Give the parts of a lane's boxes, which are sorted by start, in order of time; none overlaps another. A cell counts
 * as open for its whole width, but shows only if it covers at least half as much as the box that it is in. O(boxes).
 * Here, so that what is done with a part is compiled into the sweep: a picture may have half a million of them.
 */
__attribute__((always_inline)) static inline void rv_innermost_find(struct rv_innermost *innermost,
                                                                    const struct rv_box *boxes, size_t n,
                                                                    rv_innermost_fn *give_part, void *context)
{
    innermost->n_open = 0;
    innermost->now_ns = 0;
    for (uint32_t i = 0; i <= n; i++) { /* the last turn ends all */
        rv_innermost_run_until(innermost, boxes, i < n ? boxes[i].start_ns : UINT64_MAX, give_part, context);
        if (i < n)
            rv_innermost_open(innermost, boxes, i);
    }
}

#endif
