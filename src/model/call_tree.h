/*
 * Trees made of the paths of a range: from the bottom up, and the callers and callees of one subroutine. They have the
 * nodes of rv_range_statistics_nodes(); node 0 is the root. One thread at a time.
 */
#ifndef RV_MODEL_CALL_TREE_H
#define RV_MODEL_CALL_TREE_H

#include "model/range_statistics.h"

enum rv_call_tree_kind {
    RV_CALL_TREE_TOP_DOWN,  /* the paths as they are */
    RV_CALL_TREE_BOTTOM_UP, /* own times: subroutines, in them their callers */
    RV_CALL_TREE_CALLERS,   /* of one subroutine: in it its callers, with the time that it took for them */
    RV_CALL_TREE_CALLEES,   /* of one subroutine: in it what it called */
    RV_CALL_TREE_KINDS
};

struct rv_call_tree { /* zeroed = empty */
    struct rv_range_node *nodes;
    size_t n;
};

/*
 * Make a tree; at most RV_RANGE_MOST_NODES, what is deeper counts as its caller's: of callers, those that are fewest
 * calls away have nodes first. O(paths), times depth for callers.
 * Of a recursion, the outermost activation has the total, and calls and own times are those of all.
 *   id  the subroutine, of the last two kinds
 */
void rv_call_tree_make(struct rv_call_tree *tree, enum rv_call_tree_kind kind, uint32_t id,
                       const struct rv_range_node *paths, size_t n_paths);
void rv_call_tree_fini(struct rv_call_tree *tree);

#endif
