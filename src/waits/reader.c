/* The places of a lane's waits: first of those that can be loaded, then of those in memory. */
#include "waits/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/clock.h"
#include "base/vec.h"
#include "waits/store.h"

enum { MOST_PAGES = 4, MOST_BYTES = 64 << 20 }; /* of pages together, but the last one is kept whatever its size */

static const rv_wait_place IN_MEMORY = UINT64_C(1) << 62;

struct loaded {
    uint64_t page, used; /* used 0: it is free */
    struct rv_wait_page content;
};

struct rv_wait_reader {
    struct rv_waits *waits;
    bool (*is_wanted)(void *context);
    void *context;
    struct rv_wakers wakers;
    struct loaded pages[MOST_PAGES];
    uint64_t n_used, end_ns; /* end_ns: of the last event of all lanes */
    unsigned n_holds;
    bool has_missed;
};

struct rv_wait_reader *rv_wait_reader_open(struct rv_waits *waits, bool (*is_wanted)(void *context), void *context)
{
    struct rv_wait_reader *reader = rv_alloc(1, sizeof *reader);
    reader->waits = waits;
    reader->is_wanted = is_wanted;
    reader->context = context;
    rv_wakers_init(&reader->wakers, waits->lanes);
    uint64_t begin_ns;
    (void)rv_lanes_bounds(waits->lanes, &begin_ns, &reader->end_ns);
    return reader;
}

static void free_page(struct loaded *loaded)
{
    free(loaded->content.waits);
    free(loaded->content.releases);
    *loaded = (struct loaded){.used = 0};
}

void rv_wait_reader_close(struct rv_wait_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < MOST_PAGES; i++)
        free_page(&reader->pages[i]);
    rv_wakers_fini(&reader->wakers);
    free(reader);
}

bool rv_wait_reader_has_missed(const struct rv_wait_reader *reader)
{
    return reader->has_missed;
}

void rv_wait_reader_hold(struct rv_wait_reader *reader)
{
    if (reader->n_holds++ == 0)
        pthread_mutex_lock(&reader->waits->lock);
}

void rv_wait_reader_let_go(struct rv_wait_reader *reader)
{
    if (--reader->n_holds == 0)
        pthread_mutex_unlock(&reader->waits->lock);
}

/* ---- pages ---- */

static struct loaded *find_page(struct rv_wait_reader *reader, uint64_t page)
{
    for (size_t i = 0; i < MOST_PAGES; i++)
        if (reader->pages[i].used && reader->pages[i].page == page)
            return &reader->pages[i];
    return NULL;
}

static struct loaded *take_oldest(struct rv_wait_reader *reader)
{
    struct loaded *oldest = &reader->pages[0];
    for (size_t i = 1; i < MOST_PAGES; i++)
        oldest = reader->pages[i].used < oldest->used ? &reader->pages[i] : oldest;
    free_page(oldest);
    return oldest;
}

static size_t bytes_of(const struct loaded *loaded)
{
    const struct rv_wait_page *page = &loaded->content;
    return page->n_waits * sizeof *page->waits + page->n_releases * sizeof *page->releases;
}

/* Waits that were taken from other pages are copies. */
static void make_room(struct rv_wait_reader *reader, const struct loaded *kept)
{
    size_t n_bytes = 0;
    for (size_t i = 0; i < MOST_PAGES; i++)
        n_bytes += bytes_of(&reader->pages[i]);
    for (size_t i = 0; i < MOST_PAGES && n_bytes > MOST_BYTES; i++)
        if (&reader->pages[i] != kept) {
            n_bytes -= bytes_of(&reader->pages[i]);
            free_page(&reader->pages[i]);
        }
}

static struct loaded *load_page(struct rv_wait_reader *reader, uint64_t page)
{
    const rv_wait_page_load_fn load = reader->waits->load;
    void *context = reader->waits->load_context;
    struct loaded *loaded = take_oldest(reader);
    pthread_mutex_unlock(&reader->waits->lock);
    const bool is_wanted = !reader->is_wanted || reader->is_wanted(reader->context);
    const bool is_there = is_wanted && load(context, page, &loaded->content);
    pthread_mutex_lock(&reader->waits->lock);
    reader->has_missed |= !is_there;
    loaded->page = page;
    loaded->used = is_there;
    make_room(reader, loaded);
    return is_there ? loaded : NULL;
}

