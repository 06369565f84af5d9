#include "waits/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/clock.h"
#include "base/vec.h"

/* When there is no more room, so much of it is made. */
enum { SHARE_GONE = 16, SAMPLES = 1024 };

struct rv_waits *rv_waits_create(struct rv_lanes *lanes, size_t most_bytes)
{
    struct rv_waits *waits = rv_alloc(1, sizeof *waits);
    waits->lanes = lanes;
    waits->most_bytes = most_bytes ? most_bytes : RV_WAITS_MOST_BYTES;
    pthread_mutex_init(&waits->lock, NULL);
    return waits;
}

void rv_waits_destroy(struct rv_waits *waits)
{
    if (!waits)
        return;
    for (size_t i = 0; i < waits->n_lanes; i++) {
        free(waits->on_lanes[i].waits);
        free(waits->on_lanes[i].releases);
        free(waits->on_lanes[i].stretches);
        free(waits->on_lanes[i].releasing);
    }
    free(waits->on_lanes);
    rv_wait_sums_fini(&waits->gone);
    pthread_mutex_destroy(&waits->lock);
    free(waits);
}

static struct rv_waits_lane *lane_at(struct rv_waits *waits, uint32_t lane_idx)
{
    if (lane_idx >= waits->n_lanes)
        waits->on_lanes =
            rv_vec_extend(waits->on_lanes, &waits->n_lanes, (size_t)lane_idx + 1, sizeof *waits->on_lanes);
    return &waits->on_lanes[lane_idx];
}

/* ---- the oldest are discarded ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sample(uint64_t *times, size_t *n, const void *items, size_t n_items, size_t item_bytes, size_t offset,
                   size_t step)
{
    for (size_t i = step / 2; i < n_items && *n < 2 * SAMPLES; i += step)
        memcpy(&times[(*n)++], (const char *)items + i * item_bytes + offset, sizeof *times);
}

/* A time before which lies about a SHARE_GONE-th of them. */
static uint64_t choose_time(const struct rv_waits *waits)
{
    uint64_t times[2 * SAMPLES];
    size_t n = 0;
    const size_t step = waits->n_bytes / sizeof(struct rv_release) / SAMPLES + 1;
    for (size_t i = 0; i < waits->n_lanes; i++) {
        const struct rv_waits_lane *lane = &waits->on_lanes[i];
        sample(times, &n, lane->waits, lane->n_waits, sizeof *lane->waits, offsetof(struct rv_wait, end_ns), step);
        sample(times, &n, lane->releases, lane->n_releases, sizeof *lane->releases, offsetof(struct rv_release, at_ns),
               step);
    }
    qsort(times, n, sizeof *times, by_value);
    return n ? times[n / SHARE_GONE] : UINT64_MAX;
}

static bool find_release(void *context, uint32_t lane_idx, const struct rv_release_sought *sought,
                         struct rv_release *release)
{
    const struct rv_waits *waits = context;
    const struct rv_waits_lane *lane = lane_idx < waits->n_lanes ? &waits->on_lanes[lane_idx] : NULL;
    const struct rv_release *found = lane ? rv_wakers_release_in(lane->releases, lane->n_releases, sought) : NULL;
    if (found)
        *release = *found;
    return found != NULL;
}

static size_t count_until(const struct rv_waits_lane *lane, uint64_t until_ns)
{
    return rv_bisect_count(lane->waits, lane->n_waits, sizeof *lane->waits, offsetof(struct rv_wait, end_ns), until_ns);
}

/* Places are indices. */
static bool find_last(void *context, uint32_t lane_idx, uint64_t at_ns, uint64_t before, struct rv_wait *wait,
                      uint64_t *place)
{
    const struct rv_waits *waits = context;
    const struct rv_waits_lane *lane = lane_idx < waits->n_lanes ? &waits->on_lanes[lane_idx] : NULL;
    const size_t n_ended = lane ? count_until(lane, at_ns) : 0, n = before < n_ended ? (size_t)before : n_ended;
    if (!n)
        return false;
    *place = n - 1;
    *wait = lane->waits[n - 1];
    return true;
}

static void sum_up(struct rv_waits *waits, const struct rv_waits_lane *lane, const struct rv_wakers *wakers,
                   uint64_t until_ns)
{
    const size_t n = count_until(lane, until_ns);
    for (size_t i = 0; i < n; i++) {
        const struct rv_wait_edge edge = rv_wakers_edge(wakers, &lane->waits[i], find_release, waits);
        rv_wait_sums_add(&waits->gone, &edge, rv_wakers_passed_ns(&edge, find_last, waits));
    }
}

static void let_waits_go(struct rv_waits *waits, struct rv_waits_lane *lane, uint64_t until_ns)
{
    const size_t n = count_until(lane, until_ns);
    lane->n_waits -= n;
    lane->n_gone += n;
    if (n)
        memmove(lane->waits, lane->waits + n, lane->n_waits * sizeof *lane->waits);
    waits->n_bytes -= n * sizeof *lane->waits;
    waits->state.n_gone += waits->has_copies ? 0 : n;
}

static void let_releases_go(struct rv_waits *waits, struct rv_waits_lane *lane, uint64_t until_ns)
{
    const size_t n = rv_bisect_count(lane->releases, lane->n_releases, sizeof *lane->releases,
                                     offsetof(struct rv_release, at_ns), until_ns);
    lane->n_releases -= n;
    if (n)
        memmove(lane->releases, lane->releases + n, lane->n_releases * sizeof *lane->releases);
    waits->n_bytes -= n * sizeof *lane->releases;
    waits->state.n_gone += waits->has_copies ? 0 : n;
}

