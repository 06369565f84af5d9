/*
 * A measured range that can be read while it is measured again: the new one takes its place when it is complete. Main
 * thread.
 */
#ifndef RV_QUERY_RANGE_RENEWAL_H
#define RV_QUERY_RANGE_RENEWAL_H

#include <stdbool.h>
#include <stdint.h>

#include "query/range_job.h"

struct rv_range_renewal { /* zeroed = nothing measured; must not move while running */
    struct rv_range_job jobs[2];
    unsigned shown;
    uint64_t n_calls_sampled;   /* set before it is started: so many are measured first; 0: none */
    bool is_one_thread;         /* set before it is started: as in struct rv_range_job */
    uint64_t begun_ns, took_ns; /* of the last start, by the clock; of the shown one */
};

/* Stop measuring anew, and start; what is shown stays. session: as rv_range_job_start(). */
void rv_range_renewal_start(struct rv_range_renewal *renewal, const struct rv_range_statistics_params *params,
                            struct rv_session *session);

/* Stop, and forget what is shown. */
void rv_range_renewal_stop(struct rv_range_renewal *renewal);

void rv_range_renewal_wait(struct rv_range_renewal *renewal); /* until nothing is being measured */

/* A sample of what is being measured: as rv_range_job_take_sample(). */
struct rv_range_result rv_range_renewal_take_sample(struct rv_range_renewal *renewal);

/* Has the measuring progressed since the last call? */
bool rv_range_renewal_poll(struct rv_range_renewal *renewal);

/* Is a complete one to take the place of the shown one? Then nobody must use that any more, and it does by _turn. */
static inline bool rv_range_renewal_is_ready(const struct rv_range_renewal *renewal)
{
    return rv_range_job_is_done(&renewal->jobs[!renewal->shown]);
}
static inline const struct rv_range_job *rv_range_renewal_next(const struct rv_range_renewal *renewal)
{
    return &renewal->jobs[!renewal->shown];
}
void rv_range_renewal_turn(struct rv_range_renewal *renewal);

/* What is shown: complete, or NULL. */
static inline const struct rv_range_job *rv_range_renewal_shown(const struct rv_range_renewal *renewal)
{
    const struct rv_range_job *job = &renewal->jobs[renewal->shown];
    return rv_range_job_is_done(job) ? job : NULL;
}

/* Is it being measured? */
static inline bool rv_range_renewal_is_on(const struct rv_range_renewal *renewal)
{
    return renewal->jobs[!renewal->shown].range;
}

/* Is nothing being measured since so many times as long as it took last, and for least_ns at the least? */
bool rv_range_renewal_has_paused(const struct rv_range_renewal *renewal, unsigned times, uint64_t least_ns);

double rv_range_renewal_progress(const struct rv_range_renewal *renewal); /* of the measuring, 0..1 */

#endif
