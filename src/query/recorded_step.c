#include "query/recorded_step.h"

#include "query/step.h"

static void offer(struct rv_recorded_step *recorded_step, bool is_event, uint64_t ns)
{
    bool is_nearer = recorded_step->n_steps > 0 ? ns < recorded_step->found_ns : ns > recorded_step->found_ns;
    if (!is_event || (recorded_step->is_found && !is_nearer))
        return;
    recorded_step->found_ns = ns;
    recorded_step->is_found = true;
}

static bool counts(const struct rv_recorded_step_about *about, uint32_t lane_idx)
{
    if (about->lane_idx)
        return lane_idx == *about->lane_idx;
    return lane_idx < about->lane_order->n_lanes && rv_lane_order_shows(about->lane_order, lane_idx);
}

static void begin(struct rv_recorded_step *recorded_step, const struct rv_recorded_step_about *about)
{
    bool is_forward = recorded_step->n_steps > 0;
    recorded_step->is_begun = true;
    recorded_step->is_found = false;
    recorded_step->at_ns = about->at_ns;
    for (uint32_t i = 0; i < rv_lanes_n(about->lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(about->lanes, i);
        uint64_t ns;
        if (!counts(about, i))
            continue;
        pthread_mutex_lock(&lane->lock);
        bool is_event = (is_forward ? rv_step_next : rv_step_previous)(lane, recorded_step->at_ns, &ns);
        pthread_mutex_unlock(&lane->lock);
        offer(recorded_step, is_event, ns);
    }
    struct rv_block_reader_params params = {.from_ns = is_forward ? recorded_step->at_ns : 0,
                                            .to_ns = is_forward ? UINT64_MAX : recorded_step->at_ns,
                                            .is_backward = !is_forward,
                                            .lane_idx = about->lane_idx};
    if (about->session && params.from_ns < params.to_ns)
        recorded_step->block_reader = rv_session_survey(about->session, &params);
}

static void look_at(struct rv_recorded_step *recorded_step, const struct rv_recorded_step_about *about,
                    const struct rv_block_reader_page *page)
{
    for (size_t i = 0; i < page->n_lanes; i++) {
        const struct rv_block_reader_lane *lane = &page->lanes[i];
        uint64_t ns;
        if (!counts(about, lane->lane_idx))
            continue;
        bool is_event = (recorded_step->n_steps > 0 ? rv_step_next_in : rv_step_previous_in)(lane->calls,
                                                                                             recorded_step->at_ns, &ns);
        offer(recorded_step, is_event, ns);
    }
}

/* Can a block that is still to come have something nearer? */
static bool is_open(const struct rv_recorded_step *recorded_step)
{
    uint64_t edge_ns = recorded_step->block_reader ? rv_block_reader_edge_ns(recorded_step->block_reader) : 0;
    if (!recorded_step->block_reader || !recorded_step->is_found)
        return recorded_step->block_reader;
    return recorded_step->n_steps > 0 ? edge_ns <= recorded_step->found_ns : edge_ns > recorded_step->found_ns + 1;
}

static void end_survey(struct rv_recorded_step *recorded_step)
{
    rv_block_reader_close(recorded_step->block_reader);
    recorded_step->block_reader = NULL;
}

bool rv_recorded_step_go_on(struct rv_recorded_step *recorded_step, const struct rv_recorded_step_about *about,
                            uint64_t *ns)
{
    struct rv_block_reader_page page;
    if (recorded_step->n_steps == 0)
        return false;
    if (!recorded_step->is_begun)
        begin(recorded_step, about);
    while (is_open(recorded_step)) {
        enum rv_block_reader_status status = rv_block_reader_take(recorded_step->block_reader, 0, &page);
        if (status == RV_BLOCK_READER_LATER)
            return false;
        if (status == RV_BLOCK_READER_OVER)
            break;
        look_at(recorded_step, about, &page);
        rv_block_reader_page_fini(&page);
    }
    end_survey(recorded_step);
    recorded_step->is_begun = false;
    recorded_step->n_steps =
        recorded_step->is_found ? recorded_step->n_steps - (recorded_step->n_steps > 0 ? 1 : -1) : 0;
    *ns = recorded_step->found_ns;
    return recorded_step->is_found;
}

void rv_recorded_step_request(struct rv_recorded_step *recorded_step, bool is_forward)
{
    recorded_step->n_steps += is_forward ? 1 : -1;
    if (recorded_step->n_steps == 0)
        rv_recorded_step_stop(recorded_step);
}

void rv_recorded_step_stop(struct rv_recorded_step *recorded_step)
{
    end_survey(recorded_step);
    *recorded_step = (struct rv_recorded_step){0};
}