/* The page of a stretch, with all of it; NULL: it cannot be had. The lock is held, and released while it is loaded. */
static const struct rv_wait_page *page_of(struct rv_wait_reader *reader, const struct rv_wait_stretch *stretch)
{
    struct loaded *loaded = find_page(reader, stretch->page);
    loaded = loaded ? loaded : load_page(reader, stretch->page);
    if (!loaded)
        return NULL;
    loaded->used = ++reader->n_used;
    const struct rv_wait_page *page = &loaded->content;
    const bool is_sound = stretch->first_wait + stretch->n_waits <= page->n_waits &&
                          stretch->first_release + stretch->n_releases <= page->n_releases;
    reader->has_missed |= !is_sound;
    return is_sound ? page : NULL;
}

static const struct rv_wait *waits_of(struct rv_wait_reader *reader, const struct rv_wait_stretch *stretch)
{
    const struct rv_wait_page *page = page_of(reader, stretch);
    return page ? page->waits + stretch->first_wait : NULL;
}

/* ---- a lane's waits ---- */

static struct rv_waits_lane *lane_of(const struct rv_wait_reader *reader, uint32_t lane_idx)
{
    return lane_idx < reader->waits->n_lanes && lane_idx < reader->wakers.n ? &reader->waits->on_lanes[lane_idx] : NULL;
}

static size_t count_until(const struct rv_wait *waits, size_t n, uint64_t at_ns)
{
    return rv_bisect_count(waits, n, sizeof *waits, offsetof(struct rv_wait, end_ns), at_ns);
}

/* Loaded copies are read only of waits that are no longer in memory. */
static uint64_t loaded_until(const struct rv_wait_reader *reader, uint64_t to_ns)
{
    const struct rv_waits *waits = reader->waits;
    return waits->has_copies && waits->memory_from_ns < to_ns ? waits->memory_from_ns : to_ns;
}

/* Stretches with waits that ended at a time or before. */
static size_t count_stretches(const struct rv_waits_lane *lane, uint64_t at_ns)
{
    return rv_bisect_count(lane->stretches, lane->n_stretches, sizeof *lane->stretches,
                           offsetof(struct rv_waits_stretch, of.first_ns), at_ns);
}

static size_t count_stretches_before(const struct rv_waits_lane *lane, rv_wait_place place)
{
    return rv_bisect_below(lane->stretches, lane->n_stretches, sizeof *lane->stretches,
                           offsetof(struct rv_waits_stretch, first), place);
}

/* Number of waits in memory that came late, of which loaded copies are read instead. */
static size_t count_late(const struct rv_wait_reader *reader, const struct rv_waits_lane *lane)
{
    return reader->waits->has_copies ? count_until(lane->waits, lane->n_waits, reader->waits->memory_from_ns) : 0;
}

static bool last_in_memory(const struct rv_wait_reader *reader, const struct rv_waits_lane *lane, uint64_t at_ns,
                           rv_wait_place before, struct rv_wait *wait, rv_wait_place *place)
{
    const rv_wait_place first = IN_MEMORY + lane->n_gone;
    size_t n = count_until(lane->waits, lane->n_waits, at_ns);
    if (before <= first)
        return false;
    n = before - first < n ? (size_t)(before - first) : n;
    if (n <= count_late(reader, lane))
        return false;
    *wait = lane->waits[n - 1];
    *place = first + n - 1;
    return true;
}

static void take_out(struct rv_wait *wait, rv_wait_place *place, const struct rv_waits_stretch *stretch,
                     const struct rv_wait *waits, size_t idx)
{
    *wait = waits[idx];
    wait->lane = stretch->of.lane;
    *place = stretch->first + idx;
}

