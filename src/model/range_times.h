/*
 * Time within a range in which a lane's thread did not run, from the lane's notes, for the innermost calls in which it
 * ended; and objects made, for those that made them. What has not ended yet is not counted.
 */
#ifndef RV_MODEL_RANGE_TIMES_H
#define RV_MODEL_RANGE_TIMES_H

#include <stdbool.h>

#include "model/lanes.h"

struct rv_range_times {               /* zeroed = none; a stretch ends at the range's end at the latest */
    struct rv_state_stretch *items;   /* of notes */
    size_t n, capacity;               /* by time: the latest last */
    struct rv_made_objects_sum *sums; /* the latest that are not taken yet, some thousands at most */
    size_t n_sums;
    uint64_t n_before;             /* objects made before those, */
    bool has_more;                 /* of which some are still to be read, */
    uint64_t objects_from_ns;      /* from here on */
    bool lacks_objects;            /* the lane has dropped some before they were read */
    struct rv_state_stretch taken; /* of a sum */
};

/*
 * Collect those of a lane, whose lock is held: what of them is in the range and ends in [ends_ns[0], ends_ns[1]).
 * Objects are read by and by.
 *   returns  whether there are any
 */
bool rv_range_times_begin(struct rv_range_times *times, const struct rv_lane *lane, const uint64_t range_ns[2],
                          const uint64_t ends_ns[2]);

/* Collect them without objects; and a hash of those that end in [ends_ns[0], ends_ns[1]). */
void rv_range_times_begin_states(struct rv_range_times *times, const struct rv_lane *lane, const uint64_t range_ns[2]);
uint64_t rv_range_times_hash_states(const struct rv_range_times *times, const uint64_t ends_ns[2]);

/*
 * Take the latest one if it is after a time.
 *   lane     the same; its lock, which is not held unless all are before the time, is taken now and then
 *   returns  NULL: none is; valid until the next take
 */
const struct rv_state_stretch *rv_range_times_take(struct rv_range_times *times, struct rv_lane *lane,
                                                   uint64_t after_ns);
void rv_range_times_fini(struct rv_range_times *times);

#endif
