/*
 * A stretch of a thread's lane, from a depth on, as a row of a view of calls or tasks shows it: calls that reach beyond
 * it are clipped. Its boxes go through the view's scratch.
 */
#ifndef RV_QUERY_ROW_PART_H
#define RV_QUERY_ROW_PART_H

#include "model/lanes.h"
#include "model/view.h"

struct rv_row_part {
    const struct rv_lane *lane;         /* the caller has its lock */
    const struct rv_timeline *timeline; /* the lane's, or one of calls that the lane lacks */
    uint64_t from_ns, to_ns;            /* in the lane */
    uint64_t shown_ns[2];               /* the part of it that the view's window shows */
    uint32_t least_depth;               /* calls of less depth are left out */
    size_t budget;                      /* boxes, at the finest level that fits and is fine enough for the view */
};

/* Empty a view whose lanes will be rows. Returns the time of a pixel. */
double rv_row_part_begin(struct rv_view *view, const struct rv_view_params *params);

/* Set what is shown of the part where times are shift_ns less. False: nothing. */
bool rv_row_part_show(struct rv_row_part *part, const struct rv_view *view, uint64_t shift_ns);

/* Append the part's boxes, with the lane's times, to the n boxes in the scratch. Returns the new number. */
size_t rv_row_part_take(const struct rv_row_part *part, struct rv_view *view, size_t n, uint32_t *level);

/* Append to the view the times off the CPU of its thread, shift_ns earlier. */
void rv_row_part_add_notes(const struct rv_row_part *part, struct rv_view *view, uint64_t shift_ns, uint64_t near_ns);

#endif