static bool last_loaded(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t at_ns, rv_wait_place before,
                        struct rv_wait *wait, rv_wait_place *place)
{
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    at_ns = loaded_until(reader, at_ns);
    const size_t n_ended = count_stretches(lane, at_ns), n_before = count_stretches_before(lane, before);
    const size_t n = n_ended < n_before ? n_ended : n_before;
    if (n == 0)
        return false;
    const struct rv_waits_stretch stretch = lane->stretches[n - 1];
    const struct rv_wait *waits = waits_of(reader, &stretch.of);
    size_t idx = waits ? count_until(waits, stretch.of.n_waits, at_ns) : 0;
    idx = before - stretch.first < idx ? (size_t)(before - stretch.first) : idx;
    if (idx)
        take_out(wait, place, &stretch, waits, idx - 1);
    return idx != 0;
}

bool rv_wait_reader_last(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t at_ns, rv_wait_place before,
                         struct rv_wait *wait, rv_wait_place *place)
{
    rv_wait_reader_hold(reader);
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    const bool is_found = lane && (last_in_memory(reader, lane, at_ns, before, wait, place) ||
                                   last_loaded(reader, lane_idx, at_ns, before, wait, place));
    rv_wait_reader_let_go(reader);
    return is_found;
}

/* The first of a lane that can be loaded and ends after a time; false: it does not begin before it, or there is none. */
static bool present_loaded(struct rv_wait_reader *reader, const struct rv_waits_lane *lane, uint64_t at_ns,
                           struct rv_wait *wait, rv_wait_place *place)
{
    size_t n = count_stretches(lane, at_ns);
    n -= n && lane->stretches[n - 1].of.last_ns > at_ns;
    if (n == lane->n_stretches || lane->stretches[n].of.begin_ns >= at_ns)
        return false;
    const struct rv_waits_stretch stretch = lane->stretches[n];
    const struct rv_wait *waits = waits_of(reader, &stretch.of);
    const size_t idx = waits ? count_until(waits, stretch.of.n_waits, at_ns) : stretch.of.n_waits;
    if (idx == stretch.of.n_waits || waits[idx].start_ns >= at_ns)
        return false;
    take_out(wait, place, &stretch, waits, idx);
    return true;
}

static bool present_in_memory(const struct rv_wait_reader *reader, const struct rv_waits_lane *lane, uint64_t at_ns,
                              struct rv_wait *wait, rv_wait_place *place)
{
    const size_t n_ended = count_until(lane->waits, lane->n_waits, at_ns), n_late = count_late(reader, lane);
    const size_t n = n_ended > n_late ? n_ended : n_late;
    if (n == lane->n_waits || lane->waits[n].start_ns >= at_ns)
        return false;
    *wait = lane->waits[n];
    *place = IN_MEMORY + lane->n_gone + n;
    return true;
}

bool rv_wait_reader_present(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t at_ns, struct rv_wait *wait,
                            rv_wait_place *place)
{
    rv_wait_reader_hold(reader);
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    const bool is_found = lane && (present_in_memory(reader, lane, at_ns, wait, place) ||
                                   present_loaded(reader, lane, at_ns, wait, place));
    rv_wait_reader_let_go(reader);
    return is_found;
}

bool rv_wait_reader_get(struct rv_wait_reader *reader, uint32_t lane_idx, rv_wait_place place, struct rv_wait *wait)
{
    rv_wait_place found;
    return rv_wait_reader_last(reader, lane_idx, UINT64_MAX, place + 1, wait, &found) && found == place;
}

/* In a recording, a lane's last wait may not have ended: then it tells who has the lock. */
bool rv_wait_reader_open_wait(struct rv_wait_reader *reader, uint32_t lane_idx, struct rv_wait *wait)
{
    rv_wait_place place;
    rv_wait_reader_hold(reader);
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    const bool is_open = lane && lane->has_open;
    if (is_open) {
        const uint64_t by_clock_ns = lane->open.start_ns + rv_clock_mono_ns() - lane->told_ns;
        *wait = lane->open;
        wait->end_ns = reader->end_ns > by_clock_ns ? reader->end_ns : by_clock_ns;
    }
    rv_wait_reader_let_go(reader);
    return is_open || (rv_wait_reader_last(reader, lane_idx, UINT64_MAX, RV_WAIT_PLACE_END, wait, &place) &&
                       wait->wake == RV_WAKE_UNKNOWN && wait->waker);
}

