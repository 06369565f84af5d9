/* Collects the calls that waited, in a thread of its own: of all waits, in memory and loaded. Main thread. */
#ifndef RV_QUERY_WAITED_JOB_H
#define RV_QUERY_WAITED_JOB_H

#include "model/waited_calls.h"
#include "query/job_thread.h"
#include "waits/waits.h"

#define RV_WAITED_JOB_MOST ((size_t)1 << 22) /* waits; later ones are left out */

struct rv_waited_job { /* zeroed = none; must not move while running */
    struct rv_job_thread thread;
    struct rv_waits *waits;               /* the job's, until it is done */
    const struct rv_waited_calls *made;   /* by the job; held */
    const struct rv_waited_calls *waited; /* held; NULL: not known yet */
    size_t n_made, n_waits;               /* number of waits then */
    bool is_partial, is_made_partial;     /* some were left out, or could not be read */
    uint64_t cost_ns, ended_ns;
};

/*
 * Begin to collect them, where there are others than before, and take what was collected.
 *   waits    NULL: none
 *   is_whole wait until all are
 *   returns  whether all waits so far are in job->waited
 */
bool rv_waited_job_update(struct rv_waited_job *job, struct rv_waits *waits, bool is_whole);
void rv_waited_job_stop(struct rv_waited_job *job);

#endif
