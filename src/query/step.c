/*
 * Logs are sorted by end, so ends are found by search. A begin is searched among the calls that end near it: no call of
 * a log lasts longer than the log's limit.
 */
#include "query/step.h"

#include <stddef.h>

#include "base/bisect.h"
#include "model/span_record.h"

static bool has_start(const struct rv_box *box)
{
    return !(box->flags & RV_SPAN_ORPHAN);
}

/* The earliest event of a log after at_ns, if it is before `best`; else best. */
static uint64_t next_in(const struct rv_chunked_log *log, uint64_t limit_ns, uint64_t at_ns, uint64_t best)
{
    struct rv_chunked_log_at at = rv_chunked_log_find(log, rv_clock_after_ns(at_ns, 1)), end = rv_chunked_log_end(log);
    uint64_t base;
    uint32_t n;
    for (const void *records; (records = rv_chunked_log_walk(log, &at, end, &base, &n));)
        for (uint32_t i = 0; i < n; i++) {
            struct rv_box box = rv_span_record_box(log, records, i, base);
            if (rv_box_end_ns(&box) >= rv_clock_after_ns(best, limit_ns))
                return best;
            if (rv_box_end_ns(&box) < best)
                best = rv_box_end_ns(&box);
            if (box.start_ns > at_ns && box.start_ns < best && has_start(&box))
                best = box.start_ns;
        }
    return best;
}

struct found { /* the latest event so far */
    uint64_t ns;
    bool is_any;
};

static void take_later(struct found *found, uint64_t ns)
{
    if (!found->is_any || ns > found->ns)
        *found = (struct found){ns, true};
}

/* Search a log for events before at_ns that may be later than the found one. */
static void previous_in(const struct rv_chunked_log *log, uint64_t limit_ns, uint64_t at_ns, struct found *found)
{
    struct rv_chunked_log_at at = rv_chunked_log_find(log, rv_clock_after_ns(at_ns, limit_ns));
    while (rv_chunked_log_back(log, &at)) {
        struct rv_box box = rv_span_record_box_at(log, &at);
        if (found->is_any && rv_box_end_ns(&box) <= found->ns)
            break;
        if (rv_box_end_ns(&box) < at_ns)
            take_later(found, rv_box_end_ns(&box));
        else if (box.start_ns < at_ns && has_start(&box))
            take_later(found, box.start_ns);
    }
}

/* Number of open frames that began before this time; outer ones began first. */
static size_t n_open_before(const struct rv_lane *lane, uint64_t ns)
{
    return rv_bisect_below(lane->open, lane->n_open, sizeof *lane->open, offsetof(struct rv_lane_frame, start_ns), ns);
}

static bool next_call(const struct rv_timeline *timeline, uint64_t at_ns, uint64_t *ns)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t i = rv_timeline_first_log(timeline); i < RV_TIMELINE_LOGS; i++)
        best = next_in(rv_timeline_log(timeline, i), rv_timeline_log_limit(i), at_ns, best);
    *ns = best;
    return best != UINT64_MAX;
}

static bool previous_call(const struct rv_timeline *timeline, uint64_t at_ns, uint64_t *ns)
{
    struct found found = {0, false};
    for (uint32_t i = rv_timeline_first_log(timeline); i < RV_TIMELINE_LOGS; i++)
        previous_in(rv_timeline_log(timeline, i), rv_timeline_log_limit(i), at_ns, &found);
    *ns = found.ns;
    return found.is_any;
}

bool rv_step_next(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns)
{
    bool is_found = next_call(lane->timeline, at_ns, ns);
    size_t open = n_open_before(lane, rv_clock_after_ns(at_ns, 1));
    if (open == lane->n_open || (is_found && *ns <= lane->open[open].start_ns))
        return is_found;
    *ns = lane->open[open].start_ns;
    return true;
}

