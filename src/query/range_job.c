#include "query/range_job.h"

#include <stdlib.h>

#include "base/os.h"
#include "pipeline/range_reader.h"

#define CALLS_PER_STEP 4096u
enum { MOST_THREADS = 8 }; /* more would wait for each other where parts are added */

/* One of the threads that measure: each has its own share. */
struct reader {
    const struct rv_range_job *job;
    pthread_t thread;
    bool has_thread, is_done;
};

static void *read_share(void *context)
{
    struct reader *reader = context;
    const struct rv_range_job *job = reader->job;
    struct rv_range_reader share;
    rv_range_reader_init(&share, job->range, job->session);
    while (!reader->is_done && rv_job_thread_is_wanted(&job->thread))
        reader->is_done = rv_range_reader_step(&share, CALLS_PER_STEP, RV_JOB_THREAD_WAIT_NS);
    rv_range_reader_fini(&share);
    return NULL;
}

static size_t n_threads(const struct rv_range_job *job)
{
    const size_t n_parts = rv_range_statistics_n_parts(job->range), n_cpus = rv_os_n_cpus();
    const size_t n = n_parts < n_cpus ? n_parts : n_cpus;
    const size_t most = job->most_threads ? job->most_threads : MOST_THREADS;
    return n < most ? n : most;
}

static void work(void *context)
{
    struct rv_range_job *job = context;
    struct reader readers[MOST_THREADS];
    const size_t n = n_threads(job);
    for (size_t i = 0; i < n; i++)
        readers[i] = (struct reader){.job = job};
    for (size_t i = 1; i < n; i++)
        readers[i].has_thread = pthread_create(&readers[i].thread, NULL, read_share, &readers[i]) == 0;
    (void)read_share(&readers[0]); /* without another thread, all of it */
    bool is_done = readers[0].is_done;
    for (size_t i = 1; i < n; i++)
        if (readers[i].has_thread) {
            (void)pthread_join(readers[i].thread, NULL);
            is_done &= readers[i].is_done;
        }
    if (is_done)
        job->rows = rv_stats_take_rows(rv_range_statistics_stats(job->range), &job->n_rows);
}

void rv_range_job_start(struct rv_range_job *job, const struct rv_range_statistics_params *params,
                        struct rv_session *session)
{
    rv_range_job_stop(job);
    job->range = rv_range_statistics_create(params);
    job->session = session;
    rv_job_thread_start(&job->thread, work, job);
}

void rv_range_job_stop(struct rv_range_job *job)
{
    rv_job_thread_stop(&job->thread);
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

bool rv_range_job_poll(struct rv_range_job *job)
{
    return job->range && rv_job_thread_poll(&job->thread, (unsigned)(100.0 * rv_range_statistics_progress(job->range)));
}
