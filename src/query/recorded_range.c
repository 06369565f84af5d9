#include "query/recorded_range.h"

#define CALLS_PER_STEP 4096u

/* The calls of this lane; NULL: it has none in the block. */
static struct rv_timeline *take_calls(struct rv_survey_page *page, uint32_t lane_idx)
{
    for (size_t i = 0; i < page->n_lanes; i++)
        if (page->lanes[i].lane_idx == lane_idx) {
            struct rv_timeline *calls = page->lanes[i].calls;
            page->lanes[i] = page->lanes[--page->n_lanes];
            return calls;
        }
    return NULL;
}

static enum rv_survey_status take_page(struct rv_measure *measure, uint32_t lane_idx, struct rv_survey_page *page)
{
    if (!measure->survey && measure->session)
        measure->survey = rv_session_survey(measure->session, &(struct rv_survey_params){.from_ns = measure->from_ns,
                                                                                         .to_ns = measure->to_ns,
                                                                                         .is_backward = true,
                                                                                         .lane_idx = &lane_idx});
    return measure->survey ? rv_survey_take(measure->survey, RV_WORKER_WAIT_NS, page) : RV_SURVEY_OVER;
}

static void close_survey(struct rv_measure *measure)
{
    rv_survey_close(measure->survey);
    measure->survey = NULL;
}

/* What the range wants, if it has come. */
static void give_page(struct rv_measure *measure)
{
    uint32_t lane_idx = rv_range_lane(measure->range);
    struct rv_survey_page page;
    switch (take_page(measure, lane_idx, &page)) {
    case RV_SURVEY_PAGE:
        rv_range_give(measure->range, take_calls(&page, lane_idx), rv_survey_edge_ns(measure->survey));
        rv_survey_page_fini(&page);
        break;
    case RV_SURVEY_LATER:
        return;
    case RV_SURVEY_OVER:
        rv_range_give(measure->range, NULL, 0);
        break;
    }
    if (!rv_range_wants_page(measure->range))
        close_survey(measure);
}

static void work(void *context)
{
    struct rv_measure *measure = context;
    bool is_done = false;
    while (!is_done && rv_worker_is_wanted(&measure->worker)) {
        is_done = rv_range_step(measure->range, CALLS_PER_STEP);
        if (rv_range_wants_page(measure->range))
            give_page(measure);
    }
    close_survey(measure);
}

void rv_measure_start(struct rv_measure *measure, const struct rv_range_params *params, struct rv_session *session)
{
    rv_measure_stop(measure);
    measure->range = rv_range_create(params);
    measure->session = session;
    measure->from_ns = params->from_ns;
    measure->to_ns = params->to_ns;
    measure->version++;
    rv_worker_start(&measure->worker, work, measure);
}

void rv_measure_stop(struct rv_measure *measure)
{
    rv_worker_stop(&measure->worker);
    rv_range_destroy(measure->range);
    measure->range = NULL;
}

void rv_measure_wait(struct rv_measure *measure)
{
    rv_worker_wait(&measure->worker);
}

bool rv_measure_poll(struct rv_measure *measure)
{
    return measure->range && rv_worker_poll(&measure->worker, (unsigned)(100.0 * rv_range_progress(measure->range)));
}
