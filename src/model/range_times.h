/*
 * Time within a range in which a lane's thread did not run, from the lane's notes, for the innermost calls in which it
 * ended; and objects made, for those that made them. What has not ended yet is not counted.
 */
#ifndef RV_MODEL_RANGE_TIMES_H
#define RV_MODEL_RANGE_TIMES_H

#include <stdbool.h>

#include "model/lanes.h"

struct rv_range_times { /* zeroed = none; a stretch ends at the range's end at the latest */
    struct rv_state_stretch *items;
    size_t n, capacity; /* by time: the latest last */
};

/* Has the lane, whose lock is held, any? */
bool rv_range_times_has(const struct rv_lane *lane);

/* Collect those of a lane, whose lock is held: what of them is in the range and ends in [ends_ns[0], ends_ns[1]). */
void rv_range_times_begin(struct rv_range_times *times, const struct rv_lane *lane, const uint64_t range_ns[2],
                          const uint64_t ends_ns[2]);

/* Take the latest one if it is after a time; NULL: it is not. Valid until the next begin. */
const struct rv_state_stretch *rv_range_times_take(struct rv_range_times *times, uint64_t after_ns);
void rv_range_times_fini(struct rv_range_times *times);

#endif