uint64_t rv_wait_reader_begin(struct rv_wait_reader *reader, uint32_t lane_idx)
{
    rv_wait_reader_hold(reader);
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    const uint64_t begin_ns = lane && lane->has_begun ? lane->begin_ns : UINT64_MAX;
    rv_wait_reader_let_go(reader);
    return begin_ns;
}

/* ---- releases ---- */

static bool release_in_memory(const struct rv_waits_lane *lane, const struct rv_release_sought *sought,
                              struct rv_release *release)
{
    const struct rv_release *found = rv_wakers_release_in(lane->releases, lane->n_releases, sought);
    if (found)
        *release = *found;
    return found != NULL;
}

static bool release_in_stretch(struct rv_wait_reader *reader, const struct rv_wait_stretch *stretch,
                               const struct rv_release_sought *sought, struct rv_release *release)
{
    const struct rv_wait_page *page = page_of(reader, stretch);
    const struct rv_release *found =
        page ? rv_wakers_release_in(page->releases + stretch->first_release, stretch->n_releases, sought) : NULL;
    if (!found)
        return false;
    *release = *found;
    release->lane = stretch->lane;
    return true;
}

static bool find_release(void *context, uint32_t lane_idx, const struct rv_release_sought *sought,
                         struct rv_release *release)
{
    struct rv_wait_reader *reader = context;
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    if (!lane)
        return false;
    if (release_in_memory(lane, sought, release))
        return true;
    for (size_t n =
             rv_bisect_count(lane->releasing, lane->n_releasing, sizeof *lane->releasing,
                             offsetof(struct rv_waits_stretch, of.first_release_ns), rv_release_sought_end(sought));
         n; n--) {
        const struct rv_wait_stretch stretch = lane_of(reader, lane_idx)->releasing[n - 1].of;
        if (stretch.last_release_ns + RV_WAKERS_ROUNDING_NS < sought->from_ns)
            return false;
        if (release_in_stretch(reader, &stretch, sought, release))
            return true;
    }
    return false;
}

static bool give_releases(const struct rv_release *releases, size_t n, uint64_t from_ns,
                          bool (*take)(void *context, const struct rv_release *release), void *context)
{
    while (n && releases[n - 1].at_ns >= from_ns)
        if (!take(context, &releases[--n]))
            return false;
    return n == 0;
}

void rv_wait_reader_each_release_back(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t from_ns,
                                      bool (*take)(void *context, const struct rv_release *release), void *context)
{
    rv_wait_reader_hold(reader);
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    bool goes_on = lane && give_releases(lane->releases, lane->n_releases, from_ns, take, context);
    for (size_t n = lane ? lane->n_releasing : 0; goes_on && n; n--) {
        const struct rv_wait_stretch stretch = lane_of(reader, lane_idx)->releasing[n - 1].of;
        const struct rv_wait_page *page = stretch.last_release_ns >= from_ns ? page_of(reader, &stretch) : NULL;
        goes_on =
            page && give_releases(page->releases + stretch.first_release, stretch.n_releases, from_ns, take, context);
    }
    rv_wait_reader_let_go(reader);
}

struct rv_wait_edge rv_wait_reader_edge(struct rv_wait_reader *reader, const struct rv_wait *wait)
{
    rv_wait_reader_hold(reader);
    const struct rv_wait_edge edge = rv_wakers_edge(&reader->wakers, wait, find_release, reader);
    rv_wait_reader_let_go(reader);
    return edge;
}

/* ---- many ---- */

struct listed {
    struct rv_waits_stretch *all;
    size_t n, capacity;
};

static int by_page(const void *a, const void *b)
{
    const struct rv_wait_stretch *x = &((const struct rv_waits_stretch *)a)->of,
                                 *y = &((const struct rv_waits_stretch *)b)->of;
    if (x->page != y->page)
        return x->page < y->page ? -1 : 1;
    return x->first_wait < y->first_wait ? -1 : x->first_wait > y->first_wait;
}

