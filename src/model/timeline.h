/*
 * One lane's spans over time, at every level of detail, built on line.
 *
 * Every finished span is stored once, exactly, in a bucket by duration (2^13 ns, factor 4), in closing order, so that
 * any window is one contiguous range per bucket. Spans shorter than a bucket's quantum also feed density cells
 * (coverage, count, majority subroutine) of that level. Evicting old exact spans keeps the density.
 *
 * A timeline can also be made of sums: cells of one level and the spans that are longer than these. What is shorter is
 * then in pages, which come and go.
 */
#ifndef RV_MODEL_TIMELINE_H
#define RV_MODEL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "scan/span.h"

struct rv_timeline; /* not locked: the lane's lock covers it */

struct rv_timeline *rv_timeline_create(void);

/*
 * One that knows this level and coarser ones: what is shorter than its cells is kept in them only. Level 0: all.
 * RV_TIMELINE_LEVELS: no call is kept; how many there were, from when to when and how deep is known all the same.
 */
struct rv_timeline *rv_timeline_create_from(uint32_t level);
void rv_timeline_destroy(struct rv_timeline *timeline);

/*
 * Add finished spans (ns), in closing order: end never falls from call to call. One that does is moved up to the latest
 * end seen, a start after its end to that end. An ORPHAN keeps the start it is given.
 */
void rv_timeline_add(struct rv_timeline *timeline, const struct rv_span *spans, size_t n);

struct rv_timeline_cell { /* a sum: of a column of a level, of one depth */
    uint64_t start_ns, covered_ns;
    uint32_t n_calls, id, depth;
};

struct rv_timeline_sums {                 /* of what ended in a stretch of time, not before what was added already */
    uint32_t level;                       /* of the cells, 1 or more */
    const struct rv_timeline_cell *cells; /* rising starts */
    size_t n_cells;
    const struct rv_span *spans; /* no shorter than a cell, in closing order */
    size_t n_spans;
};

/*
 * Add sums instead of spans. Levels finer than the coarsest level ever given are then known where there are pages.
 */
void rv_timeline_add_sums(struct rv_timeline *timeline, const struct rv_timeline_sums *sums);

/* The level that it was created from. */
uint32_t rv_timeline_finest(const struct rv_timeline *timeline);

/* The coarsest level that sums were of; 0: there were none. */
uint32_t rv_timeline_sums_level(const struct rv_timeline *timeline);

/*
 * All spans shorter than that level's cells that end in a stretch of time, or what is known of one: see
 * model/span_pages.h. A span is in the page that it ends in. At a finer level than it was created from a page shows what it
 * has.
 */
struct rv_page;
void rv_timeline_add_page(struct rv_timeline *timeline, const struct rv_page *page);

/* Is the page looked at there, with all that this level shows? */
struct rv_page_look;
bool rv_timeline_use_page(struct rv_timeline *timeline, const struct rv_page_look *look);

uint64_t rv_timeline_n_spans(const struct rv_timeline *timeline);   /* ever added */
uint64_t rv_timeline_n_evicted(const struct rv_timeline *timeline); /* exact spans no longer held */
size_t rv_timeline_bytes(const struct rv_timeline *timeline);
uint64_t rv_timeline_first_ns(const struct rv_timeline *timeline); /* 0 when empty */
uint64_t rv_timeline_last_ns(const struct rv_timeline *timeline);
uint32_t rv_timeline_max_depth(const struct rv_timeline *timeline); /* deepest span + 1 */

/* No more spans come: what was set aside for them is given back, and all that there are may be evicted. */
void rv_timeline_end(struct rv_timeline *timeline);

/*
 * Drop pages that nobody looks at; then the oldest exact spans, a chunk at a time, then the oldest of the finest cells,
 * until at most n_bytes are used or only what is being filled is left. Where exact spans of a level are gone, queries
 * show the finest level that is whole there. Returns bytes freed.
 */
size_t rv_timeline_evict(struct rv_timeline *timeline, size_t n_bytes);

#define RV_BOX_EXACT 65535u
#define RV_BOX_DIMMED 0x4000u /* in flags, set by the view: stands back */
#define RV_BOX_HIT 0x8000u    /* stands out */

/* What a picture is made of. */
struct rv_box {
    uint64_t start_ns;
    uint64_t duration_ns;
    uint32_t id;    /* subroutine; of a cell: the majority's */
    uint32_t count; /* 1 for an exact span, else the calls that ended in this cell (0: one reaches out of it) */
    uint32_t depth;
    uint16_t coverage; /* of a cell: 0..65534, share of its width that was covered; else RV_BOX_EXACT */
    uint16_t flags;    /* enum rv_span_flag, RV_BOX_DIMMED, RV_BOX_HIT */
};

static inline uint64_t rv_box_end_ns(const struct rv_box *box)
{
    return rv_clock_after_ns(box->start_ns, box->duration_ns);
}

#define RV_TIMELINE_LEVELS 16u /* level 0 = all exact; level k: spans shorter than 2^(13 + 2(k-1)) ns are folded */

/*
 * Boxes that a query of this level would give, exactly but for cells that several pages have a part of, without making
 * them. Microseconds. A span overlaps when it
 * starts before `to` and ends after `from` or starts at it; cells count whole. Below 4,096 deep, cells are in row
 * 4,095.
 */
uint64_t rv_timeline_count(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level);

/*
 * Boxes that overlap [from, to) at this level, up to max; sorted within nothing.
 *   returns  boxes written
 */
size_t rv_timeline_query(const struct rv_timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint32_t level,
                         struct rv_box *out, size_t max);

/* Before this time some exact spans were evicted, of those that were held exactly; 0 when none was. */
uint64_t rv_timeline_exact_from_ns(const struct rv_timeline *timeline);

/* Before this time something was evicted that a query of this level shows: exact spans of its buckets, or its cells. */
uint64_t rv_timeline_whole_from_ns(const struct rv_timeline *timeline, uint32_t level);

/* The cells of all levels; never NULL. */
struct rv_density;
const struct rv_density *rv_timeline_density(const struct rv_timeline *timeline);

/*
 * The logs that the exact spans stand in, for walks over all of them: each holds durations below its limit, in closing
 * order, keyed by end. Those before the first one come from a summary: no walk needs them.
 */
#define RV_TIMELINE_LOGS (2 * RV_TIMELINE_LEVELS)
uint32_t rv_timeline_first_log(const struct rv_timeline *timeline);
struct rv_chunked_log;
const struct rv_chunked_log *rv_timeline_log(const struct rv_timeline *timeline, uint32_t log_idx);
uint64_t rv_timeline_log_limit(uint32_t log_idx);

/* Record idx of an array as rv_chunked_log_walk() gives it, base its chunk's. */
struct rv_box rv_timeline_box(const struct rv_chunked_log *log, const void *records, uint32_t idx, uint64_t base);

/* The record at a place that is not the end. */
struct rv_chunked_log_at;
struct rv_box rv_timeline_box_at(const struct rv_chunked_log *log, const struct rv_chunked_log_at *at);

/* Finest level whose cells are at most `ns_per_pixel` wide... level 0 when even the first quantum is wider. */
uint32_t rv_timeline_level_for(double ns_per_pixel);

#endif
