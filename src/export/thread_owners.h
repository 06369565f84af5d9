/* Sums of the threads of a process that belong together by their names, such as those of a Ractor. */
#ifndef RV_EXPORT_THREAD_OWNERS_H
#define RV_EXPORT_THREAD_OWNERS_H

#include "model/lanes.h"

struct rv_thread_owner {
    char name[RV_LANE_NAME_BYTES]; /* "Ractor 2" of threads "Ractor 2" and "Ractor 2: app.rb:4" */
    uint64_t process_key;
    size_t first_idx; /* of its lanes */
    uint32_t pid, n_threads;
    uint32_t max_depth;     /* of any of its threads */
    bool has_further_names; /* "Ractor 2: app.rb:4" */
    uint64_t n_events;
    struct rv_state_times times; /* without those of stacks that were left: another one of their thread ran */
};

/* Those that have threads of further names, in order of their first lane. lanes: as rv_lanes_take_by_thread() has them.
 * The caller frees the array. */
struct rv_thread_owner *rv_thread_owners_take(struct rv_lane *const *lanes, size_t n_lanes, size_t *n);

#endif
