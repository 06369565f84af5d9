/*
 * A sweep over the stack of open boxes. A box that starts closes those that have ended; the top of the stack is visible
 * from when it was last covered until it ends or is covered again, unless it is a cell that the box below outweighs.
 */
#include "model/innermost.h"

#include <stdlib.h>

#include "base/vec.h"

uint32_t rv_innermost_shown(const struct rv_innermost *innermost, const struct rv_box *boxes, uint64_t until_ns)
{
    const struct rv_innermost_open *top = &innermost->stack[innermost->n_open - 1];
    for (; top > innermost->stack; top--) {
        const struct rv_box *below = &boxes[top[-1].box];
        if (2u * boxes[top->box].coverage >= below->coverage || rv_box_end_ns(below) < until_ns)
            break;
    }
    return top->box;
}

/* Among cells, a shallower one may begin after a deeper one. */
void rv_innermost_insert(struct rv_innermost *innermost, const struct rv_box *boxes, uint32_t idx)
{
    innermost->stack =
        rv_vec_reserve(innermost->stack, &innermost->capacity, innermost->n_open + 1, sizeof *innermost->stack);
    size_t at = innermost->n_open++;
    for (; at > 0 && boxes[innermost->stack[at - 1].box].depth > boxes[idx].depth; at--)
        innermost->stack[at] = innermost->stack[at - 1];
    innermost->stack[at].box = idx;
    for (; at < innermost->n_open; at++) {
        uint16_t own = boxes[innermost->stack[at].box].coverage, below = at ? innermost->stack[at - 1].coverage : 0;
        innermost->stack[at].coverage = own > below ? own : below;
    }
}

void rv_innermost_fini(struct rv_innermost *innermost)
{
    free(innermost->stack);
    *innermost = (struct rv_innermost){0};
}
