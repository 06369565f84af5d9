#include "query/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define PIECE 8192u       /* calls looked at under one lock */
#define MOST_BOXES 65536u /* a window with more is looked into half by half */
#define CALLS_PER_NAME 64u

int rv_search_start(struct rv_search *search, const char *text, char *why, size_t why_bytes)
{
    rv_search_stop(search);
    int error = rv_name_set_init(&search->matches, RV_NAME_SET_NAME, text, why, why_bytes);
    search->is_on = !error;
    return error;
}

void rv_search_stop(struct rv_search *search)
{
    rv_name_set_fini(&search->matches);
    free(search->walks);
    free(search->boxes);
    memset(search, 0, sizeof *search);
}

/* ---- counting ---- */

void rv_search_restart(struct rv_search *search)
{
    if (search->walks)
        memset(search->walks, 0, search->n_walks * sizeof *search->walks);
    memset(search->counts, 0, sizeof search->counts);
    search->n_hits = search->n_columns = 0;
    search->shift = 0;
    search->next_lane = 0;
    search->generation = search->matches.generation;
}

static void widen_columns(struct rv_search *search)
{
    uint32_t wide[RV_SEARCH_COLUMNS] = {0};
    uint64_t first = search->first_column >> 1;
    for (uint64_t i = 0; i < search->n_columns; i++)
        wide[((search->first_column + i) >> 1) - first] += search->counts[i];
    search->n_columns = ((search->first_column + search->n_columns - 1) >> 1) - first + 1;
    search->first_column = first;
    search->shift++;
    memcpy(search->counts, wide, sizeof wide);
}

static void count_hits(struct rv_search *search, uint64_t start_ns, uint32_t n)
{
    uint64_t column = start_ns >> search->shift;
    if (search->n_columns == 0) {
        search->first_column = column;
        search->n_columns = 1;
    }
    uint64_t first = search->first_column, last = first + search->n_columns - 1;
    while ((column > last ? column : last) - (column < first ? column : first) >= RV_SEARCH_COLUMNS) {
        widen_columns(search);
        column = start_ns >> search->shift;
        first = search->first_column;
        last = first + search->n_columns - 1;
    }
    if (column < first) {
        memmove(search->counts + (first - column), search->counts, search->n_columns * sizeof *search->counts);
        memset(search->counts, 0, (first - column) * sizeof *search->counts);
        search->first_column = column;
        search->n_columns += first - column;
    } else if (column > last) {
        search->n_columns += column - last;
    }
    search->counts[column - search->first_column] += n;
    search->n_hits += n;
}

/* Those of the first n boxes that are searched for. */
static void count_boxed(struct rv_search *search, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rv_name_set_has(&search->matches, search->boxes[i].id))
            count_hits(search, search->boxes[i].start_ns, 1);
}

static size_t look_at_lane(struct rv_search *search, struct rv_lane *lane, struct rv_span_iter *walk, size_t max)
{
    pthread_mutex_lock(&lane->lock);
    size_t n = rv_span_iter_next(walk, lane->timeline, search->boxes, max);
    pthread_mutex_unlock(&lane->lock);
    count_boxed(search, n);
    return n;
}

static void fit_boxes(struct rv_search *search)
{
    search->boxes = rv_vec_reserve(search->boxes, &search->boxes_capacity, PIECE, sizeof *search->boxes);
}

static void fit_walks(struct rv_search *search, size_t n_lanes)
{
    fit_boxes(search);
    search->walks = rv_vec_reserve(search->walks, &search->walks_capacity, n_lanes, sizeof *search->walks);
    if (n_lanes > search->n_walks)
        memset(search->walks + search->n_walks, 0, (n_lanes - search->n_walks) * sizeof *search->walks);
    search->n_walks = n_lanes;
}

