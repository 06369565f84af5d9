/*
 * Measures parts of ranges before anybody asks for them, a few at a time: those that no call is added to any more. A
 * range that is measured later takes them from the memory. Main thread.
 */
#ifndef RV_QUERY_RANGE_AHEAD_H
#define RV_QUERY_RANGE_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "query/range_job.h"

struct rv_range_ahead { /* zeroed = nothing measured yet; must not move while running */
    struct rv_range_job job;
    uint64_t begun_ns, next_ns; /* by the clock: when the last parts were begun, when the next may be */
};

/*
 * Go on, if it is time: at most half of one CPU's time goes there, all CPUs' once the capture is over.
 *   params   of the range whose parts are wanted, without a filter; what it needs outlives this
 *   session  as rv_range_job_start()
 */
void rv_range_ahead_advance(struct rv_range_ahead *ahead, const struct rv_range_statistics_params *params,
                            struct rv_session *session, bool is_over);

/* Stop; parts that were begun are lost. */
void rv_range_ahead_stop(struct rv_range_ahead *ahead);

#endif
