/*
 * Exact spans by duration, and density below them.
 *
 * A bucket holds durations in [quantum of level j, quantum of level j + 1), in closing order. So its records are sorted
 * by end, and no span that overlaps a window ends later than the window's end plus the bucket's longest duration: a
 * query is two searches and a short walk. A level shows the buckets from its own upwards and its density cells. The few
 * spans that do not fit a 16-byte record (2^32 ns or longer, depth 65,536 or more) are in a wide log of the same
 * bucket.
 *
 * Eviction makes level k incomplete before whole_from_ns[k], which never rises with k. Earlier times are shown at the
 * finest level that is still complete there, or by pages. There, spans of bucket k that end by spans_from_ns[k] are shown from
 * pages, later ones from the logs, so that none is shown twice while chunks are dropped.
 */
#include "model/timeline.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/density.h"
#include "model/span_pages.h"
#include "model/span_record.h"

struct logs {
    struct rv_chunked_log spans[RV_TIMELINE_LEVELS]; /* by bucket; key = end */
    struct rv_chunked_log wide[RV_TIMELINE_LEVELS];
    struct rv_density density;
    struct rv_timeline_mark *marks;
    size_t n_marks, marks_capacity;
    uint64_t next_mark; /* once so many spans are added */
};

struct rv_timeline {
    struct logs *logs; /* NO_LOGS before the first call that is kept: a process of many has a lane and few calls */
    uint64_t whole_from_ns[RV_TIMELINE_LEVELS]; /* by level: spans and cells */
    uint64_t spans_from_ns[RV_TIMELINE_LEVELS]; /* by bucket: evicted spans end by this */
    uint64_t n_spans, n_evicted, first_ns, last_ns;
    uint32_t max_depth;
    uint32_t finest;     /* level: spans shorter than its cells are in cells only */
    uint32_t sums_level; /* level of the sums; finer levels are in pages; 0: all in the logs */
    bool has_ended;
    bool has_no_cells;
    bool is_backed; /* evicted spans come back in pages */
    uint64_t backed_from_ns, backed_until_ns;
    struct rv_span_pages pages;
};

static struct logs no_logs; /* never written */
#define NO_LOGS (&no_logs)

