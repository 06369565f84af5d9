/*
 * A query of a window is one search and a short walk in each log, since the log's spans are sorted by end and none is
 * longer than its limit; then the cells of the level. What the logs no longer have comes from pages, where these cover
 * it, else from the cells of the finest level that is complete there.
 */
#include "model/timeline_query.h"

#include "base/clock.h"
#include "model/span_record.h"
#include "model/timeline_parts.h"

struct out {
    struct rv_box *boxes;
    size_t n, max;
};

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
            if (!rv_box_overlaps(&box, window[0], window[1]))
                continue;
            n_taken++;
            if (out && out->n < out->max)
                out->boxes[out->n++] = box;
        }
    *at = end;
    return n_taken;
}

/* Exclusive upper limit of the ends of the log's spans that overlap the window. */
static uint64_t last_end(uint32_t log_idx, const uint64_t window[2])
{
    return rv_clock_after_ns(window[1], rv_timeline_bucket_limit(log_idx / 2));
}

/* Which spans of one log of a timeline a query shows. */
struct shown {
    uint64_t window_ns[2]; /* those that overlap this; empty: none */
    uint64_t ends_ns[2];   /* and that end in this */
};

/* Spans that end before this are not in the log. */
static uint64_t log_from(const struct rv_timeline *timeline, uint32_t log_idx)
{
    const uint64_t gone_ns =
        timeline->is_backed ? timeline->spans_from_ns[log_idx / 2] : timeline->whole_from_ns[log_idx / 2];
    return rv_clock_after_ns(gone_ns, gone_ns > 0);
}

/*
 * From a log: spans that overlap the time for which the logs are complete. Where pages show the time before, also
 * spans that overlap the window and end after that time.
 */
static struct shown shown_of(const struct rv_timeline *timeline, uint32_t log_idx, uint64_t from_ns, uint64_t to_ns,
                             bool has_pages)
{
    const bool is_backed = timeline->is_backed;
    const uint64_t whole_from_ns = is_backed && has_pages ? 0 : timeline->whole_from_ns[log_idx / 2];
    struct shown shown = {.window_ns = {rv_clock_later_ns(from_ns, whole_from_ns), to_ns}};
    shown.ends_ns[0] = rv_clock_later_ns(shown.window_ns[0], is_backed ? log_from(timeline, log_idx) : 0);
    shown.ends_ns[1] = last_end(log_idx, shown.window_ns);
    return shown;
}

/* From a page: what the timeline's logs do not have. */
static struct shown shown_of_page(const struct rv_timeline *timeline, uint32_t log_idx, uint64_t from_ns,
                                  uint64_t to_ns)
{
    struct shown shown = {.window_ns = {from_ns, to_ns}, .ends_ns = {from_ns, 0}};
    shown.ends_ns[1] = rv_clock_earlier_ns(last_end(log_idx, shown.window_ns), log_from(timeline, log_idx));
    return shown;
}

static bool is_empty(const struct shown *shown)
{
    return shown->window_ns[0] >= shown->window_ns[1] || shown->ends_ns[0] >= shown->ends_ns[1];
}

/* Spans that end within the window overlap it; those that end at its begin or after it are checked. */
static uint64_t count_log(const struct rv_chunked_log *log, const struct shown *shown)
{
    if (is_empty(shown) || rv_chunked_log_is_empty(log))
        return 0;
    const uint64_t *window = shown->window_ns, *ends = shown->ends_ns;
    struct rv_chunked_log_at at = rv_chunked_log_find(log, ends[0]);
    uint64_t n = take(log, &at, rv_clock_earlier_ns(window[0] + 1, ends[1]), window, NULL);
    const uint64_t first = rv_chunked_log_ordinal(log, at);
    at = rv_chunked_log_find_after(log, at, rv_clock_earlier_ns(window[1], ends[1]));
    n += rv_chunked_log_ordinal(log, at) - first;
    return n + take(log, &at, ends[1], window, NULL);
}

static void query_log(const struct rv_chunked_log *log, const struct shown *shown, struct out *out)
{
    if (is_empty(shown) || rv_chunked_log_is_empty(log))
        return;
    struct rv_chunked_log_at at = rv_chunked_log_find(log, shown->ends_ns[0]);
    (void)take(log, &at, shown->ends_ns[1], shown->window_ns, out);
}

