#include "query/recorded_count.h"

#include <stdlib.h>

#include "base/vec.h"

static void work(void *context)
{
    struct rv_recorded_count *recorded_count = context;
    enum rv_block_reader_status status = RV_BLOCK_READER_LATER;
    while (status != RV_BLOCK_READER_OVER && rv_job_thread_is_wanted(&recorded_count->worker)) {
        struct rv_block_reader_page page;
        status = rv_block_reader_take(recorded_count->block_reader, RV_JOB_THREAD_WAIT_NS, &page);
        if (status != RV_BLOCK_READER_PAGE)
            continue;
        for (size_t i = 0; i < page.n_lanes; i++)
            rv_search_add(recorded_count->found, page.lanes[i].calls);
        rv_block_reader_page_fini(&page);
        atomic_store_explicit(&recorded_count->n_hits, recorded_count->found->n_hits, memory_order_relaxed);
        atomic_store_explicit(&recorded_count->percent,
                              (unsigned)(100.0 * rv_block_reader_progress(recorded_count->block_reader)),
                              memory_order_relaxed);
    }
}

static void start(struct rv_recorded_count *recorded_count, const struct rv_search *search)
{
    recorded_count->found = rv_alloc(1, sizeof *recorded_count->found);
    rv_name_set_follow(&recorded_count->found->matches, &search->matches);
    rv_job_thread_start(&recorded_count->worker, work, recorded_count);
}

static void finish(struct rv_recorded_count *recorded_count)
{
    if (!recorded_count->block_reader)
        return;
    rv_block_reader_close(recorded_count->block_reader);
    rv_search_stop(recorded_count->found);
    free(recorded_count->found);
    recorded_count->block_reader = NULL;
    recorded_count->found = NULL;
}

bool rv_recorded_count_begin(struct rv_recorded_count *recorded_count, struct rv_session *session,
                             struct rv_search *search)
{
    bool is_needed =
        search->matches.n_matching && !(recorded_count->has_begun && recorded_count->generation == search->generation);
    if (!is_needed || !search->is_named || !rv_session_is_done(session))
        return false;
    rv_recorded_count_end(recorded_count);
    recorded_count->has_begun = true;
    recorded_count->generation = search->generation;
    recorded_count->block_reader =
        rv_session_survey(session, &(struct rv_block_reader_params){.to_ns = UINT64_MAX, .only = &search->matches});
    if (!recorded_count->block_reader)
        return false;
    rv_search_restart(search);
    start(recorded_count, search);
    return true;
}

void rv_recorded_count_end(struct rv_recorded_count *recorded_count)
{
    rv_job_thread_stop(&recorded_count->worker);
    finish(recorded_count);
    *recorded_count = (struct rv_recorded_count){.has_begun = false};
}

bool rv_recorded_count_poll(struct rv_recorded_count *recorded_count, struct rv_search *search, bool waits)
{
    if (!recorded_count->block_reader)
        return false;
    if (waits)
        rv_job_thread_wait(&recorded_count->worker);
    bool has_got_on = rv_job_thread_poll(&recorded_count->worker,
                                         atomic_load_explicit(&recorded_count->percent, memory_order_relaxed));
    if (recorded_count->worker.is_running)
        return has_got_on;
    rv_search_merge(search, recorded_count->found);
    finish(recorded_count);
    return true;
}