struct out {
    struct rv_box *boxes;
    size_t n, max;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Bucket of a duration: the coarsest level whose cells are not longer than it; 0 if none is. */
static uint32_t bucket_of(uint64_t duration_ns)
{
    if (duration_ns < 8192)
        return 0;
    uint32_t bucket = (uint32_t)(63 - __builtin_clzll(duration_ns) - 13) / 2 + 1;
    return bucket < RV_TIMELINE_LEVELS ? bucket : RV_TIMELINE_LEVELS - 1;
}

/* Durations in a bucket are below this. */
static uint64_t bucket_limit(uint32_t bucket)
{
    return bucket + 1 < RV_TIMELINE_LEVELS ? UINT64_C(1) << rv_density_shift(bucket + 1) : UINT64_MAX;
}

static void make_logs(struct rv_timeline *timeline)
{
    struct logs *logs = rv_alloc(1, sizeof *logs);
    for (uint32_t i = 0; i < RV_TIMELINE_LEVELS; i++) {
        logs->spans[i].item_bytes = sizeof(struct rv_span_record);
        logs->wide[i].item_bytes = sizeof(struct rv_wide_span_record);
    }
    rv_density_init(&logs->density);
    logs->density.finest = timeline->finest ? timeline->finest : 1;
    timeline->logs = logs;
}

static void free_logs(struct logs *logs)
{
    if (logs == NO_LOGS)
        return;
    for (uint32_t i = 0; i < RV_TIMELINE_LEVELS; i++) {
        rv_chunked_log_fini(&logs->spans[i]);
        rv_chunked_log_fini(&logs->wide[i]);
    }
    rv_density_fini(&logs->density);
    free(logs->marks);
    free(logs);
}

struct rv_timeline *rv_timeline_create_from(uint32_t level)
{
    struct rv_timeline *timeline = rv_alloc(1, sizeof *timeline);
    timeline->finest = level;
    for (uint32_t i = 0; i < level; i++)
        timeline->whole_from_ns[i] = UINT64_MAX;
    timeline->logs = NO_LOGS;
    return timeline;
}

struct rv_timeline *rv_timeline_create(void)
{
    return rv_timeline_create_from(0);
}

struct rv_timeline *rv_timeline_create_without_cells(void)
{
    struct rv_timeline *timeline = rv_timeline_create();
    timeline->has_no_cells = true;
    return timeline;
}

void rv_timeline_destroy(struct rv_timeline *timeline)
{
    if (!timeline)
        return;
    free_logs(timeline->logs);
    rv_span_pages_fini(&timeline->pages);
    free(timeline);
}

static void add_wide(struct rv_timeline *timeline, uint32_t bucket, const struct rv_span *span)
{
    struct rv_chunk *chunk = rv_chunked_log_tail(&timeline->logs->wide[bucket], span->end);
    struct rv_wide_span_record *records = (struct rv_wide_span_record *)(void *)chunk->items;
    records[chunk->n++] = (struct rv_wide_span_record){.end = (uint32_t)(span->end - chunk->base),
                                                       .id = span->id,
                                                       .depth = span->depth,
                                                       .flags = span->flags,
                                                       .duration = span->end - span->start};
}

static inline void add_one(struct rv_timeline *timeline, const struct rv_span *span)
{
    uint64_t duration = span->end - span->start;
    uint32_t bucket = bucket_of(duration);
    if (bucket < timeline->finest) {
        if (timeline->finest == RV_TIMELINE_LEVELS)
            return;
        rv_density_advance(&timeline->logs->density, span->end);
        rv_density_add(&timeline->logs->density, timeline->finest, span);
        return;
    }
    if (__builtin_expect(duration > UINT32_MAX || span->depth > UINT16_MAX, 0)) {
        add_wide(timeline, bucket, span);
    } else {
        struct rv_chunk *chunk = rv_chunked_log_tail(&timeline->logs->spans[bucket], span->end);
        struct rv_span_record *records = (struct rv_span_record *)(void *)chunk->items;
        records[chunk->n++] = (struct rv_span_record){.end = (uint32_t)(span->end - chunk->base),
                                                      .duration = (uint32_t)duration,
                                                      .id = span->id,
                                                      .depth = (uint16_t)span->depth,
                                                      .flags = (uint16_t)span->flags};
    }
    if (timeline->has_no_cells)
        return;
    rv_density_advance(&timeline->logs->density, span->end);
    if (bucket + 1 < RV_TIMELINE_LEVELS)
        rv_density_add(&timeline->logs->density, bucket + 1, span);
}

static void mark(struct rv_timeline *timeline)
{
    struct logs *logs = timeline->logs;
    if (logs == NO_LOGS || timeline->n_spans < logs->next_mark)
        return;
    logs->marks = rv_vec_reserve(logs->marks, &logs->marks_capacity, logs->n_marks + 1, sizeof *logs->marks);
    logs->marks[logs->n_marks++] = (struct rv_timeline_mark){timeline->last_ns, timeline->n_spans};
    logs->next_mark = timeline->n_spans + RV_TIMELINE_STRETCH;
}

const struct rv_timeline_mark *rv_timeline_marks(const struct rv_timeline *timeline, size_t *n)
{
    *n = timeline->logs->n_marks;
    return timeline->logs->marks;
}

void rv_timeline_add(struct rv_timeline *timeline, const struct rv_span *spans, size_t n)
{
    if (n == 0)
        return;
    if (timeline->logs == NO_LOGS && timeline->finest < RV_TIMELINE_LEVELS)
        make_logs(timeline);
    uint64_t first_ns = timeline->n_spans ? timeline->first_ns : UINT64_MAX, last_ns = timeline->last_ns;
    uint32_t max_depth = timeline->max_depth;
    for (size_t i = 0; i < n; i++) {
        struct rv_span span = spans[i];
        if (span.end < last_ns)
            span.end = last_ns;
        if (span.start > span.end)
            span.start = span.end;
        last_ns = span.end;
        if (span.start < first_ns)
            first_ns = span.start;
        if (span.depth >= max_depth)
            max_depth = span.depth + 1;
        add_one(timeline, &span);
    }
    timeline->first_ns = first_ns;
    timeline->last_ns = last_ns;
    timeline->max_depth = max_depth;
    timeline->n_spans += n;
    mark(timeline);
}

static void add_cell(struct rv_timeline *timeline, const struct rv_timeline_sums *sums,
                     const struct rv_timeline_cell *cell)
{
    const uint64_t first_ns = sums->first_ns ? sums->first_ns : cell->start_ns;
    if (timeline->logs == NO_LOGS)
        make_logs(timeline);
    rv_density_advance(&timeline->logs->density, cell->start_ns);
    rv_density_put(&timeline->logs->density, sums->level, cell);
    if (timeline->n_spans == 0 || first_ns < timeline->first_ns)
        timeline->first_ns = first_ns;
    if (cell->depth >= timeline->max_depth)
        timeline->max_depth = cell->depth + 1;
    timeline->n_spans += cell->n_calls;
    timeline->n_evicted += cell->n_calls;
}

/* A cell comes before the spans that end in its column or later. */
void rv_timeline_add_sums(struct rv_timeline *timeline, const struct rv_timeline_sums *sums)
{
    if (sums->level > timeline->sums_level)
        timeline->sums_level = sums->level;
    for (uint32_t i = 0; i < timeline->sums_level; i++)
        timeline->whole_from_ns[i] = UINT64_MAX;
    size_t n_spans = 0;
    for (size_t i = 0; i < sums->n_cells; i++) {
        size_t first = n_spans;
        while (n_spans < sums->n_spans && sums->spans[n_spans].end < sums->cells[i].start_ns)
            n_spans++;
        rv_timeline_add(timeline, sums->spans + first, n_spans - first);
        add_cell(timeline, sums, &sums->cells[i]);
    }
    rv_timeline_add(timeline, sums->spans + n_spans, sums->n_spans - n_spans);
}

uint32_t rv_timeline_finest(const struct rv_timeline *timeline)
{
    return timeline->finest;
}

uint32_t rv_timeline_sums_level(const struct rv_timeline *timeline)
{
    return timeline->sums_level;
}

void rv_timeline_back_from(struct rv_timeline *timeline, uint64_t from_ns)
{
    timeline->is_backed = true;
    timeline->backed_from_ns = from_ns;
}

void rv_timeline_back_until(struct rv_timeline *timeline, uint64_t until_ns)
{
    timeline->backed_until_ns = until_ns;
}

/* Evicted spans of these buckets end by this. */
static uint64_t latest_gone(const struct rv_timeline *timeline, uint32_t bucket, uint32_t end_bucket)
{
    uint64_t gone_ns = 0;
    for (; bucket < end_bucket; bucket++)
        gone_ns = later(gone_ns, timeline->spans_from_ns[bucket]);
    return gone_ns;
}

/* Between what was evicted and the newest span. */
static uint64_t middle_of(const struct rv_timeline *timeline, uint64_t gone_ns)
{
    return gone_ns + (timeline->last_ns - gone_ns) / 2;
}

uint64_t rv_timeline_backed_until_ns(const struct rv_timeline *timeline)
{
    return timeline->backed_until_ns;
}

bool rv_timeline_is_late(const struct rv_timeline *timeline)
{
    const uint64_t gone_ns = latest_gone(timeline, 0, RV_TIMELINE_REACH);
    return timeline->is_backed && gone_ns && timeline->backed_until_ns < middle_of(timeline, gone_ns);
}

uint64_t rv_timeline_paged_before_ns(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t gone_ns = latest_gone(timeline, 0, RV_TIMELINE_REACH);
    if (!timeline->is_backed || gone_ns == 0 ||
        from_ns > (timeline->has_ended ? gone_ns : middle_of(timeline, gone_ns)))
        return 0;
    if (timeline->has_ended)
        return rv_clock_after_ns(gone_ns, 1);
    return rv_clock_after_ns(earlier(timeline->last_ns, rv_clock_after_ns(to_ns, rv_timeline_reach_ns(timeline))), 1);
}

bool rv_timeline_is_backed(const struct rv_timeline *timeline)
{
    return timeline->is_backed;
}

uint64_t rv_timeline_n_pages(const struct rv_timeline *timeline)
{
    return timeline->pages.n_added;
}

void rv_timeline_add_page(struct rv_timeline *timeline, const struct rv_page *page)
{
    rv_span_pages_add(&timeline->pages, page);
}

bool rv_timeline_use_page(struct rv_timeline *timeline, const struct rv_page_look *look)
{
    return rv_span_pages_use(&timeline->pages, look);
}

void rv_timeline_use_window(struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                            uint64_t now)
{
    rv_span_pages_use_window(&timeline->pages, rv_density_begin_ns(level, from_ns),
                             rv_clock_after_ns(to_ns, rv_timeline_reach_ns(timeline)), now);
}

uint64_t rv_timeline_n_spans(const struct rv_timeline *timeline)
{
    return timeline->n_spans;
}

uint64_t rv_timeline_n_evicted(const struct rv_timeline *timeline)
{
    return timeline->n_evicted;
}

uint64_t rv_timeline_first_ns(const struct rv_timeline *timeline)
{
    return timeline->first_ns;
}

uint64_t rv_timeline_last_ns(const struct rv_timeline *timeline)
{
    return timeline->last_ns;
}

uint32_t rv_timeline_max_depth(const struct rv_timeline *timeline)
{
    return timeline->max_depth;
}

size_t rv_timeline_bytes(const struct rv_timeline *timeline)
{
    size_t n_bytes = sizeof *timeline + timeline->pages.n_bytes;
    if (timeline->logs == NO_LOGS)
        return n_bytes;
    n_bytes += sizeof *timeline->logs - sizeof timeline->logs->density + rv_density_bytes(&timeline->logs->density);
    n_bytes += timeline->logs->marks_capacity * sizeof *timeline->logs->marks;
    for (uint32_t i = 0; i < RV_TIMELINE_LEVELS; i++)
        n_bytes += rv_chunked_log_bytes(&timeline->logs->spans[i]) + rv_chunked_log_bytes(&timeline->logs->wide[i]);
    return n_bytes;
}

/* Mark all levels up to this bucket's as incomplete before this time: level k shows the buckets from k on. */
static void raise_whole_from(struct rv_timeline *timeline, uint32_t level, uint64_t time_ns)
{
    for (uint32_t i = 0; i <= level; i++)
        if (timeline->whole_from_ns[i] < time_ns)
            timeline->whole_from_ns[i] = time_ns;
}

void rv_timeline_end(struct rv_timeline *timeline)
{
    timeline->has_ended = true;
    if (timeline->logs == NO_LOGS)
        return;
    for (uint32_t i = 0; i < RV_TIMELINE_LEVELS; i++) {
        rv_chunked_log_trim(&timeline->logs->spans[i]);
        rv_chunked_log_trim(&timeline->logs->wide[i]);
        rv_chunked_log_trim(&timeline->logs->density.levels[i].cells);
    }
}

static const struct rv_chunk *oldest_of(const struct rv_timeline *timeline, const struct rv_chunked_log *log)
{
    return timeline->has_ended ? rv_chunked_log_oldest(log) : rv_chunked_log_oldest_full(log);
}

/* Drop the chunk of exact spans below this bucket with the earliest ends. False when only chunks being filled are left.
 */
static bool evict_spans(struct rv_timeline *timeline, uint32_t end_bucket)
{
    struct rv_chunked_log *oldest = NULL;
    uint32_t oldest_bucket = 0;
    uint64_t oldest_ns = UINT64_MAX;
    for (uint32_t i = 0; i < 2 * end_bucket; i++) {
        struct rv_chunked_log *log = i % 2 ? &timeline->logs->wide[i / 2] : &timeline->logs->spans[i / 2];
        const struct rv_chunk *chunk = oldest_of(timeline, log);
        if (chunk && chunk->last < oldest_ns) {
            oldest = log;
            oldest_bucket = i / 2;
            oldest_ns = chunk->last;
        }
    }
    if (!oldest)
        return false;
    timeline->n_evicted += rv_chunked_log_drop_oldest(oldest);
    timeline->spans_from_ns[oldest_bucket] = later(timeline->spans_from_ns[oldest_bucket], oldest_ns);
    raise_whole_from(timeline, oldest_bucket, oldest_ns);
    return true;
}

/* Drop the oldest chunk of density cells below this level, finest level first. */
static bool evict_cells(struct rv_timeline *timeline, uint32_t end_level)
{
    uint32_t oldest_level = 0;
    uint64_t oldest_ns = UINT64_MAX;
    for (uint32_t i = 1; i < end_level; i++) {
        const struct rv_chunk *chunk = oldest_of(timeline, &timeline->logs->density.levels[i].cells);
        if (chunk && (chunk->last + 1) << rv_density_shift(i) < oldest_ns) {
            oldest_level = i;
            oldest_ns = (chunk->last + 1) << rv_density_shift(i);
        }
    }
    if (!oldest_level)
        return false;
    (void)rv_chunked_log_drop_oldest(&timeline->logs->density.levels[oldest_level].cells);
    raise_whole_from(timeline, oldest_level, oldest_ns);
    return true;
}

/*
 * Of a backed timeline, coarse cells go late, since few pages replace them, and long spans last: such a span is in the
 * page of its end, which may be far from the window. Neither makes room for pages. The coarsest cells are never
 * dropped.
 */
static bool evict_one(struct rv_timeline *timeline, size_t n_bytes)
{
    if (rv_span_pages_evict(&timeline->pages))
        return true;
    if (timeline->is_backed && (evict_spans(timeline, RV_TIMELINE_REACH) || evict_cells(timeline, RV_TIMELINE_REACH)))
        return true;
    if (timeline->is_backed && rv_timeline_bytes(timeline) - timeline->pages.n_bytes <= n_bytes)
        return false; /* the pages in view take the rest */
    return (timeline->is_backed && evict_cells(timeline, RV_TIMELINE_LEVELS - 1)) ||
           evict_spans(timeline, RV_TIMELINE_LEVELS) || evict_cells(timeline, RV_TIMELINE_LEVELS - 1);
}

size_t rv_timeline_evict(struct rv_timeline *timeline, size_t n_bytes)
{
    size_t before = rv_timeline_bytes(timeline), now = before;
    while (now > n_bytes && evict_one(timeline, n_bytes))
        now = rv_timeline_bytes(timeline);
    return before - now;
}

uint64_t rv_timeline_exact_from_ns(const struct rv_timeline *timeline)
{
    return timeline->is_backed ? latest_gone(timeline, 0, RV_TIMELINE_LEVELS)
                               : timeline->whole_from_ns[timeline->sums_level];
}

uint64_t rv_timeline_width_ns(const struct rv_timeline *timeline, uint64_t at_ns)
{
    uint32_t level = 0;
    while (level + 1 < RV_TIMELINE_LEVELS && timeline->whole_from_ns[level] > at_ns)
        level++;
    return level ? UINT64_C(1) << rv_density_shift(level) : 0;
}

uint64_t rv_timeline_released_ns(const struct rv_timeline *timeline, uint32_t level)
{
    uint64_t gone_ns = timeline->whole_from_ns[level > timeline->sums_level ? level : timeline->sums_level];
    if (!timeline->is_backed)
        return gone_ns;
    uint64_t long_ns = latest_gone(timeline, RV_TIMELINE_REACH, RV_TIMELINE_LEVELS);
    return later(earlier(gone_ns, timeline->backed_from_ns), level < RV_TIMELINE_REACH ? long_ns : gone_ns);
}

uint64_t rv_timeline_released_in(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level)
{
    const struct rv_span_pages *pages = &timeline->pages;
    uint64_t until_ns = earlier(rv_timeline_released_ns(timeline, level), to_ns);
    const bool has_long = latest_gone(timeline, RV_TIMELINE_REACH, RV_TIMELINE_LEVELS) <= from_ns;
    for (size_t i = pages->n; i-- > 0 && has_long && until_ns > from_ns;) {
        const struct rv_page *page = &pages->list[i];
        if (page->from_ns < until_ns && page->to_ns >= until_ns && page->timeline->finest <= level)
            until_ns = page->from_ns;
    }
    return until_ns > from_ns ? until_ns : 0;
}

uint64_t rv_timeline_reach_ns(const struct rv_timeline *timeline)
{
    return timeline->is_backed ? bucket_limit(RV_TIMELINE_REACH - 1)
                               : UINT64_C(1) << rv_density_shift(timeline->sums_level ? timeline->sums_level : 1);
}

uint64_t rv_timeline_whole_from_ns(const struct rv_timeline *timeline, uint32_t level)
{
    return timeline->whole_from_ns[level];
}

const struct rv_density *rv_timeline_density(const struct rv_timeline *timeline)
{
    return &timeline->logs->density;
}

uint32_t rv_timeline_first_log(const struct rv_timeline *timeline)
{
    return 2 * timeline->sums_level;
}

const struct rv_chunked_log *rv_timeline_log(const struct rv_timeline *timeline, uint32_t log_idx)
{
    return log_idx % 2 ? &timeline->logs->wide[log_idx / 2] : &timeline->logs->spans[log_idx / 2];
}

uint64_t rv_timeline_log_limit(uint32_t log_idx)
{
    return bucket_limit(log_idx / 2);
}

/* An empty span overlaps a window that begins at it. */
static bool overlaps(const struct rv_box *box, uint64_t from_ns, uint64_t to_ns)
{
    return box->start_ns < to_ns && (box->start_ns >= from_ns || rv_box_end_ns(box) > from_ns);
}

/* Scan records from *at on that end before end_ns and overlap the window, into out if not NULL. Advances *at. */
static uint64_t take(const struct rv_chunked_log *log, struct rv_chunked_log_at *at, uint64_t end_ns,
                     const uint64_t window[2], struct out *out)
{
    uint64_t n_taken = 0, base;
    uint32_t n;
    struct rv_chunked_log_at end = rv_chunked_log_find_after(log, *at, end_ns);
    for (const void *records; (records = rv_chunked_log_walk(log, at, end, &base, &n));)
        for (uint32_t i = 0; i < n; i++) {
            struct rv_box box = rv_span_record_box(log, records, i, base);
            if (!overlaps(&box, window[0], window[1]))
                continue;
            n_taken++;
            if (out && out->n < out->max)
                out->boxes[out->n++] = box;
        }
    *at = end;
    return n_taken;
}

/* Exclusive upper limit of the ends of the bucket's spans that overlap the window. */
static uint64_t last_end(uint32_t bucket, const uint64_t window[2])
{
    return rv_clock_after_ns(window[1], bucket_limit(bucket));
}

/* Which spans of one bucket of a timeline a query shows. */
struct shown {
    uint64_t window_ns[2]; /* those that overlap this; empty: none */
    uint64_t ends_ns[2];   /* and that end in this */
};

/*
 * From the logs: spans that overlap the time for which the logs are complete. Where pages show the time before, also
 * spans that overlap the window and end after that time.
 */
static struct shown shown_of(const struct rv_timeline *timeline, uint32_t bucket, uint64_t from_ns, uint64_t to_ns,
                             bool has_pages)
{
    const bool is_paged = timeline->is_backed && has_pages;
    const uint64_t gone_ns = timeline->spans_from_ns[bucket];
    struct shown shown = {.window_ns = {is_paged ? from_ns : later(from_ns, timeline->whole_from_ns[bucket]), to_ns}};
    shown.ends_ns[0] = later(shown.window_ns[0], timeline->is_backed ? rv_clock_after_ns(gone_ns, gone_ns > 0) : 0);
    shown.ends_ns[1] = last_end(bucket, shown.window_ns);
    return shown;
}

/* From a page: what the timeline's logs do not have. */
static struct shown shown_of_page(const struct rv_timeline *timeline, uint32_t bucket, uint64_t from_ns, uint64_t to_ns)
{
    struct shown shown = {.window_ns = {from_ns, to_ns}, .ends_ns = {from_ns, 0}};
    const uint64_t gone_ns = timeline->is_backed ? timeline->spans_from_ns[bucket] : timeline->whole_from_ns[bucket];
    const uint64_t end_ns = rv_clock_after_ns(gone_ns, gone_ns > 0);
    shown.ends_ns[1] = earlier(last_end(bucket, shown.window_ns), end_ns);
    return shown;
}

static bool is_empty(const struct shown *shown)
{
    return shown->window_ns[0] >= shown->window_ns[1] || shown->ends_ns[0] >= shown->ends_ns[1];
}

/* Spans that end within the window overlap it; those that end at its begin or after it are checked. */
static uint64_t count_log(const struct rv_chunked_log *log, const struct shown *shown)
{
    if (rv_chunked_log_is_empty(log))
        return 0;
    const uint64_t *window = shown->window_ns, *ends = shown->ends_ns;
    struct rv_chunked_log_at at = rv_chunked_log_find(log, ends[0]);
    uint64_t n = take(log, &at, earlier(window[0] + 1, ends[1]), window, NULL), first = rv_chunked_log_ordinal(log, at);
    at = rv_chunked_log_find_after(log, at, earlier(window[1], ends[1]));
    n += rv_chunked_log_ordinal(log, at) - first;
    return n + take(log, &at, ends[1], window, NULL);
}

static bool has_spans(const struct logs *logs, uint32_t bucket)
{
    return !rv_chunked_log_is_empty(&logs->spans[bucket]) || !rv_chunked_log_is_empty(&logs->wide[bucket]);
}

static uint64_t count_bucket(const struct logs *logs, uint32_t bucket, const struct shown *shown)
{
    return is_empty(shown) ? 0 : count_log(&logs->spans[bucket], shown) + count_log(&logs->wide[bucket], shown);
}

static void query_bucket(const struct logs *logs, uint32_t bucket, const struct shown *shown, struct out *out)
{
    for (unsigned j = 0; j < 2 && !is_empty(shown); j++) {
        const struct rv_chunked_log *log = j ? &logs->wide[bucket] : &logs->spans[bucket];
        if (rv_chunked_log_is_empty(log))
            continue;
        struct rv_chunked_log_at at = rv_chunked_log_find(log, shown->ends_ns[0]);
        (void)take(log, &at, shown->ends_ns[1], shown->window_ns, out);
    }
}

/* The part of the window where `level` replaces the requested level because finer ones were evicted. */
static void part_of(const struct rv_timeline *timeline, uint32_t level, uint32_t asked, uint64_t window[2])
{
    window[0] = later(window[0], timeline->whole_from_ns[level]);
    if (level > asked)
        window[1] = earlier(window[1], timeline->whole_from_ns[level - 1]);
}

/* Cells of the requested level, or of the finest complete one. */
static uint64_t count_cells(const struct rv_timeline *timeline, uint32_t level, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t n = 0;
    for (uint32_t i = level; i < RV_TIMELINE_LEVELS; i++) {
        uint64_t part[2] = {from_ns, to_ns};
        part_of(timeline, i, level, part);
        if (i > 0 && (i == level || timeline->whole_from_ns[i - 1] > from_ns))
            n += rv_density_count(&timeline->logs->density, i, part[0], part[1]);
    }
    return n;
}

static void query_cells(const struct rv_timeline *timeline, uint32_t level, uint64_t from_ns, uint64_t to_ns,
                        struct out *out)
{
    for (uint32_t i = level; i < RV_TIMELINE_LEVELS; i++) {
        uint64_t part[2] = {from_ns, to_ns};
        part_of(timeline, i, level, part);
        if (i > 0 && (i == level || timeline->whole_from_ns[i - 1] > from_ns))
            out->n +=
                rv_density_query(&timeline->logs->density, i, part[0], part[1], out->boxes + out->n, out->max - out->n);
    }
}

/* Pages show what ends before this time; their cells end there. */
static uint64_t paged_until(const struct rv_timeline *timeline, uint32_t level)
{
    return rv_density_begin_ns(level, timeline->whole_from_ns[level]);
}

/*
 * The pages needed for a window at a level, and the gaps between them; NULL when sums or logs suffice. Pages extend a
 * little to the left of their time, by spans that end in it, and to the right by their last cells.
 */
static const struct rv_page *next_page(const struct rv_timeline *timeline, uint32_t level, uint64_t to_ns, size_t *at)
{
    const struct rv_span_pages *pages = &timeline->pages;
    if (*at == pages->n || timeline->whole_from_ns[level] == 0 ||
        (!timeline->is_backed && level >= timeline->sums_level))
        return NULL;
    const struct rv_page *page = &pages->list[*at];
    if (page->from_ns >= rv_clock_after_ns(to_ns, rv_timeline_reach_ns(timeline)) ||
        page->from_ns >= timeline->whole_from_ns[level])
        return NULL;
    ++*at;
    return page;
}

/* The level at which a page is queried. */
static uint32_t level_in(const struct rv_page *page, uint32_t level)
{
    return level > page->timeline->finest ? level : page->timeline->finest;
}

/* The first page that may have a part of a cell at from_ns. The cell may begin several pages before. */
static size_t first_page(const struct rv_timeline *timeline, uint32_t level, uint64_t from_ns)
{
    const struct rv_page *pages = timeline->pages.list;
    size_t at = rv_span_pages_find(&timeline->pages, from_ns);
    while (at > 0 && pages[at - 1].to_ns > rv_density_begin_ns(level_in(&pages[at - 1], level), from_ns))
        at--;
    return at;
}

/* Is any of the window's time shown by pages? */
static bool has_pages(const struct rv_timeline *timeline, uint32_t level, uint64_t from_ns, uint64_t to_ns)
{
    size_t at = rv_span_pages_find(&timeline->pages, from_ns);
    const struct rv_page *page = next_page(timeline, level, to_ns, &at);
    return page && page->from_ns < to_ns;
}

/* Time up to which a page replaces the timeline's cells: the cell that contains whole_from_ns is the timeline's. */
static uint64_t end_of(const struct rv_timeline *timeline, const struct rv_page *page, uint32_t level)
{
    return page->to_ns >= paged_until(timeline, level) ? timeline->whole_from_ns[level] : page->to_ns;
}

uint64_t rv_timeline_count(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level)
{
    if (from_ns >= to_ns || level >= RV_TIMELINE_LEVELS)
        return 0;
    uint64_t n = 0, at_ns = from_ns;
    const bool is_paged = has_pages(timeline, level, from_ns, to_ns);
    for (uint32_t i = level; i < RV_TIMELINE_LEVELS; i++) {
        if (!has_spans(timeline->logs, i))
            continue;
        const struct shown shown = shown_of(timeline, i, from_ns, to_ns, is_paged);
        n += count_bucket(timeline->logs, i, &shown);
    }
    size_t at = first_page(timeline, level, from_ns);
    for (const struct rv_page *page; (page = next_page(timeline, level, to_ns, &at));) {
        n += count_cells(timeline, level, at_ns, earlier(page->from_ns, to_ns));
        for (uint32_t i = level; i < RV_TIMELINE_LEVELS; i++) {
            const struct shown shown = shown_of_page(timeline, i, from_ns, to_ns);
            n += count_bucket(page->timeline->logs, i, &shown);
        }
        uint32_t shown_level = level_in(page, level);
        uint64_t cells_to_ns = earlier(to_ns, paged_until(timeline, level));
        if (shown_level && from_ns < cells_to_ns)
            n += rv_density_count(&page->timeline->logs->density, shown_level, from_ns, cells_to_ns);
        at_ns = later(at_ns, end_of(timeline, page, level));
    }
    return n + count_cells(timeline, level, at_ns, to_ns);
}

/*
 * Merge the parts of a cell that several pages have: a page's first cells with the last ones of earlier pages. A page
 * has cells from the one before its begin on, by calls that began there: so these may come after later cells.
 *   pages  the first cell of all pages
 *   first  the first cell of this page
 */
static void join_cells(struct out *out, size_t pages, size_t first)
{
    size_t n_kept = first;
    for (size_t i = first; i < out->n; i++) {
        const struct rv_box *cell = &out->boxes[i];
        struct rv_box *same = NULL;
        for (size_t k = first; k-- > pages && rv_box_end_ns(&out->boxes[k]) >= cell->start_ns;)
            if (out->boxes[k].start_ns == cell->start_ns && out->boxes[k].depth == cell->depth &&
                out->boxes[k].duration_ns == cell->duration_ns)
                same = &out->boxes[k];
        if (!same) {
            out->boxes[n_kept++] = *cell;
            continue;
        }
        uint32_t coverage = (uint32_t)same->coverage + cell->coverage;
        same->id = cell->coverage > same->coverage ? cell->id : same->id;
        same->coverage = (uint16_t)(coverage < RV_BOX_EXACT ? coverage : RV_BOX_EXACT - 1);
        same->count += cell->count;
    }
    out->n = n_kept;
}

/* The cells of pages, and the timeline's own in the gaps between them. */
static void query_all_cells(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                            struct out *out)
{
    uint64_t at_ns = from_ns, cells_to_ns = earlier(to_ns, paged_until(timeline, level));
    size_t at = first_page(timeline, level, from_ns);
    for (const struct rv_page *page; (page = next_page(timeline, level, to_ns, &at));) {
        query_cells(timeline, level, at_ns, earlier(page->from_ns, to_ns), out);
        at_ns = later(at_ns, end_of(timeline, page, level));
    }
    query_cells(timeline, level, at_ns, to_ns, out);
    at = first_page(timeline, level, from_ns);
    const size_t pages = out->n;
    for (const struct rv_page *page; (page = next_page(timeline, level, to_ns, &at));) {
        size_t first = out->n;
        uint32_t shown = level_in(page, level);
        if (shown && from_ns < cells_to_ns)
            out->n += rv_density_query(&page->timeline->logs->density, shown, from_ns, cells_to_ns, out->boxes + first,
                                       out->max - first);
        join_cells(out, pages, first);
    }
}

size_t rv_timeline_query(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                         struct rv_box *out, size_t max)
{
    if (from_ns >= to_ns || level >= RV_TIMELINE_LEVELS)
        return 0;
    struct out boxes = {.boxes = out, .max = max};
    const bool is_paged = has_pages(timeline, level, from_ns, to_ns);
    size_t first = first_page(timeline, level, from_ns);
    for (uint32_t i = level; i < RV_TIMELINE_LEVELS; i++) {
        if (has_spans(timeline->logs, i)) {
            const struct shown shown = shown_of(timeline, i, from_ns, to_ns, is_paged);
            query_bucket(timeline->logs, i, &shown, &boxes);
        }
        size_t at = first;
        for (const struct rv_page *page; (page = next_page(timeline, level, to_ns, &at));) {
            const struct shown shown = shown_of_page(timeline, i, from_ns, to_ns);
            query_bucket(page->timeline->logs, i, &shown, &boxes);
        }
    }
    query_all_cells(timeline, from_ns, to_ns, level, &boxes);
    return boxes.n;
}

/* Give the spans of a log that begin by at_ns and end in [at_ns + 1, end_ns). */
static void each_across(const struct rv_chunked_log *log, uint64_t at_ns, uint64_t end_ns,
                        void (*each)(void *context, const struct rv_box *box), void *context)
{
    struct rv_chunked_log_at at = rv_chunked_log_find(log, rv_clock_after_ns(at_ns, 1));
    struct rv_chunked_log_at end = rv_chunked_log_find_after(log, at, end_ns);
    uint64_t base;
    uint32_t n;
    for (const void *records; (records = rv_chunked_log_walk(log, &at, end, &base, &n));)
        for (uint32_t i = 0; i < n; i++) {
            struct rv_box box = rv_span_record_box(log, records, i, base);
            if (box.start_ns <= at_ns)
                each(context, &box);
        }
}

void rv_timeline_each_across(const struct rv_timeline *timeline, uint64_t at_ns,
                             void (*each)(void *context, const struct rv_box *box), void *context)
{
    for (uint32_t i = 0; i < RV_TIMELINE_LOGS; i++)
        each_across(rv_timeline_log(timeline, i), at_ns, rv_clock_after_ns(at_ns, bucket_limit(i / 2)), each, context);
    size_t at = rv_span_pages_find(&timeline->pages, at_ns);
    for (const struct rv_page *page; (page = next_page(timeline, 0, at_ns, &at));)
        for (uint32_t i = 0; i < RV_TIMELINE_LOGS; i++) {
            const struct shown shown = shown_of_page(timeline, i / 2, at_ns, rv_clock_after_ns(at_ns, 1));
            each_across(rv_timeline_log(page->timeline, i), at_ns, shown.ends_ns[1], each, context);
        }
}

uint32_t rv_timeline_level_for(double ns_per_pixel)
{
    uint32_t level = 0;
    while (level + 1 < RV_TIMELINE_LEVELS && (double)(UINT64_C(1) << rv_density_shift(level + 1)) <= ns_per_pixel)
        level++;
    return level;
}