/* The part of the window where `level` replaces the requested level because finer ones were evicted. */
static void part_of(const struct rv_timeline *timeline, uint32_t level, uint32_t asked, uint64_t window[2])
{
    window[0] = rv_clock_later_ns(window[0], timeline->whole_from_ns[level]);
    if (level > asked)
        window[1] = rv_clock_earlier_ns(window[1], timeline->whole_from_ns[level - 1]);
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

uint64_t rv_timeline_query_count(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level)
{
    if (from_ns >= to_ns || level >= RV_TIMELINE_LEVELS)
        return 0;
    uint64_t n = 0, at_ns = from_ns;
    const bool is_paged = has_pages(timeline, level, from_ns, to_ns);
    for (uint32_t i = 2 * level; i < RV_TIMELINE_LOGS; i++) {
        const struct rv_chunked_log *log = rv_timeline_parts_log(timeline, i);
        if (rv_chunked_log_is_empty(log))
            continue;
        const struct shown shown = shown_of(timeline, i, from_ns, to_ns, is_paged);
        n += count_log(log, &shown);
    }
    size_t at = first_page(timeline, level, from_ns);
    for (const struct rv_page *page; (page = next_page(timeline, level, to_ns, &at));) {
        n += count_cells(timeline, level, at_ns, rv_clock_earlier_ns(page->from_ns, to_ns));
        for (uint32_t i = 2 * level; i < RV_TIMELINE_LOGS; i++) {
            const struct shown shown = shown_of_page(timeline, i, from_ns, to_ns);
            n += count_log(rv_timeline_parts_log(page->timeline, i), &shown);
        }
        uint32_t shown_level = level_in(page, level);
        uint64_t cells_to_ns = rv_clock_earlier_ns(to_ns, paged_until(timeline, level));
        if (shown_level && from_ns < cells_to_ns)
            n += rv_density_count(&page->timeline->logs->density, shown_level, from_ns, cells_to_ns);
        at_ns = rv_clock_later_ns(at_ns, end_of(timeline, page, level));
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
    uint64_t at_ns = from_ns, cells_to_ns = rv_clock_earlier_ns(to_ns, paged_until(timeline, level));
    size_t at = first_page(timeline, level, from_ns);
    for (const struct rv_page *page; (page = next_page(timeline, level, to_ns, &at));) {
        query_cells(timeline, level, at_ns, rv_clock_earlier_ns(page->from_ns, to_ns), out);
        at_ns = rv_clock_later_ns(at_ns, end_of(timeline, page, level));
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

size_t rv_timeline_query_boxes(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                               struct rv_box *out, size_t max)
{
    if (from_ns >= to_ns || level >= RV_TIMELINE_LEVELS)
        return 0;
    struct out boxes = {.boxes = out, .max = max};
    const bool is_paged = has_pages(timeline, level, from_ns, to_ns);
    size_t first = first_page(timeline, level, from_ns);
    for (uint32_t i = 2 * level; i < RV_TIMELINE_LOGS; i++) {
        const struct rv_chunked_log *log = rv_timeline_parts_log(timeline, i);
        if (!rv_chunked_log_is_empty(log)) {
            const struct shown shown = shown_of(timeline, i, from_ns, to_ns, is_paged);
            query_log(log, &shown, &boxes);
        }
        size_t at = first;
        for (const struct rv_page *page; (page = next_page(timeline, level, to_ns, &at));) {
            const struct shown shown = shown_of_page(timeline, i, from_ns, to_ns);
            query_log(rv_timeline_parts_log(page->timeline, i), &shown, &boxes);
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

void rv_timeline_query_across(const struct rv_timeline *timeline, uint64_t at_ns,
                              void (*each)(void *context, const struct rv_box *box), void *context)
{
    for (uint32_t i = 0; i < RV_TIMELINE_LOGS; i++)
        each_across(rv_timeline_parts_log(timeline, i), at_ns,
                    rv_clock_after_ns(at_ns, rv_timeline_bucket_limit(i / 2)), each, context);
    size_t at = rv_span_pages_find(&timeline->pages, at_ns);
    for (const struct rv_page *page; (page = next_page(timeline, 0, at_ns, &at));)
        for (uint32_t i = 0; i < RV_TIMELINE_LOGS; i++) {
            const struct shown shown = shown_of_page(timeline, i, at_ns, rv_clock_after_ns(at_ns, 1));
            each_across(rv_timeline_parts_log(page->timeline, i), at_ns, shown.ends_ns[1], each, context);
        }
}
