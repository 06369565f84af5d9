/* Paths of calls that last long, found without a visit to every call. */
#ifndef RV_MODEL_LONG_PATHS_H
#define RV_MODEL_LONG_PATHS_H

#include "model/range_walk.h"

/*
 * Give a tree the paths of the longest calls of each lane, some thousands in all, that had begun when the range was.
 * They have no times yet. Takes each lane's lock.
 *   pieces   of the range; of a lane they follow each other
 */
void rv_long_paths_add(struct rv_range_tree *tree, const struct rv_range_scope *scope,
                       const struct rv_range_piece *pieces, size_t n_pieces);

#endif