/* Page by page, so that each is loaded once. */
static struct listed list_stretches(struct rv_wait_reader *reader, uint64_t from_ns, uint64_t to_ns)
{
    struct listed listed = {.n = 0};
    rv_wait_reader_hold(reader);
    for (uint32_t k = 0; k < reader->wakers.n; k++) {
        const struct rv_waits_lane *lane = lane_of(reader, k);
        const size_t n = lane ? count_stretches(lane, loaded_until(reader, to_ns)) : 0;
        for (size_t i = n; i-- > 0 && lane->stretches[i].of.last_ns > from_ns;) {
            listed.all = rv_vec_reserve(listed.all, &listed.capacity, listed.n + 1, sizeof *listed.all);
            listed.all[listed.n++] = lane->stretches[i];
        }
    }
    rv_wait_reader_let_go(reader);
    if (listed.n)
        qsort(listed.all, listed.n, sizeof *listed.all, by_page);
    return listed;
}

struct copied {
    struct rv_wait *waits;
    size_t n, capacity;
    rv_wait_place first;
};

static void copy(struct copied *copied, const struct rv_wait *waits, size_t first, size_t n, rv_wait_place place)
{
    copied->waits = rv_vec_reserve(copied->waits, &copied->capacity, n, sizeof *waits);
    if (n)
        memcpy(copied->waits, waits + first, n * sizeof *waits);
    copied->n = n;
    copied->first = place + first;
}

static void copy_stretch(struct rv_wait_reader *reader, struct copied *copied, const struct rv_waits_stretch *stretch,
                         uint64_t from_ns, uint64_t to_ns)
{
    rv_wait_reader_hold(reader);
    const struct rv_wait *waits = waits_of(reader, &stretch->of);
    const size_t first = waits ? count_until(waits, stretch->of.n_waits, from_ns) : 0;
    const size_t end = waits ? count_until(waits, stretch->of.n_waits, to_ns) : 0;
    copy(copied, waits, first, end - first, stretch->first);
    for (size_t i = 0; i < copied->n; i++)
        copied->waits[i].lane = stretch->of.lane;
    rv_wait_reader_let_go(reader);
}

static void copy_lane(struct rv_wait_reader *reader, struct copied *copied, uint32_t lane_idx, uint64_t from_ns,
                      uint64_t to_ns)
{
    rv_wait_reader_hold(reader);
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    const size_t first = lane ? count_until(lane->waits, lane->n_waits, from_ns) : 0;
    const size_t end = lane ? count_until(lane->waits, lane->n_waits, to_ns) : 0;
    copy(copied, lane ? lane->waits : NULL, first, end - first, lane ? IN_MEMORY + lane->n_gone : 0);
    rv_wait_reader_let_go(reader);
}

static bool take_copied(const struct copied *copied,
                        bool (*take)(void *context, const struct rv_wait *wait, rv_wait_place place), void *context)
{
    for (size_t i = 0; i < copied->n; i++)
        if (!take(context, &copied->waits[i], copied->first + i))
            return false;
    return true;
}

static void each_in_memory(struct rv_wait_reader *reader, uint64_t from_ns, uint64_t to_ns,
                           bool (*take)(void *context, const struct rv_wait *wait, rv_wait_place place), void *context)
{
    struct copied copied = {.n = 0};
    bool goes_on = true;
    for (uint32_t i = 0; i < reader->wakers.n && goes_on; i++) {
        copy_lane(reader, &copied, i, from_ns, to_ns);
        goes_on = take_copied(&copied, take, context);
    }
    free(copied.waits);
}

/* Waits in memory are read from here on; of earlier ones, the loaded copies are. */
static uint64_t later_than(struct rv_wait_reader *reader, uint64_t from_ns)
{
    rv_wait_reader_hold(reader);
    const uint64_t memory_from_ns = reader->waits->has_copies ? reader->waits->memory_from_ns : 0;
    rv_wait_reader_let_go(reader);
    return memory_from_ns > from_ns ? memory_from_ns : from_ns;
}

void rv_wait_reader_each(struct rv_wait_reader *reader, uint64_t from_ns, uint64_t to_ns,
                         bool (*take)(void *context, const struct rv_wait *wait, rv_wait_place place), void *context)
{
    struct listed listed = list_stretches(reader, from_ns, to_ns);
    struct copied copied = {.n = 0};
    bool goes_on = true;
    for (size_t i = 0; i < listed.n && goes_on; i++) {
        copy_stretch(reader, &copied, &listed.all[i], from_ns, loaded_until(reader, to_ns));
        goes_on = take_copied(&copied, take, context);
    }
    free(copied.waits);
    free(listed.all);
    if (goes_on)
        each_in_memory(reader, later_than(reader, from_ns), to_ns, take, context);
}

