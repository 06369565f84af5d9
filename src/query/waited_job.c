#include "query/waited_job.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"
#include "waits/reader.h"

#define PAUSE_NS 250000000u /* least time between two, */
#define PAUSE_COSTS 10u     /* and least multiple of what the last one took */

struct collecting {
    struct rv_waited_job *job;
    struct rv_waited *waits;
    size_t n, capacity;
};

static bool is_wanted(void *context)
{
    return rv_job_thread_is_wanted(context);
}

static bool add(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    struct collecting *collecting = context;
    (void)place;
    if (collecting->n == RV_WAITED_JOB_MOST) {
        collecting->job->is_made_partial = true;
        return false;
    }
    if (wait->call && wait->object) {
        collecting->waits =
            rv_vec_reserve(collecting->waits, &collecting->capacity, collecting->n + 1, sizeof *collecting->waits);
        collecting->waits[collecting->n++] =
            (struct rv_waited){wait->start_ns, wait->end_ns, wait->lane, wait->call, wait->object};
    }
    return rv_job_thread_is_wanted(&collecting->job->thread);
}

static void work(void *context)
{
    struct rv_waited_job *job = context;
    struct collecting collecting = {.job = job};
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    struct rv_wait_reader *reader = rv_wait_reader_open(job->waits, is_wanted, &job->thread);
    rv_wait_reader_each(reader, 0, UINT64_MAX, add, &collecting);
    job->is_made_partial |= rv_wait_reader_has_missed(reader) || rv_waits_state(job->waits).n_gone;
    rv_wait_reader_close(reader);
    job->made = rv_waited_calls_create(collecting.waits, collecting.n);
    job->cost_ns = rv_clock_thread_cpu_ns() - begin_ns;
}

static void take(struct rv_waited_job *job)
{
    if (job->thread.is_running || !job->made)
        return;
    rv_waited_calls_release(job->waited);
    job->waited = job->made;
    job->made = NULL;
    job->n_waits = job->n_made;
    job->is_partial = job->is_made_partial;
    job->ended_ns = rv_clock_mono_ns();
}

static bool is_time(const struct rv_waited_job *job, bool is_whole)
{
    return is_whole || !job->waited || rv_clock_mono_ns() - job->ended_ns >= PAUSE_NS + PAUSE_COSTS * job->cost_ns;
}

bool rv_waited_job_update(struct rv_waited_job *job, struct rv_waits *waits, bool is_whole)
{
    const size_t n_waits = waits ? rv_waits_n(waits) : 0;
    (void)rv_job_thread_poll(&job->thread, 0);
    take(job);
    if (waits && !job->thread.is_running && (!job->waited || job->n_waits != n_waits) && is_time(job, is_whole)) {
        job->waits = waits;
        job->n_made = n_waits;
        job->is_made_partial = false;
        rv_job_thread_start(&job->thread, work, job);
    }
    if (is_whole) {
        rv_job_thread_wait(&job->thread);
        take(job);
    }
    return !waits || (job->waited && job->n_waits == n_waits);
}

void rv_waited_job_stop(struct rv_waited_job *job)
{
    rv_job_thread_stop(&job->thread);
    rv_waited_calls_release(job->made);
    rv_waited_calls_release(job->waited);
    *job = (struct rv_waited_job){.waited = NULL};
}
