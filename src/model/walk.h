/*
 * Exact spans of a timeline, one by one, in pieces between which the timeline may grow and lose its oldest. Under the
 * lane's lock, piece by piece.
 */
#ifndef RV_MODEL_WALK_H
#define RV_MODEL_WALK_H

#include "model/timeline.h"

/* Everything once, and what has been added since: in no order. */
struct rv_walk {                       /* zeroed = at the beginning */
    uint64_t n_done[RV_TIMELINE_LOGS]; /* records of each log that were passed */
    uint64_t n_missed;                 /* that were evicted before they were reached */
};

/* Up to max of the spans that were not given yet; fewer than max when there are no more. */
size_t rv_walk_next(struct rv_walk *walk, const struct rv_timeline *timeline, struct rv_box *out, size_t max);

/*
 * What overlaps a window, latest end first: callers before what they called. Of those that end at one instant the
 * outermost comes first; among empty spans at that instant, who called whom is a guess.
 */
struct rv_walk_back {
    uint64_t from_ns, to_ns;
    uint64_t n_left[RV_TIMELINE_LOGS]; /* records of each log that were pushed before the next one */
};

/* Begin at what is in the timeline now. from < to. */
void rv_walk_back_begin(struct rv_walk_back *walk, const struct rv_timeline *timeline, uint64_t from_ns,
                        uint64_t to_ns);

/* Up to max more; fewer than max when there are no more. */
size_t rv_walk_back_next(struct rv_walk_back *walk, const struct rv_timeline *timeline, struct rv_box *out, size_t max);

#endif
