#include "query/next_hit.h"

#include "base/clock.h"
#include "base/vec.h"
#include "model/timeline_query.h"

#define PIECE 8192u
#define MOST_BOXES 65536u /* larger windows are searched in halves */
#define TURN_NS 1500000u  /* time after which no new block is started */

static int compare(const struct rv_lanes *lanes, const struct rv_search_place *a, const struct rv_search_place *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->lane_idx != b->lane_idx)
        return rv_lane_compare(rv_lanes_get(lanes, a->lane_idx), rv_lanes_get(lanes, b->lane_idx));
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

/* What is collapsed is searched, too: going there expands it. */
static bool is_shown(const struct rv_next_hit *next, uint32_t lane_idx, uint32_t depth)
{
    const struct rv_lane_choices *lane_order = next->lane_order;
    if (!lane_order || lane_idx >= lane_order->n_lanes)
        return true;
    return rv_lane_choices_representative(lane_order, lane_idx) != RV_LANE_CHOICES_NONE &&
           (!lane_order->most_depth || depth < lane_order->most_depth);
}

/* Keep a hit if it is nearer to the place than the nearest so far. */
static void offer(struct rv_next_hit *next, uint32_t lane_idx, const struct rv_box *box)
{
    struct rv_search_place place = {box->start_ns, lane_idx, box->depth};
    int from_place = compare(next->lanes, &place, &next->place);
    if ((next->is_forward ? from_place <= 0 : from_place >= 0) || !is_shown(next, lane_idx, box->depth))
        return;
    int from_hit = next->is_found ? compare(next->lanes, &place, &next->hit.place) : 0;
    if (next->is_found && (next->is_forward ? from_hit >= 0 : from_hit <= 0))
        return;
    next->hit = (struct rv_search_hit){place, *box};
    next->is_found = true;
}

/* ---- lanes ---- */

static uint64_t count_boxes(struct rv_lanes *lanes, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t n = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_wrlock(&lane->lock);
        n += rv_timeline_query_count(lane->timeline, from_ns, to_ns, rv_timeline_sums_level(lane->timeline));
        pthread_rwlock_unlock(&lane->lock);
    }
    return n;
}

/* Offer hits that start in a window of one lane, without sums, which have no exact place. */
static void look_into_lane(struct rv_next_hit *next, struct rv_search *search, struct rv_lane *lane,
                           const uint64_t window[2])
{
    if (!rv_search_passes_lane(search, lane))
        return;
    pthread_rwlock_wrlock(&lane->lock);
    uint32_t level = rv_timeline_sums_level(lane->timeline);
    size_t n = rv_timeline_query_count(lane->timeline, window[0], window[1], level);
    search->boxes = rv_vec_reserve(search->boxes, &search->boxes_capacity, n, sizeof *search->boxes);
    n = rv_timeline_query_boxes(lane->timeline, window[0], window[1], level, search->boxes, search->boxes_capacity);
    const uint64_t released_ns = rv_timeline_released_ns(lane->timeline, 0); /* earlier cells are in no block */
    pthread_rwlock_unlock(&lane->lock);
    for (size_t i = 0; i < n; i++) {
        const struct rv_box *box = &search->boxes[i];
        bool is_call = box->coverage == RV_BOX_EXACT || (level == 0 && box->start_ns < released_ns);
        if (is_call && box->start_ns >= window[0] && box->start_ns < window[1] && rv_search_is_hit(search, lane, box))
            offer(next, lane->idx, box);
    }
}

static void look_into(struct rv_next_hit *next, struct rv_search *search, const uint64_t window[2])
{
    if (window[0] >= window[1] || next->is_found)
        return;
    if (window[1] - window[0] > 1 && count_boxes(next->lanes, window[0], window[1]) > MOST_BOXES) {
        uint64_t middle = window[0] + (window[1] - window[0]) / 2;
        const uint64_t halves[2][2] = {{window[0], middle}, {middle, window[1]}};
        look_into(next, search, halves[!next->is_forward]);
        look_into(next, search, halves[next->is_forward]);
        return;
    }
    for (size_t i = 0; i < rv_lanes_n(next->lanes); i++)
        look_into_lane(next, search, rv_lanes_get(next->lanes, i), window);
}

/* Begin of the exact spans of all lanes and blocks. */
static uint64_t exact_from(struct rv_lanes *lanes)
{
    uint64_t exact_ns = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_wrlock(&lane->lock);
        uint64_t lane_ns = rv_timeline_released_ns(lane->timeline, 0);
        pthread_rwlock_unlock(&lane->lock);
        exact_ns = lane_ns > exact_ns ? lane_ns : exact_ns;
    }
    return exact_ns;
}

static void look_into_columns(struct rv_next_hit *next, struct rv_search *search, uint64_t from_ns, uint64_t to_ns)
{
    for (uint64_t i = 0; i < search->n_columns && !next->is_found; i++) {
        uint64_t column = next->is_forward ? i : search->n_columns - 1 - i;
        uint64_t window[2] = {(search->first_column + column) << search->shift, (search->first_column + column + 1)
                                                                                    << search->shift};
        bool is_behind = next->is_forward ? window[1] <= next->place.start_ns : window[0] > next->place.start_ns;
        if (search->counts[column] == 0 || is_behind)
            continue;
        window[0] = window[0] > from_ns ? window[0] : from_ns;
        window[1] = window[1] < to_ns ? window[1] : to_ns;
        look_into(next, search, window);
    }
}

