#include "pipeline/batch_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"

static const uint64_t BORROW_WAIT_NS = 10000000;
enum { N_SHORT = 32 };

static bool is_long(const struct rv_batch_pool *jobs, const struct rv_job *job)
{
    return (size_t)(job - jobs->all) < jobs->n_long;
}

/* Under the lock. */
static void put(struct rv_batch_pool *jobs, struct rv_job *job)
{
    if (is_long(jobs, job))
        jobs->free[jobs->n_free++] = job;
    else
        jobs->free_short[jobs->n_free_short++] = job;
}

void rv_batch_pool_init(struct rv_batch_pool *jobs, size_t n_long)
{
    const size_t n = n_long + N_SHORT;
    *jobs = (struct rv_batch_pool){.all = rv_alloc(n, sizeof *jobs->all),
                                   .n = n,
                                   .n_long = n_long,
                                   .free = rv_alloc(n_long, sizeof(struct rv_job *)),
                                   .free_short = rv_alloc(N_SHORT, sizeof(struct rv_job *)),
                                   .blocks = rv_alloc(n, sizeof(struct rv_block *))};
    pthread_mutex_init(&jobs->lock, NULL);
    rv_os_init_condition(&jobs->has_free);
    for (struct rv_job *job = jobs->all; job < jobs->all + n; job++)
        put(jobs, job);
    for (size_t i = 0; i < n_long; i++)
        rv_batch_init(&jobs->all[i].batch, RV_BATCH_EVENTS);
    /* The first one borrowed has its pages already: the first events after the start are shown sooner. */
    memset(jobs->free[n_long - 1]->batch.events, 0, RV_BATCH_EVENTS * sizeof(struct rv_event));
}

void rv_batch_pool_fini(struct rv_batch_pool *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        rv_batch_fini(&jobs->all[i].batch);
        rv_block_destroy(jobs->all[i].block);
    }
    for (size_t i = 0; i < jobs->n_blocks; i++)
        rv_block_destroy(jobs->blocks[i]);
    pthread_cond_destroy(&jobs->has_free);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs->all);
    free(jobs->free);
    free(jobs->free_short);
    free(jobs->blocks);
    *jobs = (struct rv_batch_pool){.all = NULL};
}

/* Who waits goes on with several: a wake-up for each would take longer than what a small one holds. */
static bool is_worth_waking(const struct rv_batch_pool *jobs)
{
    return 2 * jobs->n_free >= jobs->n_long;
}

struct rv_job *rv_batch_pool_borrow(struct rv_batch_pool *jobs)
{
    struct rv_job *job = NULL;
    pthread_mutex_lock(&jobs->lock);
    if (jobs->n_free == 0) {
        uint64_t end_ns = rv_clock_mono_ns() + BORROW_WAIT_NS;
        while (!is_worth_waking(jobs) && rv_os_wait_until(&jobs->has_free, &jobs->lock, end_ns))
            ;
    }
    if (jobs->n_free > 0)
        job = jobs->free[--jobs->n_free];
    pthread_mutex_unlock(&jobs->lock);
    return job;
}

void rv_batch_pool_release(struct rv_batch_pool *jobs, struct rv_job *job)
{
    job->batch.n = job->batch.n_specials = 0;
    job->closes_stream = job->batch.is_open = job->batch.is_retold = false;
    pthread_mutex_lock(&jobs->lock);
    if (job->block)
        jobs->blocks[jobs->n_blocks++] = job->block;
    job->block = NULL;
    put(jobs, job);
    bool is_enough = is_worth_waking(jobs);
    pthread_mutex_unlock(&jobs->lock);
    if (is_enough)
        pthread_cond_signal(&jobs->has_free);
}

struct rv_job *rv_batch_pool_shorten(struct rv_batch_pool *jobs, struct rv_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    struct rv_job *little = jobs->n_free_short > 0 ? jobs->free_short[--jobs->n_free_short] : NULL;
    pthread_mutex_unlock(&jobs->lock);
    if (!little)
        return job;
    if (!little->batch.events) /* few of them are ever used at once */
        rv_batch_init(&little->batch, RV_BATCH_POOL_SHORT);
    rv_batch_copy(&little->batch, &job->batch);
    little->closes_stream = job->closes_stream;
    little->end_ns = job->end_ns;
    rv_batch_pool_release(jobs, job);
    return little;
}

void rv_batch_pool_give_block(struct rv_batch_pool *jobs, struct rv_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    job->block = jobs->n_blocks ? jobs->blocks[--jobs->n_blocks] : NULL;
    pthread_mutex_unlock(&jobs->lock);
    if (!job->block)
        job->block = rv_block_create(RV_BATCH_EVENTS);
}

struct rv_block_input rv_job_input(const struct rv_job *job)
{
    return (struct rv_block_input){.events = job->batch.events,
                                   .n = job->batch.n,
                                   .specials = job->batch.specials,
                                   .n_specials = job->batch.n_specials,
                                   .base_ns = job->batch.base_ns,
                                   .entry_stack = job->entry_stack};
}
