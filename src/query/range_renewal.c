#include "query/range_renewal.h"

#include "base/clock.h"

static struct rv_range_job *next_of(struct rv_range_renewal *renewal)
{
    return &renewal->jobs[!renewal->shown];
}

void rv_range_renewal_start(struct rv_range_renewal *renewal, const struct rv_range_statistics_params *params,
                            struct rv_session *session)
{
    renewal->begun_ns = rv_clock_mono_ns();
    next_of(renewal)->n_calls_sampled = renewal->n_calls_sampled;
    next_of(renewal)->is_one_thread = renewal->is_one_thread;
    rv_range_job_start(next_of(renewal), params, session);
}

void rv_range_renewal_stop(struct rv_range_renewal *renewal)
{
    rv_range_job_stop(&renewal->jobs[0]);
    rv_range_job_stop(&renewal->jobs[1]);
}

void rv_range_renewal_wait(struct rv_range_renewal *renewal)
{
    if (rv_range_renewal_is_on(renewal))
        rv_range_job_wait(next_of(renewal));
}

struct rv_range_result rv_range_renewal_take_sample(struct rv_range_renewal *renewal)
{
    return rv_range_job_take_sample(next_of(renewal));
}

bool rv_range_renewal_poll(struct rv_range_renewal *renewal)
{
    return rv_range_job_poll(next_of(renewal));
}

void rv_range_renewal_turn(struct rv_range_renewal *renewal)
{
    rv_range_job_stop(&renewal->jobs[renewal->shown]);
    renewal->shown = !renewal->shown;
    renewal->took_ns = rv_clock_mono_ns() - renewal->begun_ns;
}

bool rv_range_renewal_has_paused(const struct rv_range_renewal *renewal, unsigned times, uint64_t least_ns)
{
    const uint64_t pause_ns = rv_clock_later_ns(times * renewal->took_ns, least_ns);
    return !rv_range_renewal_is_on(renewal) && rv_clock_mono_ns() - renewal->begun_ns >= pause_ns;
}

double rv_range_renewal_progress(const struct rv_range_renewal *renewal)
{
    const struct rv_range_job *next = &renewal->jobs[!renewal->shown];
    return next->range ? rv_range_statistics_progress(next->range) : 1.0;
}
