/*
 * What ran when a critical path was on its thread: times of subroutines, of the calls of the threads on it; and own
 * times of all threads, by which savings are measured. Calls of a thread are read in one piece or in several, on
 * several threads.
 */
#ifndef RV_EXPORT_CRITICAL_PATH_TIMES_H
#define RV_EXPORT_CRITICAL_PATH_TIMES_H

#include "export/critical_path_cuts.h"
#include "export/critical_path_sums.h"
#include "export/lane_calls.h"
#include "export/recorded_folds.h"
#include "export/savings.h"
#include "model/lit_path.h"

struct rv_critical_path_times_params { /* what they point to outlives it */
    const struct rv_lit_path *lit;
    const uint32_t *as_id; /* of each subroutine: the one that it is counted as */
    uint32_t n_ids;
    uint64_t from_ns, to_ns;               /* of the path */
    struct rv_savings *savings;            /* NULL: they are not measured */
    struct rv_critical_path_sums *sums;    /* what is kept of pieces, and is to be; NULL: nothing */
    const struct rv_recorded_folds *folds; /* NULL: none */
    /* Told how much of the thread that is added was read, from 0 to 1. May be NULL. */
    void (*tell)(void *teller, double done);
    void *teller;
};

struct rv_critical_path_times; /* opaque */

struct rv_critical_path_times *rv_critical_path_times_create(const struct rv_critical_path_times_params *params);
void rv_critical_path_times_destroy(struct rv_critical_path_times *times); /* NULL-safe */

/* Add a thread, once, by the calls of the lane of its own stack. 0, or a negative errno with one line printed. */
int rv_critical_path_times_add(struct rv_critical_path_times *times, const struct rv_lane_calls *calls,
                               const struct rv_lane *lane, uint32_t thread);

/* Of each subroutine; those counted as others have none. */
const struct rv_critical_path_time *rv_critical_path_times_all(const struct rv_critical_path_times *times);

#endif
