#include "pipeline/job_order.h"

#include <stdlib.h>

#include "base/vec.h"

void rv_job_order_init(struct rv_job_order *order, size_t n_jobs)
{
    *order = (struct rv_job_order){.ready = rv_alloc(n_jobs, sizeof *order->ready), .n_jobs = n_jobs};
    pthread_mutex_init(&order->lock, NULL);
}

void rv_job_order_fini(struct rv_job_order *order)
{
    free(order->ready);
    pthread_mutex_destroy(&order->lock);
}

void rv_job_order_reset(struct rv_job_order *order, uint32_t entry_stack)
{
    order->n_submitted = order->n_joined = 0;
    order->exit_stack = entry_stack;
}

void rv_job_order_add(struct rv_job_order *order, struct rv_job *job)
{
    job->batch.sequence = order->n_submitted++;
    job->entry_stack = order->exit_stack;
    struct rv_block_input input = rv_job_input(job);
    order->exit_stack = rv_block_exit_stack(&input);
}

bool rv_job_order_put(struct rv_job_order *order, struct rv_job *job)
{
    pthread_mutex_lock(&order->lock);
    order->ready[job->batch.sequence % order->n_jobs] = job;
    bool is_joiner = !order->is_joining;
    order->is_joining = true;
    pthread_mutex_unlock(&order->lock);
    return is_joiner;
}

struct rv_job *rv_job_order_take(struct rv_job_order *order)
{
    pthread_mutex_lock(&order->lock);
    struct rv_job **place = &order->ready[order->n_joined % order->n_jobs];
    struct rv_job *job = *place;
    *place = NULL;
    if (job)
        order->n_joined++;
    else
        order->is_joining = false;
    pthread_mutex_unlock(&order->lock);
    return job;
}
