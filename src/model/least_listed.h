/* Which calls need not be kept for a list (model/call_list.h), known before its calls are visited. */
#ifndef RV_MODEL_LEAST_LISTED_H
#define RV_MODEL_LEAST_LISTED_H

#include "model/range_walk.h"

/*
 * A duration that at least RV_CALL_LIST_MOST calls of a list have: shorter ones are not among the longest. Reads a
 * million records at most, from the longest durations of all subroutines down. Takes each lane's lock, for thousands of
 * records at a time.
 *   pieces   of a range of lists, the longest first; of a lane they follow each other
 *   returns  0: not so many were found
 */
uint64_t rv_least_listed_ns(const struct rv_range_scope *scope, const struct rv_range_piece *pieces, size_t n_pieces);

#endif
