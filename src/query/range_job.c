#include "query/range_job.h"

#include <stdlib.h>

#include "base/os.h"
#include "pipeline/range_reader.h"

#define CALLS_PER_STEP 4096u
#define SAMPLED_MOST 0.25  /* of all calls: then all are measured soon */
enum { MOST_THREADS = 8 }; /* more would wait for each other where parts are added */

void rv_range_result_fini(struct rv_range_result *result)
{
    rv_range_statistics_destroy(result->range);
    free(result->rows);
    *result = (struct rv_range_result){0};
}

/* One of the threads that measure: each has its own share. */
struct reader {
    const struct rv_range_job *job;
    struct rv_range_statistics *range;
    pthread_t thread;
    bool has_thread, is_done;
};

static void *read_share(void *context)
{
    struct reader *reader = context;
    const struct rv_range_job *job = reader->job;
    struct rv_range_reader share;
    rv_range_reader_init(&share, reader->range, job->session);
    while (!reader->is_done && rv_job_thread_is_wanted(&job->thread))
        reader->is_done = rv_range_reader_step(&share, CALLS_PER_STEP, RV_JOB_THREAD_WAIT_NS);
    rv_range_reader_fini(&share);
    return NULL;
}

static size_t n_threads(const struct rv_range_job *job, struct rv_range_statistics *range)
{
    const size_t n_parts = rv_range_statistics_n_parts(range), n_cpus = rv_os_n_cpus();
    const size_t n = n_parts < n_cpus ? n_parts : n_cpus;
    const size_t most = job->is_one_thread ? 1 : MOST_THREADS;
    return n < most ? n : most;
}

/* Returns whether it is complete: else the job is not wanted any more. */
static bool measure(const struct rv_range_job *job, struct rv_range_statistics *range)
{
    struct reader readers[MOST_THREADS];
    const size_t n = n_threads(job, range);
    for (size_t i = 0; i < n; i++)
        readers[i] = (struct reader){.job = job, .range = range};
    for (size_t i = 1; i < n; i++)
        readers[i].has_thread = pthread_create(&readers[i].thread, NULL, read_share, &readers[i]) == 0;
    (void)read_share(&readers[0]); /* without another thread, all of it */
    bool is_done = readers[0].is_done;
    for (size_t i = 1; i < n; i++)
        if (readers[i].has_thread) {
            (void)pthread_join(readers[i].thread, NULL);
            is_done &= readers[i].is_done;
        }
    return is_done;
}

static void measure_sample(struct rv_range_job *job)
{
    struct rv_range_result *sample = &job->sample;
    (void)rv_range_statistics_n_parts(sample->range); /* begins it */
    const double sampled = rv_range_statistics_sampled(sample->range);
    if (sampled == 0.0 || sampled > SAMPLED_MOST || !measure(job, sample->range))
        return;
    sample->rows = rv_stats_take_rows(rv_range_statistics_stats(sample->range), &sample->n_rows);
    atomic_store_explicit(&job->has_sample, true, memory_order_release); /* RJ1 -> RJ2 */
}

static void work(void *context)
{
    struct rv_range_job *job = context;
    if (job->sample.range)
        measure_sample(job);
    if (measure(job, job->range))
        job->rows = rv_stats_take_rows(rv_range_statistics_stats(job->range), &job->n_rows);
}

void rv_range_job_start(struct rv_range_job *job, const struct rv_range_statistics_params *params,
                        struct rv_session *session)
{
    rv_range_job_stop(job);
    job->range = rv_range_statistics_create(params);
    job->session = session;
    if (job->n_calls_sampled) {
        struct rv_range_statistics_params few = *params;
        few.n_calls_sampled = job->n_calls_sampled;
        job->sample.range = rv_range_statistics_create(&few);
    }
    rv_job_thread_start(&job->thread, work, job);
}

void rv_range_job_stop(struct rv_range_job *job)
{
    rv_job_thread_stop(&job->thread);
    rv_range_result_fini(&job->sample);
    atomic_store_explicit(&job->has_sample, false, memory_order_relaxed);
    rv_range_statistics_destroy(job->range);
    free(job->rows);
    job->range = NULL;
    job->rows = NULL;
    job->n_rows = 0;
}

void rv_range_job_wait(struct rv_range_job *job)
{
    rv_job_thread_wait(&job->thread);
}

struct rv_range_result rv_range_job_take_sample(struct rv_range_job *job)
{
    struct rv_range_result sample = {0};
    if (!atomic_load_explicit(&job->has_sample, memory_order_acquire)) /* RJ2 <- RJ1 */
        return sample;
    sample = job->sample;
    job->sample = (struct rv_range_result){0};
    atomic_store_explicit(&job->has_sample, false, memory_order_relaxed);
    return sample;
}

bool rv_range_job_poll(struct rv_range_job *job)
{
    return job->range && rv_job_thread_poll(&job->thread, (unsigned)(100.0 * rv_range_statistics_progress(job->range)));
}
