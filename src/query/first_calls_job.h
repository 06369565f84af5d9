/* The first calls of one subroutine in a range of time, found by a separate thread. Main thread. */
#ifndef RV_QUERY_FIRST_CALLS_JOB_H
#define RV_QUERY_FIRST_CALLS_JOB_H

#include <stdbool.h>

#include "model/first_calls.h"
#include "query/job_thread.h"

struct rv_first_calls_job {                  /* zeroed = none; must not move while running */
    struct rv_range_statistics_params range; /* its filter is held */
    struct rv_call_list list;
    bool is_begun;
    struct rv_job_thread thread;
};

/* Stop a previous job and start: see rv_first_calls_find(). The lanes and subroutines outlive it. */
void rv_first_calls_job_start(struct rv_first_calls_job *job, const struct rv_range_statistics_params *params);
void rv_first_calls_job_stop(struct rv_first_calls_job *job);

void rv_first_calls_job_wait(struct rv_first_calls_job *job); /* until it is done */

bool rv_first_calls_job_poll(struct rv_first_calls_job *job); /* has it ended since the last call? */

/* What was found, until the job is stopped; NULL: not done, or there is none. */
static inline const struct rv_call_list *rv_first_calls_job_list(const struct rv_first_calls_job *job)
{
    return job->is_begun && !job->thread.is_running && job->list.n ? &job->list : NULL;
}

#endif