/* Lanes that grow all the time must not keep the others from being looked at. Returns whether all are at their ends. */
static bool look_around(struct rv_search *search, struct rv_lanes *lanes, size_t most)
{
    size_t n_lanes = search->n_walks;
    for (size_t n_done = 0; n_done < n_lanes;) {
        size_t max = most < PIECE ? most : PIECE;
        if (max == 0)
            return false;
        size_t lane = search->next_lane, n = look_at_lane(search, rv_lanes_get(lanes, lane), &search->walks[lane], max);
        most -= n;
        if (n == max)
            continue;
        n_done++;
        search->next_lane = (lane + 1) % n_lanes;
        search->n_rounds += search->next_lane == 0;
    }
    return true;
}

bool rv_search_update(struct rv_search *search, struct rv_lanes *lanes, struct rv_subroutines *subroutines, size_t most)
{
    if (!search->is_on)
        return true;
    search->is_named = rv_name_set_update(&search->matches, subroutines, most / CALLS_PER_NAME + 1);
    if (search->generation != search->matches.generation)
        rv_search_restart(search);
    fit_walks(search, rv_lanes_n(lanes));
    return look_around(search, lanes, most) && search->is_named;
}

uint64_t rv_search_n_calls(const struct rv_search *search, struct rv_lanes *lanes, bool *is_partial)
{
    uint64_t n = search->n_hits;
    *is_partial = false;
    for (size_t i = 0; search->is_on && i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_mutex_lock(&lane->lock);
        for (size_t j = 0; j < lane->n_open; j++)
            n += rv_name_set_has(&search->matches, lane->open[j].id);
        pthread_mutex_unlock(&lane->lock);
        *is_partial |= i < search->n_walks && search->walks[i].n_missed > 0;
    }
    return n;
}

void rv_search_hits(const struct rv_search *search, uint64_t from_ns, uint64_t to_ns, uint32_t *out, size_t n)
{
    memset(out, 0, n * sizeof *out);
    if (to_ns <= from_ns)
        return;
    double scale = (double)n / (double)(to_ns - from_ns);
    for (uint64_t i = 0; i < search->n_columns; i++) {
        uint64_t column_ns = (search->first_column + i) << search->shift;
        uint64_t middle_ns = column_ns + ((UINT64_C(1) << search->shift) >> 1);
        if (search->counts[i] == 0 || middle_ns < from_ns || middle_ns >= to_ns)
            continue;
        size_t part = (size_t)((double)(middle_ns - from_ns) * scale);
        out[part < n ? part : n - 1] += search->counts[i];
    }
}

void rv_search_add(struct rv_search *search, const struct rv_timeline *calls)
{
    struct rv_span_iter walk = {.n_missed = 0};
    fit_boxes(search);
    for (size_t n = PIECE; n == PIECE;) {
        n = rv_span_iter_next(&walk, calls, search->boxes, PIECE);
        count_boxed(search, n);
    }
}

void rv_search_merge(struct rv_search *search, const struct rv_search *other)
{
    while (search->n_columns && search->shift < other->shift)
        widen_columns(search);
    search->shift = search->shift > other->shift ? search->shift : other->shift;
    for (uint64_t i = 0; i < other->n_columns; i++)
        if (other->counts[i])
            count_hits(search, (other->first_column + i) << other->shift, other->counts[i]);
}

bool rv_search_has_hits(const struct rv_search *search, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t first = from_ns >> search->shift, last = (to_ns - 1) >> search->shift;
    first = first > search->first_column ? first - search->first_column : 0;
    for (uint64_t i = first; i < search->n_columns && search->first_column + i <= last; i++)
        if (search->counts[i])
            return true;
    return false;
}

/* ---- going from hit to hit ---- */

static int compare(const struct rv_lanes *lanes, const struct rv_search_place *a, const struct rv_search_place *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->lane_idx != b->lane_idx)
        return rv_lane_compare(rv_lanes_get(lanes, a->lane_idx), rv_lanes_get(lanes, b->lane_idx));
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

