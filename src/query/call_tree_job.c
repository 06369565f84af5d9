#include "query/call_tree_job.h"

static void work(void *context)
{
    struct rv_call_tree_job *job = context;
    size_t n;
    const struct rv_range_node *paths = rv_range_statistics_nodes(job->range, &n);
    rv_call_tree_make(&job->tree, job->kind, job->id, paths, n);
}

void rv_call_tree_job_start(struct rv_call_tree_job *job, const struct rv_range_statistics *range,
                            enum rv_call_tree_kind kind, uint32_t id)
{
    rv_call_tree_job_stop(job);
    job->range = range;
    job->kind = kind;
    job->id = id;
    job->is_on = true;
    rv_job_thread_start(&job->thread, work, job);
}

void rv_call_tree_job_wait(struct rv_call_tree_job *job)
{
    rv_job_thread_wait(&job->thread);
}

void rv_call_tree_job_stop(struct rv_call_tree_job *job)
{
    rv_job_thread_stop(&job->thread);
    rv_call_tree_fini(&job->tree);
    job->is_on = false;
}

bool rv_call_tree_job_poll(struct rv_call_tree_job *job)
{
    return rv_job_thread_poll(&job->thread, 0);
}
