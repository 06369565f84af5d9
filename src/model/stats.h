/*
 * Per-subroutine statistics, mergeable: calls, inclusive and self time, minimum, percentiles within 1 %, maximum.
 *
 * A shard is filled by one worker at a time; shards merge. Self time and the outermost activation (recursion counts
 * once in total_ns) need the order of one lane: struct rv_stats_lane keeps that.
 */
#ifndef RV_MODEL_STATS_H
#define RV_MODEL_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/histogram.h"
#include "scan/span.h"

struct rv_histogram;
struct rv_stats;      /* a shard, or a merged table */
struct rv_stats_lane; /* per lane: self-time accumulators by depth, open activations by subroutine */

struct rv_stats *rv_stats_create(void);
void rv_stats_destroy(struct rv_stats *stats);
struct rv_stats_lane *rv_stats_lane_create(void);
void rv_stats_lane_destroy(struct rv_stats_lane *lane);

/*
 * Open frames after the block: tell it which subroutines are open, so that recursion across blocks counts once.
 * Frames [0, n_unchanged) are as in the last call and are not read: O(changed frames). At the end of a stream, whose
 * frames close in several blocks: (NULL, NULL, n, n) with the n frames that the block leaves open.
 */
void rv_stats_lane_set_open(struct rv_stats_lane *lane, const uint64_t *start_ns, const uint32_t *ids,
                            uint32_t n_frames, uint32_t n_unchanged);

/* What calls took that have ended in the open frame at this depth: for frames that began before all that was added. */
void rv_stats_lane_set_children(struct rv_stats_lane *lane, uint32_t depth, uint64_t children_ns);
uint64_t rv_stats_lane_children(const struct rv_stats_lane *lane, uint32_t depth);

/* From now on depths are counted from so much lower: what is known of open frames lies that much deeper. */
void rv_stats_lane_lower(struct rv_stats_lane *lane, uint32_t by);

/*
 * Add one block's finished spans of one lane (ns, closing order). Call rv_stats_lane_set_open() for the frames that
 * are open after the block first. Spans flagged OPEN are calls like others. An ORPHAN is no call that was seen: it has
 * no row of its own, and what is known of its children counts as time of whatever encloses it.
 */
void rv_stats_add(struct rv_stats *stats, struct rv_stats_lane *lane, const struct rv_span *spans, size_t n);

/* One call whose times are known: of total_ns only what counts. For tables without lanes. */
struct rv_stats_call {
    uint64_t total_ns, self_ns, duration_ns;
};
void rv_stats_add_call(struct rv_stats *stats, uint32_t id, const struct rv_stats_call *call);

/*
 * What a call took without what it called, for tables of one's own: of each span of a lane in closing order, instead of
 * rv_stats_add(). False: an ORPHAN, no call that was seen.
 */
bool rv_stats_lane_own(struct rv_stats_lane *lane, const struct rv_span *span, uint64_t *own_ns);

struct rv_stats_row {
    uint32_t id;
    uint64_t n_calls, total_ns, self_ns, min_ns, p50_ns, p99_ns, max_ns;
};

/* Calls that were counted elsewhere: of the row all but its percentiles, which are in their durations. */
void rv_stats_put(struct rv_stats *stats, const struct rv_stats_row *row, const struct rv_histogram *durations);

void rv_stats_merge(struct rv_stats *into, const struct rv_stats *from);

/* Merge with id i counted as as_id[i] (from n_ids on: as itself): subroutines that turn out to be one. */
void rv_stats_merge_as(struct rv_stats *into, const struct rv_stats *from, const uint32_t *as_id, size_t n_ids);

/* Rows of every subroutine with calls, any order; returns how many there are, writes up to max. */
size_t rv_stats_rows(const struct rv_stats *stats, struct rv_stats_row *out, size_t max);

/* How many buckets all histograms have, empty ones too. */
size_t rv_stats_n_buckets(const struct rv_stats *stats);

/* Durations of a subroutine's calls, valid until something is added; NULL when there are none. */
const struct rv_histogram *rv_stats_durations(const struct rv_stats *stats, uint32_t id);

/*
 * Calls of a subroutine that took no longer than duration_ns, those up to 1.6 % above it included.
 *   n_calls  all of its calls
 */
uint64_t rv_stats_at_most(const struct rv_stats *stats, uint32_t id, uint64_t duration_ns, uint64_t *n_calls);

#endif
