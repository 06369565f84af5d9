/*
 * A sweep over the stack of open boxes. A box that starts closes those that have ended; the top of the stack is visible
 * from when it was last covered until it ends or is covered again, unless it is a cell that the box below outweighs.
 */
#include "model/innermost.h"

#include <stdlib.h>

#include "base/vec.h"

struct sweep {
    struct rv_innermost *innermost;
    const struct rv_box *boxes;
    rv_innermost_fn *give;
    void *context;
};

/* The deepest box that covers at least half as much as the one below it: the others were open less than not. */
static uint32_t shown_box(const struct sweep *sweep, const struct rv_innermost_open *top, uint64_t until_ns)
{
    const struct rv_box *boxes = sweep->boxes;
    for (; top > sweep->innermost->stack; top--) {
        const struct rv_box *below = &boxes[top[-1].box];
        if (2u * boxes[top->box].coverage >= below->coverage || rv_box_end_ns(below) < until_ns)
            break;
    }
    return top->box;
}

static void give(const struct sweep *sweep, const struct rv_innermost_open *top, uint64_t until_ns)
{
    const uint32_t shown = shown_box(sweep, top, until_ns);
    const struct rv_box *box = &sweep->boxes[shown];
    uint64_t now_ns = sweep->innermost->now_ns, from_ns = now_ns > box->start_ns ? now_ns : box->start_ns;
    if (until_ns > from_ns || (until_ns == from_ns && box->duration_ns == 0))
        sweep->give(sweep->context, &(struct rv_innermost_part){shown, top->coverage, from_ns, until_ns});
}

/* Resolve up to a time: the top is visible until it ends, then the one below. */
static void run_until(const struct sweep *sweep, uint64_t until_ns)
{
    struct rv_innermost *innermost = sweep->innermost;
    while (innermost->n_open > 0) {
        const struct rv_innermost_open *top = &innermost->stack[innermost->n_open - 1];
        uint64_t end_ns = rv_box_end_ns(&sweep->boxes[top->box]);
        if (end_ns > until_ns) {
            give(sweep, top, until_ns);
            break;
        }
        give(sweep, top, end_ns);
        if (end_ns > innermost->now_ns)
            innermost->now_ns = end_ns;
        innermost->n_open--;
    }
    innermost->now_ns = until_ns;
}

/* Insert below deeper boxes: among cells, a shallower one may begin after a deeper one. */
static void open_box(const struct sweep *sweep, uint32_t idx)
{
    struct rv_innermost *innermost = sweep->innermost;
    innermost->stack =
        rv_vec_reserve(innermost->stack, &innermost->capacity, innermost->n_open + 1, sizeof *innermost->stack);
    size_t at = innermost->n_open++;
    for (; at > 0 && sweep->boxes[innermost->stack[at - 1].box].depth > sweep->boxes[idx].depth; at--)
        innermost->stack[at] = innermost->stack[at - 1];
    innermost->stack[at].box = idx;
    for (; at < innermost->n_open; at++) {
        uint16_t own = sweep->boxes[innermost->stack[at].box].coverage,
                 below = at ? innermost->stack[at - 1].coverage : 0;
        innermost->stack[at].coverage = own > below ? own : below;
    }
}

void rv_innermost_find(struct rv_innermost *innermost, const struct rv_box *boxes, size_t n, rv_innermost_fn *give_part,
                       void *context)
{
    struct sweep sweep = {innermost, boxes, give_part, context};
    innermost->n_open = 0;
    innermost->now_ns = 0;
    for (uint32_t i = 0; i < n; i++) {
        run_until(&sweep, boxes[i].start_ns);
        open_box(&sweep, i);
    }
    run_until(&sweep, UINT64_MAX);
}

void rv_innermost_fini(struct rv_innermost *innermost)
{
    free(innermost->stack);
    *innermost = (struct rv_innermost){0};
}
