/* The statistics of a range of time, computed by separate threads: as many as CPUs, where there are many calls. Main
 * thread. */
#ifndef RV_QUERY_RANGE_JOB_H
#define RV_QUERY_RANGE_JOB_H

#include <stdatomic.h>
#include <stdbool.h>

#include "model/range_statistics.h"
#include "pipeline/session.h"
#include "query/job_thread.h"

/*
 * Label  Where                                                         Partner
 * RJ1    the job's thread has measured the sample                      RJ2
 * RJ2    the main thread takes it                                      RJ1
 */

struct rv_range_result { /* of a complete range; zeroed = none */
    struct rv_range_statistics *range;
    struct rv_stats_row *rows; /* of all subroutines */
    size_t n_rows;
};

void rv_range_result_fini(struct rv_range_result *result);

struct rv_range_job { /* zeroed = none; must not move while running */
    struct rv_range_statistics *range;
    struct rv_session *session; /* NULL: none */
    bool is_one_thread;         /* set before it is started; else as many as CPUs, 8 at most */
    uint64_t n_calls_sampled;   /* set before it is started: so many are measured first; 0: none */
    struct rv_stats_row *rows;  /* once done: of all subroutines */
    size_t n_rows;
    struct rv_range_result sample; /* the job's, until has_sample; then until it is taken */
    atomic_bool has_sample;
    struct rv_job_thread thread;
};

/* Stop a previous job and start. session: reads blocks that are not loaded, and must outlive the job; NULL: none. */
void rv_range_job_start(struct rv_range_job *job, const struct rv_range_statistics_params *params,
                        struct rv_session *session);
void rv_range_job_stop(struct rv_range_job *job);

void rv_range_job_wait(struct rv_range_job *job); /* until it is done */

/*
 * What a sample of the calls gives, for rv_range_result_fini(); none where there is not yet one, where it has been
 * taken, or where the sample would be a large part of all calls.
 */
struct rv_range_result rv_range_job_take_sample(struct rv_range_job *job);

/* Has it progressed since the last call? */
bool rv_range_job_poll(struct rv_range_job *job);

/* Is the range's result complete? */
static inline bool rv_range_job_is_done(const struct rv_range_job *job)
{
    return job->range && !job->thread.is_running;
}

#endif