/* ---- many releases ---- */

struct copied_releases {
    struct rv_release *releases;
    size_t n, capacity;
};

static void copy_releases(struct copied_releases *copied, const struct rv_release *releases, size_t n, uint64_t from_ns,
                          uint64_t to_ns)
{
    const size_t first = rv_bisect_count(releases, n, sizeof *releases, offsetof(struct rv_release, at_ns), from_ns);
    const size_t end = rv_bisect_count(releases, n, sizeof *releases, offsetof(struct rv_release, at_ns), to_ns);
    copied->n = end > first ? end - first : 0;
    copied->releases = rv_vec_reserve(copied->releases, &copied->capacity, copied->n, sizeof *releases);
    if (copied->n)
        memcpy(copied->releases, releases + first, copied->n * sizeof *releases);
}

static bool take_releases(const struct copied_releases *copied, uint32_t lane_idx,
                          bool (*take)(void *context, const struct rv_release *release), void *context)
{
    for (size_t i = 0; i < copied->n; i++) {
        copied->releases[i].lane = lane_idx;
        if (!take(context, &copied->releases[i]))
            return false;
    }
    return true;
}

/* Stretches whose releases reach into the time, page by page. */
static struct listed list_releasing(struct rv_wait_reader *reader, uint64_t from_ns, uint64_t to_ns)
{
    struct listed listed = {.n = 0};
    rv_wait_reader_hold(reader);
    for (uint32_t k = 0; k < reader->wakers.n; k++) {
        const struct rv_waits_lane *lane = lane_of(reader, k);
        for (size_t i = lane ? lane->n_releasing : 0; i-- > 0 && lane->releasing[i].of.last_release_ns > from_ns;) {
            if (lane->releasing[i].of.first_release_ns > loaded_until(reader, to_ns))
                continue;
            listed.all = rv_vec_reserve(listed.all, &listed.capacity, listed.n + 1, sizeof *listed.all);
            listed.all[listed.n++] = lane->releasing[i];
        }
    }
    rv_wait_reader_let_go(reader);
    if (listed.n)
        qsort(listed.all, listed.n, sizeof *listed.all, by_page);
    return listed;
}

void rv_wait_reader_each_release(struct rv_wait_reader *reader, uint64_t from_ns, uint64_t to_ns,
                                 bool (*take)(void *context, const struct rv_release *release), void *context)
{
    struct listed listed = list_releasing(reader, from_ns, to_ns);
    struct copied_releases copied = {.n = 0};
    bool goes_on = true;
    for (size_t i = 0; i < listed.n && goes_on; i++) {
        rv_wait_reader_hold(reader);
        const struct rv_wait_page *page = page_of(reader, &listed.all[i].of);
        copy_releases(&copied, page ? page->releases + listed.all[i].of.first_release : NULL,
                      page ? listed.all[i].of.n_releases : 0, from_ns, loaded_until(reader, to_ns));
        rv_wait_reader_let_go(reader);
        goes_on = take_releases(&copied, listed.all[i].of.lane, take, context);
    }
    for (uint32_t k = 0; k < reader->wakers.n && goes_on; k++) {
        const uint64_t after_ns = later_than(reader, from_ns);
        rv_wait_reader_hold(reader);
        const struct rv_waits_lane *lane = lane_of(reader, k);
        copy_releases(&copied, lane ? lane->releases : NULL, lane ? lane->n_releases : 0, after_ns, to_ns);
        rv_wait_reader_let_go(reader);
        goes_on = take_releases(&copied, k, take, context);
    }
    free(copied.releases);
    free(listed.all);
}

/* ---- the waits of a call ---- */

static void add_waits(struct rv_wait_sum *sum, const struct rv_wait *waits, size_t first, size_t end,
                      rv_wait_place place)
{
    for (size_t i = first; i < end; i++) {
        const uint64_t n_ns = rv_wait_duration_ns(&waits[i]);
        sum->n++;
        sum->total_ns += n_ns;
        if (n_ns < sum->longest_ns)
            continue;
        sum->longest_ns = n_ns;
        sum->longest = place + i;
    }
}

