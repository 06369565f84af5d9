#include "query/range_job.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"

enum { MOST_PARTS = 8 };
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

/* ---- parts of it, each by a thread ---- */

struct part {
    const struct rv_range_job *job;
    struct rv_range *range;
    pthread_t thread;
    bool has_thread, is_done;
};

static void *read_part(void *context)
{
    struct part *part = context;
    const struct rv_range_job *job = part->job;
    struct rv_range_reader reader = {part->range, job->session, job->from_ns, job->to_ns, NULL};
    while (!part->is_done && rv_job_thread_is_wanted(&job->thread))
        part->is_done = rv_range_reader_step(&reader, CALLS_PER_STEP, RV_JOB_THREAD_WAIT_NS);
    rv_range_reader_fini(&reader);
    return NULL;
}

/* Without a thread of its own, a part is read by this one. */
static bool read_parts(struct part *parts, size_t n)
{
    bool are_done = true;
    for (size_t i = 1; i < n; i++)
        parts[i].has_thread = pthread_create(&parts[i].thread, NULL, read_part, &parts[i]) == 0;
    for (size_t i = 0; i < n; i++) {
        if (parts[i].has_thread)
            (void)pthread_join(parts[i].thread, NULL);
        else
            (void)read_part(&parts[i]);
        are_done &= parts[i].is_done;
    }
    return are_done;
}

static size_t n_threads(void)
{
    const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return n_cpus < 1 ? 1 : n_cpus < MOST_PARTS ? (size_t)n_cpus : MOST_PARTS;
}

static void work(void *context)
{
    struct rv_range_job *job = context;
    struct rv_range *ranges[MOST_PARTS];
    struct part parts[MOST_PARTS];
    const size_t n = rv_range_split(job->range, ranges, n_threads());
    for (size_t i = 0; i < n; i++)
        parts[i] = (struct part){.job = job, .range = ranges[i]};
    if (read_parts(parts, n)) {
        rv_range_merge(ranges, n);
        make_rows(job);
        return;
    }
    for (size_t i = 1; i < n; i++)
        rv_range_destroy(ranges[i]);
}

/* ---- */

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
