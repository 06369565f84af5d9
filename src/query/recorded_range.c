#include "query/recorded_range.h"

#define CALLS_PER_STEP 4096u

/* The calls of this lane; NULL: it has none in the block. */
static struct rv_timeline *take_calls(struct rv_block_reader_page *page, uint32_t lane_idx)
{
    for (size_t i = 0; i < page->n_lanes; i++)
        if (page->lanes[i].lane_idx == lane_idx) {
            struct rv_timeline *calls = page->lanes[i].calls;
            page->lanes[i] = page->lanes[--page->n_lanes];
            return calls;
        }
    return NULL;
}

static enum rv_block_reader_status take_page(struct rv_recorded_range *measure, uint32_t lane_idx,
                                             struct rv_block_reader_page *page)
{
    if (!measure->block_reader && measure->session)
        measure->block_reader = rv_session_survey(
            measure->session,
            &(struct rv_block_reader_params){
                .from_ns = measure->from_ns, .to_ns = measure->to_ns, .is_backward = true, .lane_idx = &lane_idx});
    return measure->block_reader ? rv_block_reader_take(measure->block_reader, RV_JOB_THREAD_WAIT_NS, page)
                                 : RV_BLOCK_READER_OVER;
}

static void close_survey(struct rv_recorded_range *measure)
{
    rv_block_reader_close(measure->block_reader);
    measure->block_reader = NULL;
}

/* What the range wants, if it has come. */
static void give_page(struct rv_recorded_range *measure)
{
    uint32_t lane_idx = rv_range_lane(measure->range);
    struct rv_block_reader_page page;
    switch (take_page(measure, lane_idx, &page)) {
    case RV_BLOCK_READER_PAGE:
        rv_range_give(measure->range, take_calls(&page, lane_idx), rv_block_reader_edge_ns(measure->block_reader));
        rv_block_reader_page_fini(&page);
        break;
    case RV_BLOCK_READER_LATER:
        return;
    case RV_BLOCK_READER_OVER:
        rv_range_give(measure->range, NULL, 0);
        break;
    }
    if (!rv_range_wants_page(measure->range))
        close_survey(measure);
}

static void work(void *context)
{
    struct rv_recorded_range *measure = context;
    bool is_done = false;
    while (!is_done && rv_job_thread_is_wanted(&measure->worker)) {
        is_done = rv_range_step(measure->range, CALLS_PER_STEP);
        if (rv_range_wants_page(measure->range))
            give_page(measure);
    }
    close_survey(measure);
}

void rv_recorded_range_start(struct rv_recorded_range *measure, const struct rv_range_params *params,
                             struct rv_session *session)
{
    rv_recorded_range_stop(measure);
    measure->range = rv_range_create(params);
    measure->session = session;
    measure->from_ns = params->from_ns;
    measure->to_ns = params->to_ns;
    measure->version++;
    rv_job_thread_start(&measure->worker, work, measure);
}

void rv_recorded_range_stop(struct rv_recorded_range *measure)
{
    rv_job_thread_stop(&measure->worker);
    rv_range_destroy(measure->range);
    measure->range = NULL;
}

void rv_recorded_range_wait(struct rv_recorded_range *measure)
{
    rv_job_thread_wait(&measure->worker);
}

bool rv_recorded_range_poll(struct rv_recorded_range *measure)
{
    return measure->range &&
           rv_job_thread_poll(&measure->worker, (unsigned)(100.0 * rv_range_progress(measure->range)));
}
