#include "query/first_calls_job.h"

static bool is_wanted(const void *context)
{
    return rv_job_thread_is_wanted(&((const struct rv_first_calls_job *)context)->thread);
}

static void work(void *context)
{
    struct rv_first_calls_job *job = context;
    rv_first_calls_find(&job->list, &(struct rv_first_calls_params){&job->range, is_wanted, job});
}

void rv_first_calls_job_start(struct rv_first_calls_job *job, const struct rv_range_statistics_params *params)
{
    rv_first_calls_job_stop(job);
    job->range = *params;
    job->range.filter = rv_filter_hold(params->filter);
    job->is_begun = true;
    rv_job_thread_start(&job->thread, work, job);
}

void rv_first_calls_job_stop(struct rv_first_calls_job *job)
{
    rv_job_thread_stop(&job->thread);
    rv_filter_release(job->range.filter);
    rv_call_list_fini(&job->list);
    *job = (struct rv_first_calls_job){0};
}

void rv_first_calls_job_wait(struct rv_first_calls_job *job)
{
    rv_job_thread_wait(&job->thread);
}

bool rv_first_calls_job_poll(struct rv_first_calls_job *job)
{
    return rv_job_thread_poll(&job->thread, 0);
}
