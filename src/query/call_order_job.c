#include "query/call_order_job.h"

#include <stdlib.h>

#include "base/vec.h"

static void work(void *context)
{
    struct rv_call_order_job *job = context;
    job->order = rv_call_list_take_order(job->list, job->column, job->is_descending, job->thread_ranks);
}

static uint32_t *take_thread_ranks(const struct rv_lanes *lanes)
{
    size_t n;
    struct rv_lane **by_thread = rv_lanes_take_by_thread(lanes, &n);
    uint32_t *ranks = rv_alloc(n, sizeof *ranks);
    for (size_t i = 0; i < n; i++)
        ranks[by_thread[i]->idx] = (uint32_t)i;
    free(by_thread);
    return ranks;
}

void rv_call_order_job_start(struct rv_call_order_job *job, const struct rv_call_list *list,
                             const struct rv_lanes *lanes, enum rv_call_column column, bool is_descending)
{
    rv_call_order_job_stop(job);
    job->list = list;
    job->column = column;
    job->is_descending = is_descending;
    job->thread_ranks = take_thread_ranks(lanes);
    rv_job_thread_start(&job->thread, work, job);
}

void rv_call_order_job_stop(struct rv_call_order_job *job)
{
    rv_job_thread_stop(&job->thread);
    free(job->thread_ranks);
    free(job->order);
    job->thread_ranks = job->order = NULL;
}

uint32_t *rv_call_order_job_take(struct rv_call_order_job *job)
{
    (void)rv_job_thread_poll(&job->thread, 0);
    if (job->thread.is_running)
        return NULL;
    uint32_t *order = job->order;
    job->order = NULL;
    return order;
}
