/*
 * A view reduced to its innermost calls, one row per lane: what each lane executed at each time. Pure.
 *
 * Parts too short to draw are folded: those that begin in the same column of time become one cell of the majority call,
 * with the number of calls and the share of the column that they cover.
 */
#ifndef RV_MODEL_LEAF_VIEW_H
#define RV_MODEL_LEAF_VIEW_H

#include "model/innermost.h"
#include "model/view.h"

struct rv_leaf_view {    /* zeroed = empty */
    struct rv_view view; /* reduced lanes: boxes at depth 0 that overlap only where cells of one depth do; notes are
                            borrowed from the whole view */
    uint32_t *sources;   /* for each box, its box in the whole view; for a cell, the majority's */
    size_t sources_capacity;
    struct rv_innermost innermost; /* scratch */
};

/*
 * Reduce all lanes, or only those that are shown as one row, and copy the others. `whole` has its boxes sorted by start
 * within each lane. A call is visible wherever none of its callees is; a cell counts as open for its whole width. The
 * result borrows the whole view's notes. O(boxes).
 *   pixel_ns  shorter parts are folded, in columns of the next power of two ns, which stay in place while
 * the window moves; 0 = no folding
 */
void rv_leaf_view_update(struct rv_leaf_view *leaves, const struct rv_view *whole, bool has_all, uint64_t pixel_ns);

/* Is any lane of the view shown as one row? */
bool rv_leaf_view_has_row(const struct rv_view *whole);
void rv_leaf_view_fini(struct rv_leaf_view *leaves);

#endif
