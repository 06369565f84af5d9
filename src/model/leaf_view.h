/*
 * What each lane was doing at each time: a view reduced to its innermost calls, one row a lane. Pure.
 *
 * Parts too short to be seen one by one are folded: those that begin in one column of time are one cell of the call
 * that most of it is of, with its number of calls and how much of it they cover.
 */
#ifndef RV_MODEL_LEAF_VIEW_H
#define RV_MODEL_LEAF_VIEW_H

#include "model/view.h"

struct rv_leaf_view {    /* zeroed = empty */
    struct rv_view view; /* of lanes reduced: boxes at depth 0 that do not overlap but for cells of one depth; notes are
                            the whole's */
    uint32_t *sources;   /* of each box, the box of the whole view it is a part of; of a cell, the one it shows */
    size_t sources_capacity;
    uint32_t *stack; /* scratch */
    size_t stack_capacity;
    size_t n_done; /* lanes */
};

/*
 * Reduce all lanes, or those that are to be shown as one row, and take the others as they are. Resolve a view whose
 * boxes are in order of start, lane by lane. A call is shown wherever none that it called is; a cell counts as open for
 * all of its width. The result borrows the whole view's notes. O(boxes).
 *   pixel_ns  what is shorter is folded, in columns of the power of two from there on: they stay where they are while
 * the window moves; 0 = nothing is
 */
void rv_leaf_view_update(struct rv_leaf_view *leaves, const struct rv_view *whole, bool has_all, uint64_t pixel_ns);

/*
 * The same in steps: begin, then a lane a step until there is none, with the same view and pixel_ns.
 *   returns  whether there was one
 */
void rv_leaf_view_begin(struct rv_leaf_view *leaves, const struct rv_view *whole);
bool rv_leaf_view_step(struct rv_leaf_view *leaves, const struct rv_view *whole, bool has_all, uint64_t pixel_ns);

/* Is any lane of the view to be shown as one row? */
bool rv_leaf_view_has_row(const struct rv_view *whole);
void rv_leaf_view_fini(struct rv_leaf_view *leaves);

#endif