/* Offer hits that start in [from, to) of the lanes, in order: cells, then column by column; or in reverse. */
static void look_into_lanes(struct rv_next_hit *next, struct rv_search *search, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t exact_ns = exact_from(next->lanes);
    const uint64_t cells[2] = {from_ns, exact_ns < to_ns ? exact_ns : to_ns};
    struct rv_next_hit part = *next;
    part.is_found = false;
    if (next->is_forward)
        look_into(&part, search, cells);
    look_into_columns(&part, search, exact_ns > from_ns ? exact_ns : from_ns, to_ns);
    if (!next->is_forward)
        look_into(&part, search, cells);
    if (part.is_found)
        offer(next, part.hit.place.lane_idx, &part.hit.box);
}

static void look_at_open(struct rv_next_hit *next, const struct rv_search *search)
{
    for (size_t i = 0; i < rv_lanes_n(next->lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(next->lanes, i);
        bool passes = rv_search_passes_lane(search, lane);
        pthread_rwlock_wrlock(&lane->lock);
        for (size_t j = 0; j < lane->n_open && passes; j++) {
            struct rv_box box = rv_lane_open_box(lane, j);
            if (rv_search_is_hit(search, lane, &box))
                offer(next, lane->idx, &box);
        }
        pthread_rwlock_unlock(&lane->lock);
    }
}

/* ---- blocks ---- */

static void look_at_calls(struct rv_next_hit *next, struct rv_search *search, const struct rv_span_part_lane *lane)
{
    struct rv_span_iter walk = {.n_missed = 0};
    struct rv_lane *whole = rv_lanes_get(next->lanes, lane->lane_idx);
    if (!rv_search_passes_lane(search, whole))
        return;
    search->boxes = rv_vec_reserve(search->boxes, &search->boxes_capacity, PIECE, sizeof *search->boxes);
    for (size_t n = PIECE; n == PIECE;) {
        n = rv_span_iter_next(&walk, lane->calls, search->boxes, PIECE);
        for (size_t i = 0; i < n; i++)
            if (rv_search_is_hit(search, whole, &search->boxes[i]))
                offer(next, lane->lane_idx, &search->boxes[i]);
    }
}

static bool has_hits(const void *context, uint64_t from_ns, uint64_t to_ns)
{
    return rv_search_has_hits(context, from_ns, to_ns);
}

/* ---- from the place outward ---- */

static void begin_round(struct rv_next_hit *next, const struct rv_search *search)
{
    uint64_t at_ns = next->origin_ns, after_ns = at_ns < UINT64_MAX ? at_ns + 1 : at_ns;
    bool is_behind = next->is_forward != next->has_come_round;
    struct rv_span_reader_params params = {.from_ns = is_behind ? at_ns : 0,
                                           .to_ns = is_behind ? UINT64_MAX : after_ns,
                                           .is_backward = !next->is_forward,
                                           .only = rv_search_only(search),
                                           .wants = next->knows_hits ? has_hits : NULL,
                                           .context = search};
    rv_span_reader_close(next->reader);
    next->reader = rv_session_read(rv_search_has_any(search) ? next->session : NULL, &params);
    look_at_open(next, search);
}

void rv_next_hit_begin(struct rv_next_hit *next, const struct rv_search *search,
                       const struct rv_next_hit_params *params)
{
    *next = (struct rv_next_hit){.is_on = true,
                                 .knows_hits = params->knows_hits,
                                 .is_forward = params->is_forward,
                                 .lane_order = params->lane_order,
                                 .session = params->session,
                                 .lanes = params->lanes,
                                 .place = params->place,
                                 .origin_ns = params->place.start_ns};
    begin_round(next, search);
}

void rv_next_hit_end(struct rv_next_hit *next)
{
    rv_span_reader_close(next->reader);
    *next = (struct rv_next_hit){.is_on = false};
}

/* Can no remaining block have a nearer hit? */
static bool is_nearest(const struct rv_next_hit *next)
{
    uint64_t edge_ns = rv_span_reader_edge_ns(next->reader), found_ns = next->hit.place.start_ns;
    return next->is_forward ? edge_ns > found_ns : edge_ns <= found_ns;
}

static enum rv_span_reader_status look_on(struct rv_next_hit *next, struct rv_search *search, uint64_t wait_ns)
{
    struct rv_span_part part;
    enum rv_span_reader_status status = rv_span_reader_take(next->reader, wait_ns, &part);
    for (size_t i = 0; i < part.n_lanes; i++)
        look_at_calls(next, search, &part.lanes[i]);
    look_into_lanes(next, search, part.from_ns, part.to_ns);
    rv_span_part_fini(&part);
    return status;
}

static void come_round(struct rv_next_hit *next, const struct rv_search *search)
{
    next->has_come_round = true;
    next->place = (struct rv_search_place){next->is_forward ? 0 : UINT64_MAX, 0, 0};
    begin_round(next, search);
}

enum rv_next_hit_status rv_next_hit_go_on(struct rv_next_hit *next, struct rv_search *search, uint64_t wait_ns)
{
    uint64_t end_ns = rv_clock_mono_ns() + TURN_NS;
    do {
        enum rv_span_reader_status status = look_on(next, search, wait_ns);
        bool is_over = status == RV_SPAN_READER_OVER;
        if (status == RV_SPAN_READER_LATER)
            break;
        if (next->is_found && (is_over || is_nearest(next)))
            return RV_NEXT_HIT_FOUND;
        if (is_over && next->has_come_round)
            return RV_NEXT_HIT_FAILED;
        if (is_over)
            come_round(next, search);
    } while (!rv_span_reader_has_blocks(next->reader) || rv_clock_mono_ns() < end_ns);
    return RV_NEXT_HIT_GOES_ON;
}
