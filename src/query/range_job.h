/* The statistics of a range of time, made by a thread of its own while the window goes on. Main thread. */
#ifndef RV_QUERY_RANGE_JOB_H
#define RV_QUERY_RANGE_JOB_H

#include <stdbool.h>

#include "query/job_thread.h"
#include "model/range.h"
#include "pipeline/session.h"

struct rv_range_job { /* zeroed = nothing is measured; does not move while it runs */
    struct rv_range *range;
    uint64_t version; /* other range, other version */
    struct rv_session *session;
    uint64_t from_ns, to_ns;
    struct rv_span_reader *reader; /* the thread's: of the lane that it is in, if calls of it have to be read */
    struct rv_job_thread thread;
};

/* Stops what ran before. What the lanes have summarized is read from the session, which outlives that; NULL: nothing is. */
void rv_range_job_start(struct rv_range_job *job, const struct rv_range_params *params, struct rv_session *session);
void rv_range_job_stop(struct rv_range_job *job);

void rv_range_job_wait(struct rv_range_job *job); /* until it is done */

/* Has it got on since it was last asked? */
bool rv_range_job_poll(struct rv_range_job *job);

/* Can the range be read? */
static inline bool rv_range_job_is_done(const struct rv_range_job *job)
{
    return job->range && !job->thread.is_running;
}

#endif
