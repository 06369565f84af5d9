/*
 * One lane's spans over time, at every level of detail, built incrementally.
 *
 * Every finished span is stored once, exactly, in a bucket by duration (2^13 ns, factor 4), in closing order, so that
 * any window is one contiguous range per bucket. Spans shorter than a bucket's quantum also feed density cells
 * (coverage, count, majority subroutine) of that level. Evicting old exact spans keeps the density.
 *
 * A timeline can also be made of sums: cells of one level and the spans longer than these cells. Shorter spans are then
 * in pages, which are loaded and evicted.
 */
#ifndef RV_MODEL_TIMELINE_H
#define RV_MODEL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/span.h"

struct rv_timeline; /* not locked: the lane's lock covers it */

struct rv_timeline *rv_timeline_create(void);

/*
 * A timeline from this level on: spans shorter than the level's cells are kept in cells only. Level 0: keep everything.
 * RV_TIMELINE_LEVELS: keep no calls, only their number, time range and depth.
 */
struct rv_timeline *rv_timeline_create_from(uint32_t level);

/* One for iterations, not for pictures: it has no cells. */
struct rv_timeline *rv_timeline_create_without_cells(void);
void rv_timeline_destroy(struct rv_timeline *timeline);

/*
 * Add finished spans (ns), in closing order: an end that falls is raised to the latest end seen, a start after its end
 * is lowered to it. An ORPHAN keeps its start.
 */
void rv_timeline_add(struct rv_timeline *timeline, const struct rv_span *spans, size_t n);

struct rv_timeline_cell { /* sum of one column of a level at one depth */
    uint64_t start_ns, covered_ns;
    uint32_t n_calls, id, depth;
};

struct rv_timeline_sums {                 /* of all spans that ended in a stretch of time after all earlier ones */
    uint32_t level;                       /* of the cells, 1 or more */
    const struct rv_timeline_cell *cells; /* sorted by start */
    size_t n_cells;
    const struct rv_span *spans; /* no shorter than a cell, in closing order */
    size_t n_spans;
    uint64_t first_ns; /* begin of the first one of these and earlier ones; 0: unknown */
};

/* Add sums instead of spans. Levels finer than the coarsest level ever given are then available where there are
 * pages. */
void rv_timeline_add_sums(struct rv_timeline *timeline, const struct rv_timeline_sums *sums);

/* The level given at creation. */
uint32_t rv_timeline_finest(const struct rv_timeline *timeline);

/* The coarsest level of any sums added; 0: none. */
uint32_t rv_timeline_sums_level(const struct rv_timeline *timeline);

/*
 * Evicted spans that end at from_ns or later can be read back in pages; UINT64_MAX: none can yet. Long spans are then
 * evicted last.
 */
void rv_timeline_back_from(struct rv_timeline *timeline, uint64_t from_ns);
bool rv_timeline_is_backed(const struct rv_timeline *timeline);

/* Evicted spans that end before this can be read back so far. */
void rv_timeline_back_until(struct rv_timeline *timeline, uint64_t until_ns);
uint64_t rv_timeline_backed_until_ns(const struct rv_timeline *timeline);

/* Were spans evicted, or will some be soon, that cannot be read back yet? */
bool rv_timeline_is_late(const struct rv_timeline *timeline);

/*
 * Of a backed timeline: iterations over the spans of a window take spans in buckets below RV_TIMELINE_REACH that end
 * before this from pages, the others from its logs; 0: the logs have all. While spans are added, some may be evicted
 * before they are read: then this is after the window, or after all spans.
 */
uint64_t rv_timeline_paged_before_ns(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns);

/* Spans in buckets below this level are read back from the pages near a window, the longer ones are not. */
#define RV_TIMELINE_REACH 7u

/* A span in a page ends less than this after a window that it overlaps. */
uint64_t rv_timeline_reach_ns(const struct rv_timeline *timeline);

/*
 * A page holds the spans that end in a stretch of time, or the known part: all, or of sums those shorter than that
 * level's cells; see model/span_pages.h. A page is queried at its own level when the requested one is finer.
 */
