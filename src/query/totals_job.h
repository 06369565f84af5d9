/*
 * The statistics of a whole capture that has ended, from what its session keeps: they are there before a range of all
 * of it can be measured, by a separate thread. Main thread.
 */
#ifndef RV_QUERY_TOTALS_JOB_H
#define RV_QUERY_TOTALS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stats.h"
#include "model/subroutines.h"
#include "pipeline/session.h"
#include "query/job_thread.h"

struct rv_totals_job { /* zeroed = none; must not move while running */
    struct rv_session *session;
    struct rv_subroutines *subroutines;
    uint64_t names_version; /* of the subroutines, as it was started */
    struct rv_stats *stats; /* once done, with ids as in the results of a range; NULL: none */
    struct rv_stats_row *rows;
    size_t n_rows;
    uint64_t self_ns; /* of all rows */
    bool is_doubtful; /* calls inside calls of subroutines of their names may count twice: a recording does not tell */
    struct rv_job_thread thread;
};

/* Stop a previous job and start. Both outlive it. */
void rv_totals_job_start(struct rv_totals_job *job, struct rv_session *session, struct rv_subroutines *subroutines);
void rv_totals_job_stop(struct rv_totals_job *job);

void rv_totals_job_wait(struct rv_totals_job *job); /* until it is done */

bool rv_totals_job_poll(struct rv_totals_job *job); /* has it ended since the last call? */

/* Has one been started, and has no name come since? */
static inline bool rv_totals_job_is_current(const struct rv_totals_job *job)
{
    return job->session && job->names_version == rv_subroutines_version(job->subroutines);
}

static inline bool rv_totals_job_is_done(const struct rv_totals_job *job)
{
    return job->session && !job->thread.is_running;
}

#endif
