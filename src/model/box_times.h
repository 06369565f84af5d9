/* How long the boxes of a lane are in a window, and from which caller each takes its time. Pure. */
#ifndef RV_MODEL_BOX_TIMES_H
#define RV_MODEL_BOX_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/timeline.h"

struct rv_box_times { /* zeroed = ready; scratch only: the latest box of each depth */
    const struct rv_box **latest;
    size_t n_depths;
};

/*
 *   caller      the latest box one row above, unless it is over; NULL: none
 *   visible_ns  time of the box in the window, of a cell its covered part
 */
typedef void rv_box_times_fn(void *context, const struct rv_box *box, const struct rv_box *caller, double visible_ns);

/* Give all boxes of a lane, which are sorted by start. */
void rv_box_times_find(struct rv_box_times *times, const struct rv_box *boxes, size_t n, const uint64_t window_ns[2],
                       rv_box_times_fn *give, void *context);

void rv_box_times_fini(struct rv_box_times *times);

#endif