/* Take it when it is nearer to the place than the nearest so far. */
static void offer(struct rv_search_quest *recorded_search, uint32_t lane_idx, const struct rv_box *box)
{
    struct rv_search_place place = {box->start_ns, lane_idx, box->depth};
    int from_place = compare(recorded_search->lanes, &place, &recorded_search->place);
    if (recorded_search->is_forward ? from_place <= 0 : from_place >= 0)
        return;
    int from_hit = recorded_search->is_found ? compare(recorded_search->lanes, &place, &recorded_search->hit.place) : 0;
    if (recorded_search->is_found && (recorded_search->is_forward ? from_hit >= 0 : from_hit <= 0))
        return;
    recorded_search->hit = (struct rv_search_hit){place, *box};
    recorded_search->is_found = true;
}

static uint64_t count_boxes(struct rv_lanes *lanes, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t n = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_mutex_lock(&lane->lock);
        n += rv_timeline_count(lane->timeline, from_ns, to_ns, rv_timeline_sums_level(lane->timeline));
        pthread_mutex_unlock(&lane->lock);
    }
    return n;
}

/* Offer what starts in a window of one lane. What it has only summarized cannot be gone to. */
static void look_into_lane(struct rv_search *search, struct rv_search_quest *recorded_search, struct rv_lane *lane,
                           const uint64_t window[2])
{
    pthread_mutex_lock(&lane->lock);
    uint32_t level = rv_timeline_sums_level(lane->timeline);
    size_t n = rv_timeline_count(lane->timeline, window[0], window[1], level);
    search->boxes = rv_vec_reserve(search->boxes, &search->boxes_capacity, n, sizeof *search->boxes);
    n = rv_timeline_query(lane->timeline, window[0], window[1], level, search->boxes, search->boxes_capacity);
    pthread_mutex_unlock(&lane->lock);
    for (size_t i = 0; i < n; i++) {
        const struct rv_box *box = &search->boxes[i];
        bool is_call = level == 0 || box->coverage == RV_BOX_EXACT;
        if (is_call && box->start_ns >= window[0] && box->start_ns < window[1] &&
            rv_name_set_has(&search->matches, box->id))
            offer(recorded_search, lane->idx, box);
    }
}

static void look_into(struct rv_search *search, struct rv_search_quest *recorded_search, const uint64_t window[2])
{
    if (window[0] >= window[1] || recorded_search->is_found)
        return;
    if (window[1] - window[0] > 1 && count_boxes(recorded_search->lanes, window[0], window[1]) > MOST_BOXES) {
        uint64_t middle = window[0] + (window[1] - window[0]) / 2;
        const uint64_t halves[2][2] = {{window[0], middle}, {middle, window[1]}};
        look_into(search, recorded_search, halves[!recorded_search->is_forward]);
        look_into(search, recorded_search, halves[recorded_search->is_forward]);
        return;
    }
    for (size_t i = 0; i < rv_lanes_n(recorded_search->lanes); i++)
        look_into_lane(search, recorded_search, rv_lanes_get(recorded_search->lanes, i), window);
}

/* From here on all spans are exact. */
static uint64_t exact_from(struct rv_lanes *lanes)
{
    uint64_t exact_ns = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_mutex_lock(&lane->lock);
        uint64_t lane_ns = rv_timeline_exact_from_ns(lane->timeline);
        pthread_mutex_unlock(&lane->lock);
        exact_ns = lane_ns > exact_ns ? lane_ns : exact_ns;
    }
    return exact_ns;
}

/* The parts of time on the place's side in order: cells, then column by column; or the other way round. */
static void look_into_cells(struct rv_search *search, struct rv_search_quest *recorded_search, uint64_t exact_ns)
{
    uint64_t window[2] = {recorded_search->is_forward ? recorded_search->place.start_ns : 0, exact_ns};
    if (!recorded_search->is_forward && recorded_search->place.start_ns < UINT64_MAX &&
        recorded_search->place.start_ns + 1 < exact_ns)
        window[1] = recorded_search->place.start_ns + 1;
    look_into(search, recorded_search, window);
}

