/*
 * A tree of calls as a table: of which nodes the children are shown, and the rows that there are then. Part of
 * viewer/statistics.h.
 */
#ifndef RV_VIEWER_CALL_TREE_H
#define RV_VIEWER_CALL_TREE_H

#include "query/call_tree_job.h"
#include "ui/tree_table.h"

struct rv_viewer_call_tree { /* zeroed = none */
    struct rv_call_tree_job job;
    uint64_t measured; /* version of the statistics that it is of */
    uint8_t *is_open;  /* by node */
    struct rv_tree_row *rows;
    size_t n_rows, capacity;
};

void rv_viewer_call_tree_fini(struct rv_viewer_call_tree *tree);

/* Make the tree of this kind of a range, unless it is that already. */
void rv_viewer_call_tree_want(struct rv_viewer_call_tree *tree, const struct rv_range_statistics *range,
                              uint64_t measured, enum rv_call_tree_kind kind, uint32_t id);

/* It is not wanted, or its range ends. */
void rv_viewer_call_tree_stop(struct rv_viewer_call_tree *tree);

/* Has it been completed since the last call? */
bool rv_viewer_call_tree_advance(struct rv_viewer_call_tree *tree);

/* Show the children of a node, or hide them; those of a level more, or less, of the whole tree. */
void rv_viewer_call_tree_toggle(struct rv_viewer_call_tree *tree, uint32_t node);
void rv_viewer_call_tree_open_level(struct rv_viewer_call_tree *tree, bool is_open);

#endif
