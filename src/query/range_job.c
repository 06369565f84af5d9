#include "query/range_job.h"

#include <stdlib.h>

#include "base/vec.h"

#define CALLS_PER_STEP 4096u

/* The lane's calls in the block, or NULL. */
static struct rv_timeline *take_calls(struct rv_span_part *part, uint32_t lane_idx)
{
    for (size_t i = 0; i < part->n_lanes; i++)
        if (part->lanes[i].lane_idx == lane_idx) {
            struct rv_timeline *calls = part->lanes[i].calls;
            part->lanes[i] = part->lanes[--part->n_lanes];
            return calls;
        }
    return NULL;
}

static void close_reader(struct rv_range_job *job)
{
    rv_span_reader_close(job->reader);
    job->reader = NULL;
}

/* Give the range the page that it wants, if loaded. */
static void give_page(struct rv_range_job *job)
{
    uint32_t lane_idx = rv_range_lane(job->range);
    struct rv_span_part part;
    if (!job->reader)
        job->reader = rv_session_read(job->session, &(struct rv_span_reader_params){.from_ns = job->from_ns,
                                                                                    .to_ns = job->to_ns,
                                                                                    .is_backward = true,
                                                                                    .lane_idx = &lane_idx});
    if (rv_span_reader_take(job->reader, RV_JOB_THREAD_WAIT_NS, &part) == RV_SPAN_READER_LATER)
        return;
    rv_range_give(job->range, take_calls(&part, lane_idx), rv_span_reader_edge_ns(job->reader));
    rv_span_part_fini(&part);
    if (!rv_range_wants_page(job->range))
        close_reader(job);
}

static int by_self(const void *a, const void *b)
{
    const struct rv_stats_row *x = a, *y = b;
    if (x->self_ns != y->self_ns)
        return x->self_ns > y->self_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void make_rows(struct rv_range_job *job)
{
    const struct rv_stats *stats = rv_range_stats(job->range);
    job->n_rows = rv_stats_rows(stats, NULL, 0);
    job->rows = rv_alloc(job->n_rows, sizeof *job->rows);
    (void)rv_stats_rows(stats, job->rows, job->n_rows);
    qsort(job->rows, job->n_rows, sizeof *job->rows, by_self);
}

static void work(void *context)
{
    struct rv_range_job *job = context;
    bool is_done = false;
    while (!is_done && rv_job_thread_is_wanted(&job->thread)) {
        is_done = rv_range_step(job->range, CALLS_PER_STEP);
        if (rv_range_wants_page(job->range))
            give_page(job);
    }
    close_reader(job);
    if (is_done)
        make_rows(job);
}

void rv_range_job_start(struct rv_range_job *job, const struct rv_range_params *params, struct rv_session *session)
{
    rv_range_job_stop(job);
    job->range = rv_range_create(params);
    job->session = session;
    job->from_ns = params->from_ns;
    job->to_ns = params->to_ns;
    job->version++;
    rv_job_thread_start(&job->thread, work, job);
}

void rv_range_job_stop(struct rv_range_job *job)
{
    rv_job_thread_stop(&job->thread);
    rv_range_destroy(job->range);
    free(job->rows);
    job->range = NULL;
    job->rows = NULL;
    job->n_rows = 0;
}

void rv_range_job_wait(struct rv_range_job *job)
{
    rv_job_thread_wait(&job->thread);
}

bool rv_range_job_poll(struct rv_range_job *job)
{
    return job->range && rv_job_thread_poll(&job->thread, (unsigned)(100.0 * rv_range_progress(job->range)));
}
