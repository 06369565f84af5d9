/* The statistics of a range of time, made by a thread of its own while the window goes on. Main thread. */
#ifndef RV_QUERY_RECORDED_RANGE_H
#define RV_QUERY_RECORDED_RANGE_H

#include <stdbool.h>

#include "query/job_thread.h"
#include "model/range.h"
#include "pipeline/session.h"

struct rv_recorded_range { /* zeroed = nothing is measured; does not move while it runs */
    struct rv_range *range;
    uint64_t version; /* other range, other version */
    struct rv_session *session;
    uint64_t from_ns, to_ns;
    struct rv_block_reader *block_reader; /* the worker's: of the lane that it is in, if calls of it have to be read */
    struct rv_job_thread worker;
};

/* Stops what ran before. What the lanes have summarized is read from the session, which outlives that; NULL: nothing is. */
void rv_recorded_range_start(struct rv_recorded_range *measure, const struct rv_range_params *params,
                             struct rv_session *session);
void rv_recorded_range_stop(struct rv_recorded_range *measure);

void rv_recorded_range_wait(struct rv_recorded_range *measure); /* until it is done */

/* Has it got on since it was last asked? */
bool rv_recorded_range_poll(struct rv_recorded_range *measure);

/* Can the range be read? */
static inline bool rv_recorded_range_is_done(const struct rv_recorded_range *measure)
{
    return measure->range && !measure->worker.is_running;
}

#endif
