#include "query/range_ahead.h"

#include "base/clock.h"

#define PARTS 4u             /* at a time: some 30 ms */
#define PARTS_OVER 64u       /* once the capture is over: without a pause, but for the next picture */
#define PAUSE_TIMES 1u       /* the time that they took */
#define PAUSE_NS 1000000000u /* when there are none */

void rv_range_ahead_stop(struct rv_range_ahead *ahead)
{
    rv_range_job_stop(&ahead->job);
}

static void end(struct rv_range_ahead *ahead, uint64_t now_ns, bool is_over)
{
    const uint64_t pause_ns = is_over ? 0 : PAUSE_TIMES * (now_ns - ahead->begun_ns);
    const bool has_all = rv_range_statistics_has_all_beforehand(ahead->job.range);
    ahead->next_ns = now_ns + (has_all && pause_ns < PAUSE_NS ? PAUSE_NS : pause_ns);
    rv_range_job_stop(&ahead->job);
}

void rv_range_ahead_advance(struct rv_range_ahead *ahead, const struct rv_range_statistics_params *params,
                            struct rv_session *session, bool is_over)
{
    const uint64_t now_ns = rv_clock_mono_ns();
    (void)rv_range_job_poll(&ahead->job);
    if (rv_range_job_is_done(&ahead->job))
        end(ahead, now_ns, is_over);
    if (ahead->job.range || now_ns < ahead->next_ns)
        return;
    ahead->begun_ns = now_ns;
    struct rv_range_statistics_params few = *params;
    few.n_beforehand = is_over ? PARTS_OVER : PARTS;
    ahead->job.is_one_thread = !is_over;
    rv_range_job_start(&ahead->job, &few, session);
}