/* What starts in [from, to). */
static void look_into_columns(struct rv_search *search, struct rv_search_quest *recorded_search, uint64_t from_ns,
                              uint64_t to_ns)
{
    for (uint64_t i = 0; i < search->n_columns && !recorded_search->is_found; i++) {
        uint64_t column = recorded_search->is_forward ? i : search->n_columns - 1 - i;
        uint64_t window[2] = {(search->first_column + column) << search->shift, (search->first_column + column + 1)
                                                                                    << search->shift};
        bool is_behind = recorded_search->is_forward ? window[1] <= recorded_search->place.start_ns
                                                     : window[0] > recorded_search->place.start_ns;
        if (search->counts[column] == 0 || is_behind)
            continue;
        window[0] = window[0] > from_ns ? window[0] : from_ns;
        window[1] = window[1] < to_ns ? window[1] : to_ns;
        look_into(search, recorded_search, window);
    }
}

static void look_at_open(const struct rv_search *search, struct rv_search_quest *recorded_search)
{
    for (size_t i = 0; i < rv_lanes_n(recorded_search->lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(recorded_search->lanes, i);
        pthread_mutex_lock(&lane->lock);
        for (size_t j = 0; j < lane->n_open; j++) {
            const struct rv_lane_frame *frame = &lane->open[j];
            uint64_t duration_ns = lane->last_ns > frame->start_ns ? lane->last_ns - frame->start_ns : 0;
            struct rv_box box = {.start_ns = frame->start_ns,
                                 .duration_ns = duration_ns,
                                 .id = frame->id,
                                 .count = 1,
                                 .depth = frame->depth,
                                 .coverage = RV_BOX_EXACT,
                                 .flags = RV_SPAN_OPEN};
            if (rv_name_set_has(&search->matches, frame->id))
                offer(recorded_search, lane->idx, &box);
        }
        pthread_mutex_unlock(&lane->lock);
    }
}

static bool go(struct rv_search *search, struct rv_search_quest *recorded_search, struct rv_search_hit *hit)
{
    uint64_t exact_ns = exact_from(recorded_search->lanes);
    if (recorded_search->is_forward)
        look_into_cells(search, recorded_search, exact_ns);
    look_into_columns(search, recorded_search, exact_ns, UINT64_MAX);
    if (!recorded_search->is_forward)
        look_into_cells(search, recorded_search, exact_ns);
    look_at_open(search, recorded_search);
    if (recorded_search->is_found)
        *hit = recorded_search->hit;
    return recorded_search->is_found;
}

bool rv_search_next(struct rv_search *search, struct rv_lanes *lanes, const struct rv_search_place *place,
                    struct rv_search_hit *hit)
{
    struct rv_search_quest recorded_search = {.lanes = lanes, .place = *place, .is_forward = true};
    return search->is_on && go(search, &recorded_search, hit);
}

bool rv_search_previous(struct rv_search *search, struct rv_lanes *lanes, const struct rv_search_place *place,
                        struct rv_search_hit *hit)
{
    struct rv_search_quest recorded_search = {.lanes = lanes, .place = *place};
    return search->is_on && go(search, &recorded_search, hit);
}

void rv_search_look_at(struct rv_search *search, struct rv_search_quest *recorded_search, uint32_t lane_idx,
                       const struct rv_timeline *calls)
{
    struct rv_span_iter walk = {.n_missed = 0};
    fit_boxes(search);
    for (size_t n = PIECE; n == PIECE;) {
        n = rv_span_iter_next(&walk, calls, search->boxes, PIECE);
        for (size_t i = 0; i < n; i++)
            if (rv_name_set_has(&search->matches, search->boxes[i].id))
                offer(recorded_search, lane_idx, &search->boxes[i]);
    }
}

void rv_search_look_into(struct rv_search *search, struct rv_search_quest *recorded_search, uint64_t from_ns,
                         uint64_t to_ns)
{
    struct rv_search_quest part = {
        .lanes = recorded_search->lanes, .place = recorded_search->place, .is_forward = recorded_search->is_forward};
    look_into_columns(search, &part, from_ns, to_ns);
    if (part.is_found)
        offer(recorded_search, part.hit.place.lane_idx, &part.hit.box);
}