/* Who ended a wait, and what that thread waited for itself, is looked up before any of them go. */
static void make_room(struct rv_waits *waits)
{
    struct rv_wakers wakers;
    const uint64_t until_ns = choose_time(waits);
    rv_wakers_init(&wakers, waits->lanes);
    for (size_t i = 0; i < waits->n_lanes; i++)
        sum_up(waits, &waits->on_lanes[i], &wakers, until_ns);
    for (size_t i = 0; i < waits->n_lanes; i++) {
        let_waits_go(waits, &waits->on_lanes[i], until_ns);
        let_releases_go(waits, &waits->on_lanes[i], until_ns);
    }
    rv_wakers_fini(&wakers);
    waits->memory_from_ns = until_ns > waits->memory_from_ns ? until_ns : waits->memory_from_ns;
    waits->state.gone_ns = waits->has_copies ? 0 : waits->memory_from_ns;
}

/* ---- what comes ---- */

static void set_begin(struct rv_waits_lane *lane, uint64_t begin_ns)
{
    lane->begin_ns = lane->has_begun && lane->begin_ns < begin_ns ? lane->begin_ns : begin_ns;
    lane->has_begun = true;
}

static void count_bytes(struct rv_waits *waits, size_t n_bytes)
{
    waits->n_bytes += n_bytes;
    if (waits->n_bytes > waits->most_bytes)
        make_room(waits);
}

static void count_waits(struct rv_waits *waits, uint64_t n)
{
    waits->state.n += n;
    atomic_store_explicit(&waits->n, waits->state.n, memory_order_relaxed);
}

void rv_waits_add(struct rv_waits *waits, const struct rv_wait *wait)
{
    pthread_mutex_lock(&waits->lock);
    struct rv_waits_lane *lane = lane_at(waits, wait->lane);
    lane->waits = rv_vec_reserve(lane->waits, &lane->waits_capacity, lane->n_waits + 1, sizeof *lane->waits);
    lane->waits[lane->n_waits++] = *wait;
    set_begin(lane, wait->start_ns);
    count_waits(waits, 1);
    count_bytes(waits, sizeof *wait);
    pthread_mutex_unlock(&waits->lock);
}

void rv_waits_add_release(struct rv_waits *waits, const struct rv_release *release)
{
    pthread_mutex_lock(&waits->lock);
    struct rv_waits_lane *lane = lane_at(waits, release->lane);
    lane->releases =
        rv_vec_reserve(lane->releases, &lane->releases_capacity, lane->n_releases + 1, sizeof *lane->releases);
    lane->releases[lane->n_releases++] = *release;
    waits->state.n_releases++;
    count_bytes(waits, sizeof *release);
    pthread_mutex_unlock(&waits->lock);
}

void rv_waits_set_open(struct rv_waits *waits, uint32_t lane_idx, const struct rv_wait *wait)
{
    pthread_mutex_lock(&waits->lock);
    struct rv_waits_lane *lane = lane_at(waits, lane_idx);
    atomic_fetch_add_explicit(&waits->n_open, (size_t)(wait != NULL) - (size_t)lane->has_open, memory_order_relaxed);
    lane->has_open = wait != NULL;
    lane->open = wait ? *wait : lane->open;
    lane->open.lane = lane_idx;
    lane->told_ns = rv_clock_mono_ns();
    pthread_mutex_unlock(&waits->lock);
}

void rv_waits_set_loader(struct rv_waits *waits, rv_wait_page_load_fn load, void *context, bool has_copies)
{
    pthread_mutex_lock(&waits->lock);
    waits->load = load;
    waits->load_context = context;
    waits->has_copies = has_copies;
    pthread_mutex_unlock(&waits->lock);
}

static void add_to(struct rv_waits_stretch **list, size_t *n, size_t *capacity, const struct rv_wait_stretch *stretch)
{
    const struct rv_waits_stretch *last = *n ? &(*list)[*n - 1] : NULL;
    const uint64_t first = last ? last->first + last->of.n_waits : 0;
    *list = rv_vec_reserve(*list, capacity, *n + 1, sizeof **list);
    (*list)[(*n)++] = (struct rv_waits_stretch){*stretch, first};
}

void rv_waits_add_stretch(struct rv_waits *waits, const struct rv_wait_stretch *stretch)
{
    pthread_mutex_lock(&waits->lock);
    struct rv_waits_lane *lane = lane_at(waits, stretch->lane);
    if (stretch->n_waits)
        set_begin(lane, stretch->begin_ns);
    if (stretch->n_waits)
        add_to(&lane->stretches, &lane->n_stretches, &lane->stretches_capacity, stretch);
    if (stretch->n_releases)
        add_to(&lane->releasing, &lane->n_releasing, &lane->releasing_capacity, stretch);
    count_waits(waits, waits->has_copies ? 0 : stretch->n_waits);
    waits->state.n_releases += waits->has_copies ? 0 : stretch->n_releases;
    pthread_mutex_unlock(&waits->lock);
}

struct rv_waits_state rv_waits_state(struct rv_waits *waits)
{
    pthread_mutex_lock(&waits->lock);
    const struct rv_waits_state state = waits->state;
    pthread_mutex_unlock(&waits->lock);
    return state;
}

size_t rv_waits_n(const struct rv_waits *waits)
{
    return atomic_load_explicit(&waits->n, memory_order_relaxed);
}

size_t rv_waits_n_open(const struct rv_waits *waits)
{
    return atomic_load_explicit(&waits->n_open, memory_order_relaxed);
}
