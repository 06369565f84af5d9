/*
 * A timeline's state, for the files that fill and query it.
 *
 * A bucket holds durations in [quantum of level j, quantum of level j + 1), in closing order. So its records are sorted
 * by end, and no span that overlaps a window ends later than the window's end plus the bucket's longest duration. A
 * level shows the buckets from its own upwards and its density cells. The few spans that do not fit a 16-byte record
 * (2^32 ns or longer, depth 65,536 or more) are in a wide log of the same bucket.
 */
#ifndef RV_MODEL_TIMELINE_PARTS_H
#define RV_MODEL_TIMELINE_PARTS_H

#include "model/chunked_log.h"
#include "model/density.h"
#include "model/span_pages.h"
#include "model/timeline.h"

struct rv_timeline_logs {
    struct rv_chunked_log spans[RV_TIMELINE_LEVELS]; /* by bucket; key = end */
    struct rv_chunked_log wide[RV_TIMELINE_LEVELS];
    struct rv_density density;
    struct rv_timeline_mark *marks;
    size_t n_marks, marks_capacity;
    uint64_t next_mark; /* once so many spans are added */
};

struct rv_timeline {               /* first what every query reads: it costs few cache misses */
    struct rv_timeline_logs *logs; /* never NULL; empty ones are shared before the first call that is kept */
    struct rv_span_pages pages;
    uint32_t finest;     /* level: spans shorter than its cells are in cells only */
    uint32_t sums_level; /* level of the sums; finer levels are in pages; 0: all in the logs */
    bool is_backed;      /* evicted spans come back in pages */
    bool has_ended;
    bool has_no_cells;
    uint64_t whole_from_ns[RV_TIMELINE_LEVELS]; /* by level: spans and cells */
    uint64_t spans_from_ns[RV_TIMELINE_LEVELS]; /* by bucket: evicted spans end by this */
    uint64_t n_spans, n_evicted, first_ns, last_ns;
    uint64_t backed_from_ns, backed_until_ns;
    uint32_t max_depth;
};

/* Durations in a bucket are below this. */
static inline uint64_t rv_timeline_bucket_limit(uint32_t bucket)
{
    return bucket + 1 < RV_TIMELINE_LEVELS ? UINT64_C(1) << rv_density_shift(bucket + 1) : UINT64_MAX;
}

/* The log of this index, as rv_timeline_log() gives it. */
static inline struct rv_chunked_log *rv_timeline_parts_log(const struct rv_timeline *timeline, uint32_t log_idx)
{
    return log_idx % 2 ? &timeline->logs->wide[log_idx / 2] : &timeline->logs->spans[log_idx / 2];
}

#endif