static void add_stretch(struct rv_wait_reader *reader, struct rv_wait_sum *sum, const struct rv_waits_stretch *stretch,
                        uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_wait_stretch *of = &stretch->of;
    if (of->first_ns <= from_ns || of->last_ns > to_ns) {
        const struct rv_wait *waits = waits_of(reader, of);
        if (waits)
            add_waits(sum, waits, count_until(waits, of->n_waits, from_ns), count_until(waits, of->n_waits, to_ns),
                      stretch->first);
        return;
    }
    sum->n += of->n_waits;
    sum->total_ns += of->total_ns;
    if (of->longest_ns < sum->longest_ns)
        return;
    sum->longest_ns = of->longest_ns;
    sum->longest = stretch->first + of->longest;
}

static void add_in_memory(const struct rv_wait_reader *reader, struct rv_wait_sum *sum,
                          const struct rv_waits_lane *lane, uint64_t from_ns, uint64_t to_ns)
{
    const size_t n_before = count_until(lane->waits, lane->n_waits, from_ns), n_late = count_late(reader, lane);
    add_waits(sum, lane->waits, n_before > n_late ? n_before : n_late, count_until(lane->waits, lane->n_waits, to_ns),
              IN_MEMORY + lane->n_gone);
}

bool rv_wait_reader_sum(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t from_ns, uint64_t to_ns,
                        struct rv_wait_sum *sum)
{
    *sum = (struct rv_wait_sum){0};
    rv_wait_reader_hold(reader);
    const struct rv_waits_lane *lane = lane_of(reader, lane_idx);
    const uint64_t until_ns = loaded_until(reader, to_ns);
    for (size_t i = lane ? count_stretches(lane, until_ns) : 0; i-- > 0;) {
        const struct rv_waits_stretch stretch = lane_of(reader, lane_idx)->stretches[i];
        if (stretch.of.last_ns <= from_ns)
            break;
        add_stretch(reader, sum, &stretch, from_ns, until_ns);
    }
    lane = lane_of(reader, lane_idx);
    if (lane)
        add_in_memory(reader, sum, lane, from_ns, to_ns);
    rv_wait_reader_let_go(reader);
    return sum->n != 0;
}

/* ---- rows ---- */

static bool find_last(void *context, uint32_t lane, uint64_t at_ns, uint64_t before, struct rv_wait *wait,
                      uint64_t *place)
{
    return rv_wait_reader_last(context, lane, at_ns, before, wait, place);
}

struct summing {
    struct rv_wait_reader *reader;
    struct rv_wait_sums sums;
};

static bool sum_up(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    struct summing *summing = context;
    const struct rv_wait_edge edge = rv_wait_reader_edge(summing->reader, wait);
    (void)place;
    rv_wait_sums_add(&summing->sums, &edge, rv_wakers_passed_ns(&edge, find_last, summing->reader));
    return true;
}

typedef struct rv_waits_row *take_fn(const struct rv_wait_sums *sums, const struct rv_lanes *lanes, size_t *n);

/* Discarded waits are in sums of their own; their loaded copies are not counted again. */
static struct rv_waits_row *take(struct rv_wait_reader *reader, take_fn *take_rows, size_t *n)
{
    struct summing summing = {.reader = reader};
    rv_wait_reader_hold(reader);
    rv_wait_sums_merge(&summing.sums, &reader->waits->gone);
    const bool has_copies = reader->waits->has_copies;
    rv_wait_reader_let_go(reader);
    (has_copies ? each_in_memory : rv_wait_reader_each)(reader, 0, UINT64_MAX, sum_up, &summing);
    struct rv_waits_row *rows = take_rows(&summing.sums, reader->waits->lanes, n);
    rv_wait_sums_fini(&summing.sums);
    return rows;
}

struct rv_waits_row *rv_wait_reader_take_rows(struct rv_wait_reader *reader, size_t *n)
{
    return take(reader, rv_wait_sums_take_rows, n);
}

struct rv_waits_row *rv_wait_reader_take_arcs(struct rv_wait_reader *reader, size_t *n)
{
    return take(reader, rv_wait_sums_take_arcs, n);
}
