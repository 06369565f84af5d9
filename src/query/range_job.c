#include "query/range_job.h"

#include <stdlib.h>

#include "base/vec.h"

#define CALLS_PER_STEP 4096u

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
    while (!is_done && rv_job_thread_is_wanted(&job->thread))
        is_done = rv_range_reader_step(&job->reader, CALLS_PER_STEP, RV_JOB_THREAD_WAIT_NS);
    rv_range_reader_fini(&job->reader);
    if (is_done)
        make_rows(job);
}

void rv_range_job_start(struct rv_range_job *job, const struct rv_range_params *params, struct rv_session *session)
{
    rv_range_job_stop(job);
    job->range = rv_range_create(params);
    job->reader = (struct rv_range_reader){job->range, session, params->from_ns, params->to_ns, NULL};
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
