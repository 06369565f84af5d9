/* How long the boxes of a lane are in a window, and from which caller each takes its time. Pure. */
#ifndef RV_MODEL_BOX_TIMES_H
#define RV_MODEL_BOX_TIMES_H

#include "model/box.h"
#include <stddef.h>
#include <stdint.h>


struct rv_box_times { /* zeroed = ready; scratch only: the latest box of each depth */
    const struct rv_box **latest;
    size_t n_depths;
};

/*
 *   caller      the latest box one row above, unless it is over; NULL: none
 *   visible_ns  time of the box in the window, of a cell its covered part
 */
typedef void rv_box_times_fn(void *context, const struct rv_box *box, const struct rv_box *caller, double visible_ns);

/* Forget the lane before. */
void rv_box_times_begin(struct rv_box_times *times);

/* Make room for this depth. */
void rv_box_times_deepen(struct rv_box_times *times, uint32_t depth);

void rv_box_times_fini(struct rv_box_times *times);

static inline double rv_box_times_visible_ns(const struct rv_box *box, const uint64_t window_ns[2])
{
    const uint64_t end_ns = rv_box_end_ns(box);
    const uint64_t from_ns = box->start_ns > window_ns[0] ? box->start_ns : window_ns[0];
    const uint64_t to_ns = end_ns < window_ns[1] ? end_ns : window_ns[1];
    const double visible_ns = to_ns > from_ns ? (double)(to_ns - from_ns) : 0.0;
    return box->coverage == RV_BOX_EXACT ? visible_ns : visible_ns * box->coverage / RV_BOX_EXACT;
}

/* Give all boxes of a lane, which are sorted by start. Here, so that what is done with a box is compiled into the
 * loop. */
__attribute__((always_inline)) static inline void rv_box_times_find(struct rv_box_times *times,
                                                                    const struct rv_box *boxes, size_t n,
                                                                    const uint64_t window_ns[2], rv_box_times_fn *give,
                                                                    void *context)
{
    rv_box_times_begin(times);
    for (size_t i = 0; i < n; i++) {
        const struct rv_box *box = &boxes[i];
        if (box->depth >= times->n_depths)
            rv_box_times_deepen(times, box->depth);
        const struct rv_box **place = &times->latest[box->depth];
        *place = box;
        const struct rv_box *caller = box->depth ? place[-1] : NULL;
        give(context, box, caller && rv_box_end_ns(caller) > box->start_ns ? caller : NULL,
             rv_box_times_visible_ns(box, window_ns));
    }
}

#endif