bool rv_step_previous(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns)
{
    bool is_found = previous_call(lane->timeline, at_ns, ns);
    size_t open = n_open_before(lane, at_ns);
    if (open == 0 || (is_found && *ns >= lane->open[open - 1].start_ns))
        return is_found;
    *ns = lane->open[open - 1].start_ns;
    return true;
}

/* ---- steps ---- */

static void offer(struct rv_step *step, bool is_event, uint64_t ns)
{
    bool is_nearer = step->n_steps > 0 ? ns < step->found_ns : ns > step->found_ns;
    if (!is_event || (step->is_found && !is_nearer))
        return;
    step->found_ns = ns;
    step->is_found = true;
}

static bool counts(const struct rv_step_params *params, uint32_t lane_idx)
{
    if (params->lane_idx)
        return lane_idx == *params->lane_idx;
    return lane_idx < params->lane_order->n_lanes &&
           rv_lane_choices_representative(params->lane_order, lane_idx) != RV_LANE_CHOICES_NONE;
}

static void begin(struct rv_step *step, const struct rv_step_params *params)
{
    bool is_forward = step->n_steps > 0;
    step->is_begun = true;
    step->is_found = false;
    step->at_ns = params->at_ns;
    for (uint32_t i = 0; i < rv_lanes_n(params->lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(params->lanes, i);
        uint64_t ns;
        if (!counts(params, i))
            continue;
        pthread_rwlock_wrlock(&lane->lock);
        bool is_event = (is_forward ? rv_step_next : rv_step_previous)(lane, step->at_ns, &ns);
        pthread_rwlock_unlock(&lane->lock);
        offer(step, is_event, ns);
    }
    step->reader =
        rv_session_read(params->session, &(struct rv_span_reader_params){.from_ns = is_forward ? step->at_ns : 0,
                                                                         .to_ns = is_forward ? UINT64_MAX : step->at_ns,
                                                                         .is_backward = !is_forward,
                                                                         .lane_idx = params->lane_idx});
}

static void look_at(struct rv_step *step, const struct rv_step_params *params, const struct rv_span_part *part)
{
    for (size_t i = 0; i < part->n_lanes; i++) {
        const struct rv_span_part_lane *lane = &part->lanes[i];
        uint64_t ns;
        if (!counts(params, lane->lane_idx))
            continue;
        bool is_event = (step->n_steps > 0 ? next_call : previous_call)(lane->calls, step->at_ns, &ns);
        offer(step, is_event, ns);
    }
}

/* Can no remaining block have a nearer event? */
static bool is_nearest(const struct rv_step *step)
{
    uint64_t edge_ns = rv_span_reader_edge_ns(step->reader);
    return step->n_steps > 0 ? edge_ns > step->found_ns : edge_ns <= step->found_ns + 1;
}

static void close_reader(struct rv_step *step)
{
    rv_span_reader_close(step->reader);
    step->reader = NULL;
}

bool rv_step_go_on(struct rv_step *step, const struct rv_step_params *params, uint64_t *ns)
{
    if (step->n_steps == 0)
        return false;
    if (!step->is_begun)
        begin(step, params);
    while (!step->is_found || !is_nearest(step)) {
        struct rv_span_part part;
        enum rv_span_reader_status status = rv_span_reader_take(step->reader, 0, &part);
        if (status == RV_SPAN_READER_LATER)
            return false;
        if (status == RV_SPAN_READER_OVER)
            break;
        look_at(step, params, &part);
        rv_span_part_fini(&part);
    }
    close_reader(step);
    step->is_begun = false;
    step->n_steps = step->is_found ? step->n_steps - (step->n_steps > 0 ? 1 : -1) : 0;
    *ns = step->found_ns;
    return step->is_found;
}

void rv_step_request(struct rv_step *step, bool is_forward)
{
    step->n_steps += is_forward ? 1 : -1;
    if (step->n_steps == 0)
        rv_step_stop(step);
}

void rv_step_stop(struct rv_step *step)
{
    close_reader(step);
    *step = (struct rv_step){0};
}
