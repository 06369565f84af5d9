/* The parts of a lane's calls in which no callee is shown: what the thread executed at each time. Pure. */
#ifndef RV_MODEL_INNERMOST_H
#define RV_MODEL_INNERMOST_H

#include <stddef.h>
#include <stdint.h>

#include "model/timeline.h"

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

/*
 * Give the parts of a lane's boxes, which are sorted by start, in order of time; none overlaps another. A cell counts as
 * open for its whole width, but shows only if it covers at least half as much as the box that it is in. O(boxes).
 */
void rv_innermost_find(struct rv_innermost *innermost, const struct rv_box *boxes, size_t n, rv_innermost_fn *give_part,
                       void *context);

void rv_innermost_fini(struct rv_innermost *innermost);

#endif
