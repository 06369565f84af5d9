#include "query/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define PIECE 8192u /* calls searched per lock */
#define CALLS_PER_NAME 64u

void rv_search_set_waited(struct rv_search *search, const struct rv_waited_calls *waited)
{
    if (search->waited == waited)
        return;
    rv_waited_calls_release(search->waited);
    search->waited = rv_waited_calls_hold(waited);
    search->n_filters++;
}

int rv_search_start(struct rv_search *search, const char *text, char *why, size_t why_bytes)
{
    rv_search_stop(search);
    const char *waited_for = rv_waited_calls_sought(text);
    search->is_for_waits = waited_for != NULL;
    text = waited_for ? waited_for : text;
    int error = !waited_for && rv_filter_is_for_arguments(text)
                    ? rv_filter_add(&search->arguments, text, why, why_bytes)
                    : rv_regex_init(&search->pattern, text, why, why_bytes);
    rv_name_set_init(&search->matches, RV_NAME_SET_NAME, &search->pattern);
    search->is_on = !error;
    return error;
}

void rv_search_stop(struct rv_search *search)
{
    rv_name_set_fini(&search->matches);
    rv_regex_fini(&search->pattern);
    rv_filter_release(search->arguments);
    rv_filter_release(search->filter);
    rv_waited_calls_release(search->waited);
    free(search->walks);
    free(search->boxes);
    memset(search, 0, sizeof *search);
}

static uint64_t generation_of(const struct rv_search *search)
{
    return rv_name_set_generation(&search->matches) + rv_filter_generation(search->arguments) +
           rv_filter_generation(search->filter) + search->n_filters;
}

bool rv_search_obey(struct rv_search *search, const struct rv_filter *filter)
{
    if (search->filter == filter)
        return false;
    rv_filter_release(search->filter);
    search->filter = rv_filter_hold(filter);
    search->n_filters++;
    return true;
}

void rv_search_restart(struct rv_search *search)
{
    if (search->walks)
        memset(search->walks, 0, search->n_walks * sizeof *search->walks);
    memset(search->counts, 0, sizeof search->counts);
    search->n_hits = search->n_columns = 0;
    search->shift = 0;
    search->next_lane = 0;
    search->generation = generation_of(search);
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

/* Count the hits among the first n boxes. */
static void count_boxed(struct rv_search *search, const struct rv_lane *lane, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rv_search_is_hit(search, lane, &search->boxes[i]))
            count_hits(search, search->boxes[i].start_ns, 1);
}

static size_t look_at_lane(struct rv_search *search, struct rv_lane *lane, struct rv_span_iter *walk, size_t max)
{
    pthread_rwlock_wrlock(&lane->lock);
    size_t n = rv_span_iter_next(walk, lane->timeline, search->boxes, max);
    bool passes = rv_filter_passes_thread(search->filter, lane->name);
    pthread_rwlock_unlock(&lane->lock);
    if (passes)
        count_boxed(search, lane, n);
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

void rv_search_pass(struct rv_search *search, const struct rv_lanes *lanes, uint32_t lane_idx, uint64_t paged_before_ns)
{
    struct rv_lane *lane = rv_lanes_get(lanes, lane_idx);
    if (lane_idx >= search->n_walks)
        fit_walks(search, (size_t)lane_idx + 1);
    pthread_rwlock_wrlock(&lane->lock);
    if (paged_before_ns)
        rv_span_iter_pass(&search->walks[lane_idx], lane->timeline, paged_before_ns);
    pthread_rwlock_unlock(&lane->lock);
}

/* Visit lanes in turn, so that growing lanes do not starve others. Returns whether all are searched to their ends. */
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
    search->is_named = search->arguments ? rv_filter_update(search->arguments, subroutines, most)
                                         : rv_name_set_update(&search->matches, subroutines, most / CALLS_PER_NAME + 1);
    if (search->generation != generation_of(search))
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
        pthread_rwlock_wrlock(&lane->lock);
        bool passes = rv_filter_passes_thread(search->filter, lane->name);
        for (size_t j = 0; j < lane->n_open && passes; j++) {
            struct rv_box box = rv_lane_open_box(lane, j);
            n += rv_search_is_hit(search, lane, &box);
        }
        *is_partial |= rv_timeline_is_backed(lane->timeline) && rv_timeline_released_ns(lane->timeline, 0) > 0;
        pthread_rwlock_unlock(&lane->lock);
        *is_partial |= i < search->n_walks && search->walks[i].n_missed > 0;
    }
    return n;
}

bool rv_search_passes_lane(const struct rv_search *search, struct rv_lane *lane)
{
    pthread_rwlock_wrlock(&lane->lock);
    bool passes = rv_filter_passes_thread(search->filter, lane->name);
    pthread_rwlock_unlock(&lane->lock);
    return passes;
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

void rv_search_add(struct rv_search *search, const struct rv_timeline *calls, struct rv_lane *lane)
{
    if (!rv_search_passes_lane(search, lane))
        return;
    struct rv_span_iter walk = {.n_missed = 0};
    fit_boxes(search);
    for (size_t n = PIECE; n == PIECE;) {
        n = rv_span_iter_next(&walk, calls, search->boxes, PIECE);
        count_boxed(search, lane, n);
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
