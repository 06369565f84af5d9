/*
 * Per-subroutine statistics, mergeable: calls, inclusive and self time, minimum, percentiles within 1 %, maximum.
 *
 * A shard is filled by one worker at a time; shards merge. Self time and outermost activations (recursion counts
 * once in total_ns) need the order of one lane: struct rv_stats_lane keeps that.
 */
#ifndef RV_MODEL_STATS_H
#define RV_MODEL_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/histogram.h"
#include "model/state_times.h"
#include "model/subroutines.h"
#include "scan/span.h"

struct rv_histogram;
struct rv_stats;      /* a shard, or a merged table */
struct rv_stats_lane; /* per lane: self-time accumulators by depth, open activations by subroutine */

struct rv_stats *rv_stats_create(void);
void rv_stats_destroy(struct rv_stats *stats);
struct rv_stats_lane *rv_stats_lane_create(void);
void rv_stats_lane_destroy(struct rv_stats_lane *lane);

/*
 * Set the frames open after the block, so that recursion across blocks counts once. Frames [0, n_unchanged) are as in
 * the last call and are not read: O(changed frames). At the end of a stream, whose frames close in several blocks:
 * (NULL, NULL, n, n) with the n frames that the block leaves open.
 */
void rv_stats_lane_set_open(struct rv_stats_lane *lane, const uint64_t *start_ns, const uint32_t *ids,
                            uint32_t n_frames, uint32_t n_unchanged);

/* Set the time of finished children of the open frame at this depth: for frames older than the first span added. */
void rv_stats_lane_set_children(struct rv_stats_lane *lane, uint32_t depth, uint64_t children_ns);
uint64_t rv_stats_lane_children(const struct rv_stats_lane *lane, uint32_t depth);

/* Depths of later spans are greater by this: shift the known open frames down. */
void rv_stats_lane_lower(struct rv_stats_lane *lane, uint32_t by);

/*
 * Add the finished spans of one block and lane (ns, in closing order). Call rv_stats_lane_set_open() with the frames
 * open after the block first. Spans flagged OPEN count as calls. An ORPHAN has no row, since its call was not seen; the
 * known time of its children counts as time of the enclosing call.
 */
void rv_stats_add(struct rv_stats *stats, struct rv_stats_lane *lane, const struct rv_span *spans, size_t n);

/*
 * Subroutines of one name count as one: a call of one of them inside a call of another adds to inner_ns, not to
 * total_ns. Names may come after calls: from rv_stats_await_names() on, which comes before the first call, calls of
 * blocks in which a subroutine has no name are also summed up by the calls around them, up to some 8,000 sums, of a
 * million calls.
 */
void rv_stats_await_names(struct rv_stats *stats);

/* Names have come: of these definitions, in their order. */
void rv_stats_name(struct rv_stats *stats, const struct rv_namesake *namesakes, size_t n);

/* Before the rows are read or merged: take what is known to be inner by now out of the totals. */
void rv_stats_correct(struct rv_stats *stats);

/* Is inner_ns incomplete: were there too many of these, or calls counted without names, as the second function says? */
bool rv_stats_lacks_inner(const struct rv_stats *stats);
void rv_stats_lack_inner(struct rv_stats *stats);

/* One call with known times; total_ns is 0 for an inner activation. For tables without lanes. */
struct rv_stats_call {
    uint64_t total_ns, self_ns, duration_ns;
    bool is_doubtful; /* RV_SPAN_DOUBTFUL */
};
void rv_stats_add_call(struct rv_stats *stats, uint32_t id, const struct rv_stats_call *call);

/*
 * Own time of a call (without callees), for other tables: call it for each span of a lane in closing order instead of
 * rv_stats_add(). False: an ORPHAN, whose call was not seen.
 */
bool rv_stats_lane_own(struct rv_stats_lane *lane, const struct rv_span *span, uint64_t *own_ns);

struct rv_stats_row {
    uint32_t id;
    uint64_t n_calls, total_ns, self_ns, min_ns, p50_ns, p99_ns, max_ns;
    uint64_t
        inner_ns; /* of outermost activations inside calls of another subroutine of the same name: not in total_ns */
    struct rv_state_times self_times, total_times; /* parts of self_ns and of total_ns */
    bool has_doubtful; /* a call of it may be several, with a gap between them: the longest durations may be too long */
};

/* Add time of calls of a subroutine in which their thread did not run: their own, and that of outermost activations. */
void rv_stats_add_times(struct rv_stats *stats, uint32_t id, const struct rv_state_times *self,
                        const struct rv_state_times *total);

/*
 * Add the time in which the lane's thread did not run to the total of all calls in which it was, also of open ones. A
 * stretch is in the calls that began before its end and had not ended.
 *   spans      n, as given to rv_stats_add() right before
 *   stretches  those of the block
 */
void rv_stats_add_stretches(struct rv_stats *stats, const struct rv_stats_lane *lane, const struct rv_span *spans,
                            size_t n, const struct rv_state_times_sums *stretches);

/* Add calls counted elsewhere: the row without its percentiles, and the durations. */
void rv_stats_put(struct rv_stats *stats, const struct rv_stats_row *row, const struct rv_histogram *durations);

struct rv_stats_calls { /* of a subroutine: less than a cache line */
    uint64_t n_calls, self_ns, min_ns, max_ns;
    struct rv_histogram durations;
};

/* By id, of those that have been put or added; valid until the next one is. */
struct rv_stats_calls *rv_stats_calls(struct rv_stats *stats);

/* Count a call, whose times come by rv_stats_put(). */
static inline void rv_stats_calls_add(struct rv_stats_calls *calls, uint64_t duration_ns)
{
    rv_histogram_add(&calls->durations, duration_ns);
    calls->n_calls++;
    if (duration_ns < calls->min_ns)
        calls->min_ns = duration_ns;
    if (duration_ns > calls->max_ns)
        calls->max_ns = duration_ns;
}

/* Add all rows of another. */
void rv_stats_merge(struct rv_stats *into, const struct rv_stats *from);

/* Merge with id i counted as as_id[i] (ids from n_ids on: as themselves), for subroutines that are the same. */
void rv_stats_merge_as(struct rv_stats *into, const struct rv_stats *from, const uint32_t *as_id, size_t n_ids);

/* Rows of every subroutine with calls, any order; returns their number, writes up to max. */
size_t rv_stats_rows(const struct rv_stats *stats, struct rv_stats_row *out, size_t max);

/* Statistics in which subroutines of one name, file and line are one, under the least of their ids. To be destroyed. */
struct rv_stats *rv_stats_by_name(const struct rv_stats *stats, struct rv_subroutines *subroutines);

/* May some of their totals have time of calls inside calls twice, as inner_ns is incomplete? */
bool rv_stats_has_doubtful_totals(const struct rv_stats *stats, const struct rv_stats *by_name);

/* All of them, n, for free(). */
struct rv_stats_row *rv_stats_take_rows(const struct rv_stats *stats, size_t *n);

/* Number of buckets of all histograms, with empty ones. */
size_t rv_stats_n_buckets(const struct rv_stats *stats);

/* Durations of a subroutine's calls, valid until the next add; NULL when there are none. */
const struct rv_histogram *rv_stats_durations(const struct rv_stats *stats, uint32_t id);

/*
 * Number of a subroutine's calls up to duration_ns, plus those up to 1.6 % above it.
 *   n_calls  all of its calls
 */
uint64_t rv_stats_at_most(const struct rv_stats *stats, uint32_t id, uint64_t duration_ns, uint64_t *n_calls);

#endif