struct rv_page;
void rv_timeline_add_page(struct rv_timeline *timeline, const struct rv_page *page);

/* Marks the page as used. Is it present, with all that this level shows? */
struct rv_page_look;
bool rv_timeline_use_page(struct rv_timeline *timeline, const struct rv_page_look *look);

/* Mark the pages that show the window at this level as used, also those that could not be loaded again. */
void rv_timeline_use_window(struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                            uint64_t now);

uint64_t rv_timeline_n_pages(const struct rv_timeline *timeline); /* ever added */

/* Counts, memory and bounds; times are ns of the trace. */
uint64_t rv_timeline_n_spans(const struct rv_timeline *timeline);   /* ever added */
uint64_t rv_timeline_n_evicted(const struct rv_timeline *timeline); /* exact spans no longer held */
size_t rv_timeline_bytes(const struct rv_timeline *timeline);
uint64_t rv_timeline_first_ns(const struct rv_timeline *timeline); /* 0 when empty */
uint64_t rv_timeline_last_ns(const struct rv_timeline *timeline);
uint32_t rv_timeline_max_depth(const struct rv_timeline *timeline); /* deepest span + 1 */

/* Places that divide the spans added, each at least RV_TIMELINE_STRETCH after the one before; valid until the next
 * add. */
#define RV_TIMELINE_STRETCH 256u
struct rv_timeline_mark {
    uint64_t end_ns;  /* the latest end when */
    uint64_t n_spans; /* had been added */
};
const struct rv_timeline_mark *rv_timeline_marks(const struct rv_timeline *timeline, size_t *n);

/* No more spans are added: free the reserve; every chunk may be evicted from now on. */
void rv_timeline_end(struct rv_timeline *timeline);

/*
 * Drop pages not in use; then the oldest exact spans, a chunk at a time, then the oldest of the finest cells, until at
 * most n_bytes are used or only chunks being filled are left. Where exact spans of a level are gone, queries show the
 * finest level that is complete there. Returns bytes freed.
 */
size_t rv_timeline_evict(struct rv_timeline *timeline, size_t n_bytes);

#define RV_TIMELINE_LEVELS 16u /* level 0 = all exact; level k: spans shorter than 2^(13 + 2(k-1)) ns are folded */

/* Width of the cells that stand for short spans at that time while no page does; 0: they are all there. */
uint64_t rv_timeline_width_ns(const struct rv_timeline *timeline, uint64_t at_ns);

/* Before this time, detail of this level was released for good, and coarser levels replace it; 0: none was. */
uint64_t rv_timeline_released_ns(const struct rv_timeline *timeline, uint32_t level);

/* The same of a window: pages may still have what was released. 0: nothing of the window was. */
uint64_t rv_timeline_released_in(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level);

/* Some exact spans before this time were evicted; 0 when none was. */
uint64_t rv_timeline_exact_from_ns(const struct rv_timeline *timeline);

/* Data of this level before this time was evicted: exact spans of its buckets, or its cells. */
uint64_t rv_timeline_whole_from_ns(const struct rv_timeline *timeline, uint32_t level);

/* The cells of all levels; never NULL. */
struct rv_density;
const struct rv_density *rv_timeline_density(const struct rv_timeline *timeline);

/*
 * The logs of exact spans, for iterating over all of them: each holds durations below its limit, in closing order,
 * keyed by end. Logs before the first one contain sums, which no iteration needs.
 */
#define RV_TIMELINE_LOGS (2 * RV_TIMELINE_LEVELS)
uint32_t rv_timeline_first_log(const struct rv_timeline *timeline);
struct rv_chunked_log;
const struct rv_chunked_log *rv_timeline_log(const struct rv_timeline *timeline, uint32_t log_idx);
uint64_t rv_timeline_log_limit(uint32_t log_idx);

/* The coarsest level whose cells are at most `ns_per_pixel` wide; 0 if level 1's are wider. */
uint32_t rv_timeline_level_for(double ns_per_pixel);

#endif
