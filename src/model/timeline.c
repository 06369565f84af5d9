/*
 * Exact spans by duration, and density below them.
 *
 * Eviction makes level k incomplete before whole_from_ns[k], which never rises with k. Earlier times are shown at the
 * finest level that is still complete there, or by pages. There, spans of bucket k that end by spans_from_ns[k] are shown from
 * pages, later ones from the logs, so that none is shown twice while chunks are dropped.
 */
#include "model/timeline.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"
#include "model/density.h"
#include "model/span_pages.h"
#include "model/span_record.h"
#include "model/timeline_parts.h"

static struct rv_timeline_logs no_logs; /* never written */
#define NO_LOGS (&no_logs)

/* Bucket of a duration: the coarsest level whose cells are not longer than it; 0 if none is. */
static uint32_t bucket_of(uint64_t duration_ns)
{
    if (duration_ns < 8192)
        return 0;
    uint32_t bucket = (uint32_t)(63 - __builtin_clzll(duration_ns) - 13) / 2 + 1;
    return bucket < RV_TIMELINE_LEVELS ? bucket : RV_TIMELINE_LEVELS - 1;
}

static void make_logs(struct rv_timeline *timeline)
{
    struct rv_timeline_logs *logs = rv_alloc(1, sizeof *logs);
    for (uint32_t i = 0; i < RV_TIMELINE_LEVELS; i++) {
        logs->spans[i].item_bytes = sizeof(struct rv_span_record);
        logs->wide[i].item_bytes = sizeof(struct rv_wide_span_record);
    }
    rv_density_init(&logs->density);
    logs->density.finest = timeline->finest ? timeline->finest : 1;
    timeline->logs = logs;
}

static void free_logs(struct rv_timeline_logs *logs)
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
    struct rv_timeline_logs *logs = timeline->logs;
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
        gone_ns = rv_clock_later_ns(gone_ns, timeline->spans_from_ns[bucket]);
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
    return rv_clock_after_ns(
        rv_clock_earlier_ns(timeline->last_ns, rv_clock_after_ns(to_ns, rv_timeline_reach_ns(timeline))), 1);
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
        struct rv_chunked_log *log = rv_timeline_parts_log(timeline, i);
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
    timeline->spans_from_ns[oldest_bucket] = rv_clock_later_ns(timeline->spans_from_ns[oldest_bucket], oldest_ns);
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
    return rv_clock_later_ns(rv_clock_earlier_ns(gone_ns, timeline->backed_from_ns),
                             level < RV_TIMELINE_REACH ? long_ns : gone_ns);
}

uint64_t rv_timeline_released_in(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level)
{
    const struct rv_span_pages *pages = &timeline->pages;
    uint64_t until_ns = rv_clock_earlier_ns(rv_timeline_released_ns(timeline, level), to_ns);
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
    return timeline->is_backed ? rv_timeline_bucket_limit(RV_TIMELINE_REACH - 1)
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
    return rv_timeline_parts_log(timeline, log_idx);
}

uint64_t rv_timeline_log_limit(uint32_t log_idx)
{
    return rv_timeline_bucket_limit(log_idx / 2);
}

uint32_t rv_timeline_level_for(double ns_per_pixel)
{
    uint32_t level = 0;
    while (level + 1 < RV_TIMELINE_LEVELS && (double)(UINT64_C(1) << rv_density_shift(level + 1)) <= ns_per_pixel)
        level++;
    return level;
}
