/* A range being measured while the window goes on, by one worker. Main thread. */
#ifndef RV_QUERY_RECORDED_RANGE_H
#define RV_QUERY_RECORDED_RANGE_H

#include <stdbool.h>

#include "query/job_thread.h"
#include "model/range.h"
#include "pipeline/session.h"

struct rv_measure { /* zeroed = nothing is measured; does not move while it runs */
    struct rv_range *range;
    uint64_t version; /* other range, other version */
    struct rv_session *session;
    uint64_t from_ns, to_ns;
    struct rv_survey *survey; /* the worker's: of the lane that it is in, if calls of it have to be read */
    struct rv_worker worker;
};

/* Stops what ran before. What the lanes have in sum is read from the session, which outlives that; NULL: nothing is. */
void rv_measure_start(struct rv_measure *measure, const struct rv_range_params *params, struct rv_session *session);
void rv_measure_stop(struct rv_measure *measure);

void rv_measure_wait(struct rv_measure *measure); /* until it is done */

/* Has it got on since it was last asked? */
bool rv_measure_poll(struct rv_measure *measure);

/* Can the range be read? */
static inline bool rv_measure_is_done(const struct rv_measure *measure)
{
    return measure->range && !measure->worker.is_running;
}

#endif
