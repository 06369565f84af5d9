#include "query/hit_count_job.h"

#include <stdlib.h>

#include "base/vec.h"

static void work(void *context)
{
    struct rv_hit_count_job *count = context;
    enum rv_span_reader_status status = RV_SPAN_READER_LATER;
    while (status != RV_SPAN_READER_OVER && rv_job_thread_is_wanted(&count->job)) {
        struct rv_span_part part;
        status = rv_span_reader_take(count->reader, RV_JOB_THREAD_WAIT_NS, &part);
        for (size_t i = 0; i < part.n_lanes; i++)
            rv_search_add(count->found, part.lanes[i].calls, rv_lanes_get(count->lanes, part.lanes[i].lane_idx));
        if (part.is_damaged)
            atomic_store_explicit(&count->is_damaged, true, memory_order_relaxed);
        rv_span_part_fini(&part);
        atomic_store_explicit(&count->n_hits, count->found->n_hits, memory_order_relaxed);
        atomic_store_explicit(&count->percent, (unsigned)(100.0 * rv_span_reader_progress(count->reader)),
                              memory_order_relaxed);
    }
}

static void start(struct rv_hit_count_job *count, const struct rv_search *search)
{
    count->found = rv_alloc(1, sizeof *count->found);
    rv_name_set_follow(&count->found->matches, &search->matches);
    count->found->arguments = rv_filter_hold(search->arguments);
    count->found->is_for_waits = search->is_for_waits;
    rv_search_set_waited(count->found, search->waited);
    (void)rv_search_obey(count->found, search->filter);
    rv_job_thread_start(&count->job, work, count);
}

static void finish(struct rv_hit_count_job *count)
{
    if (!count->reader)
        return;
    rv_span_reader_close(count->reader);
    if (count->found)
        rv_search_stop(count->found);
    free(count->found);
    count->reader = NULL;
    count->found = NULL;
}

bool rv_hit_count_job_begin(struct rv_hit_count_job *count, struct rv_session *session, struct rv_search *search)
{
    bool is_needed = rv_search_has_any(search) && !(count->has_begun && count->generation == search->generation);
    if (!is_needed || !search->is_named || !rv_session_can_read(session))
        return false;
    rv_hit_count_job_end(count);
    count->has_begun = true;
    count->generation = search->generation;
    count->reader =
        rv_session_read(session, &(struct rv_span_reader_params){.to_ns = UINT64_MAX, .only = rv_search_only(search)});
    if (!rv_span_reader_has_blocks(count->reader)) {
        finish(count);
        return false;
    }
    count->lanes = rv_session_lanes(session);
    rv_search_restart(search);
    for (uint32_t i = 0; i < rv_lanes_n(count->lanes); i++)
        rv_search_pass(search, count->lanes, i, rv_span_reader_paged_before_ns(count->reader, i));
    start(count, search);
    return true;
}

void rv_hit_count_job_end(struct rv_hit_count_job *count)
{
    rv_job_thread_stop(&count->job);
    finish(count);
    *count = (struct rv_hit_count_job){.has_begun = false};
}

bool rv_hit_count_job_poll(struct rv_hit_count_job *count, struct rv_search *search, bool waits)
{
    if (!count->reader)
        return false;
    if (waits)
        rv_job_thread_wait(&count->job);
    bool has_got_on = rv_job_thread_poll(&count->job, atomic_load_explicit(&count->percent, memory_order_relaxed));
    if (count->job.is_running)
        return has_got_on;
    rv_search_merge(search, count->found);
    finish(count);
    return true;
}
