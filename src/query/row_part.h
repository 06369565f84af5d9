/*
 * A stretch of a thread's lane, from a depth on, as a row of a view of calls or tasks shows it: calls that reach beyond it
 * are clipped. Its boxes go through the view's scratch.
 */
#ifndef RV_QUERY_ROW_PART_H
#define RV_QUERY_ROW_PART_H

#include "model/lanes.h"
#include "model/view.h"

struct rv_row_part {
    const struct rv_lane *lane;         /* locked by who calls */
    const struct rv_timeline *timeline; /* of the lane, or of calls that it has not */
    uint64_t from_ns, to_ns;            /* in the lane */
    uint64_t shown_ns[2];               /* of that, what the view's window shows */
    uint32_t least_depth;               /* calls of less depth are not of it */
    size_t budget;                      /* boxes, at the finest level that fits and is fine enough for the view */
};

/* What of it is shown where times are shift_ns less. False: nothing. */
bool rv_row_part_show(struct rv_row_part *part, const struct rv_view *view, uint64_t shift_ns);

/* Put its boxes, as they are in the lane, behind n that are in the scratch. Returns how many there are then. */
size_t rv_row_part_take(const struct rv_row_part *part, struct rv_view *view, size_t n, uint32_t *level);

/* Append to the view when its thread was off the CPU, shift_ns earlier. */
void rv_row_part_add_notes(const struct rv_row_part *part, struct rv_view *view, uint64_t shift_ns, uint64_t near_ns);

#endif
