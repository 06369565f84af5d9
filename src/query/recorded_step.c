#include "query/recorded_step.h"

#include "query/step.h"

static void offer(struct rv_stride *stride, bool is_event, uint64_t ns)
{
    bool is_nearer = stride->n_steps > 0 ? ns < stride->found_ns : ns > stride->found_ns;
    if (!is_event || (stride->is_found && !is_nearer))
        return;
    stride->found_ns = ns;
    stride->is_found = true;
}

static bool counts(const struct rv_stride_about *about, uint32_t lane_idx)
{
    if (about->lane_idx)
        return lane_idx == *about->lane_idx;
    return lane_idx < about->arrangement->n_lanes && rv_arrangement_shows(about->arrangement, lane_idx);
}

static void begin(struct rv_stride *stride, const struct rv_stride_about *about)
{
    bool is_forward = stride->n_steps > 0;
    stride->is_begun = true;
    stride->is_found = false;
    stride->at_ns = about->at_ns;
    for (uint32_t i = 0; i < rv_lanes_n(about->lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(about->lanes, i);
        uint64_t ns;
        if (!counts(about, i))
            continue;
        pthread_mutex_lock(&lane->lock);
        bool is_event = (is_forward ? rv_step_next : rv_step_previous)(lane, stride->at_ns, &ns);
        pthread_mutex_unlock(&lane->lock);
        offer(stride, is_event, ns);
    }
    struct rv_survey_params params = {.from_ns = is_forward ? stride->at_ns : 0,
                                      .to_ns = is_forward ? UINT64_MAX : stride->at_ns,
                                      .is_backward = !is_forward,
                                      .lane_idx = about->lane_idx};
    if (about->session && params.from_ns < params.to_ns)
        stride->survey = rv_session_survey(about->session, &params);
}

static void look_at(struct rv_stride *stride, const struct rv_stride_about *about, const struct rv_survey_page *page)
{
    for (size_t i = 0; i < page->n_lanes; i++) {
        const struct rv_survey_lane *lane = &page->lanes[i];
        uint64_t ns;
        if (!counts(about, lane->lane_idx))
            continue;
        bool is_event = (stride->n_steps > 0 ? rv_step_next_in : rv_step_previous_in)(lane->calls, stride->at_ns, &ns);
        offer(stride, is_event, ns);
    }
}

/* Can a block that is still to come have something nearer? */
static bool is_open(const struct rv_stride *stride)
{
    uint64_t edge_ns = stride->survey ? rv_survey_edge_ns(stride->survey) : 0;
    if (!stride->survey || !stride->is_found)
        return stride->survey;
    return stride->n_steps > 0 ? edge_ns <= stride->found_ns : edge_ns > stride->found_ns + 1;
}

static void end_survey(struct rv_stride *stride)
{
    rv_survey_close(stride->survey);
    stride->survey = NULL;
}

bool rv_stride_go_on(struct rv_stride *stride, const struct rv_stride_about *about, uint64_t *ns)
{
    struct rv_survey_page page;
    if (stride->n_steps == 0)
        return false;
    if (!stride->is_begun)
        begin(stride, about);
    while (is_open(stride)) {
        enum rv_survey_status status = rv_survey_take(stride->survey, 0, &page);
        if (status == RV_SURVEY_LATER)
            return false;
        if (status == RV_SURVEY_OVER)
            break;
        look_at(stride, about, &page);
        rv_survey_page_fini(&page);
    }
    end_survey(stride);
    stride->is_begun = false;
    stride->n_steps = stride->is_found ? stride->n_steps - (stride->n_steps > 0 ? 1 : -1) : 0;
    *ns = stride->found_ns;
    return stride->is_found;
}

void rv_stride_wish(struct rv_stride *stride, bool is_forward)
{
    stride->n_steps += is_forward ? 1 : -1;
    if (stride->n_steps == 0)
        rv_stride_stop(stride);
}

void rv_stride_stop(struct rv_stride *stride)
{
    end_survey(stride);
    *stride = (struct rv_stride){0};
}
