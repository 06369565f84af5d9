/* Jobs are borrowed and given back; short batches move to jobs with little memory. */
#include "pipeline/batch_pool.h"

#include <criterion/criterion.h>
#include <string.h>

enum { N_LONG = 3 };

static struct rv_batch_pool jobs;

static void open_pool(void)
{
    rv_batch_pool_init(&jobs, N_LONG);
}

static void close_pool(void)
{
    rv_batch_pool_fini(&jobs);
}

TestSuite(batch_pool, .init = open_pool, .fini = close_pool, .timeout = 20);

/* A borrowed job with n marks, the time of each its number. */
static struct rv_job *borrow(uint32_t n)
{
    struct rv_job *job = rv_batch_pool_borrow(&jobs);
    cr_assert_not_null(job);
    for (; job->batch.n < n; job->batch.n++)
        job->batch.events[job->batch.n] =
            (struct rv_event){.when = (uint64_t)RV_EVENT_MARK << RV_EVENT_KIND_SHIFT | job->batch.n};
    job->batch.base_ns = 0;
    rv_batch_seal(&job->batch, 0);
    return job;
}

Test(batch_pool, lends_as_many_long_jobs_as_it_has)
{
    struct rv_job *borrowed[N_LONG];
    for (unsigned i = 0; i < N_LONG; i++)
        borrowed[i] = borrow(RV_BATCH_EVENTS);
    cr_assert_null(rv_batch_pool_borrow(&jobs));
    for (unsigned i = 0; i < N_LONG; i++)
        rv_batch_pool_release(&jobs, borrowed[i]);
    cr_assert_eq(borrow(0)->batch.n_specials, 0);
}

Test(batch_pool, short_batches_give_their_long_job_back_at_once)
{
    struct rv_job *job = borrow(RV_BATCH_POOL_SHORT - 1);
    struct rv_event *memory = job->batch.events;
    job->closes_stream = true;
    job->end_ns = 7;
    struct rv_job *little = rv_batch_pool_shorten(&jobs, job);
    cr_assert_neq(little->batch.events, memory);
    cr_assert_eq(little->batch.n, RV_BATCH_POOL_SHORT - 1);
    cr_assert_eq(little->batch.n_specials, RV_BATCH_POOL_SHORT - 1);
    for (uint32_t i = 0; i < little->batch.n; i++) {
        cr_assert_eq(rv_event_ticks(&little->batch.events[i]), i);
        cr_assert_eq(little->batch.specials[i], i);
    }
    for (uint32_t i = 0; i < RV_BATCH_PADDING; i++)
        cr_assert_eq(little->batch.events[little->batch.n + i].when, 0);
    cr_assert(little->closes_stream);
    cr_assert_eq(little->end_ns, 7);
    job = borrow(0);
    cr_assert_eq(job->batch.events, memory, "the pages that are in use already are used again");
    cr_assert_not(job->closes_stream);
}

/* Hundreds of threads each with a few events: batches wait in long jobs then, and none is lost. */
Test(batch_pool, keeps_long_jobs_where_all_short_ones_are_on_their_way)
{
    struct rv_job *job, *little;
    do
        little = rv_batch_pool_shorten(&jobs, job = borrow(1));
    while (little != job);
    cr_assert_eq(job->batch.n, 1);
    rv_batch_pool_release(&jobs, job);
    for (unsigned i = 0; i < N_LONG; i++)
        (void)borrow(1);
    cr_assert_null(rv_batch_pool_borrow(&jobs));
}
