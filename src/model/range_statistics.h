/*
 * Statistics of a range of time: per subroutine and as a flame graph, from exact calls.
 *
 * A call is in [from, to) when it overlaps it. Its times, total and self, are the parts inside the range; its duration
 * (minimum, percentiles, maximum, histogram) is that of the whole call, because a call cut by the range was not short.
 * An open call lasts until now. Total counts the outermost activation only; self is the time without callees, whether
 * or not they pass the filter. A call that does not pass the filter has no row; its callees become its caller's. An
 * orphan, whose call was never seen, has no row either. Time in which a thread did not run counts for the innermost
 * call, as far as the lane's notes tell (model/range_times.h), and so do objects that were made. Of times on or off the
 * CPU durations are, too, the parts inside.
 *
 * Ids of one subroutine in several processes are merged: results use the least of them.
 */
#ifndef RV_MODEL_RANGE_STATISTICS_H
#define RV_MODEL_RANGE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/call_list.h"
#include "model/lanes.h"
#include "model/filter.h"
#include "model/range_memory.h"
#include "model/range_tree.h"
#include "model/stats.h"
#include "model/subroutines.h"

struct rv_range_statistics; /* opaque */

struct rv_range_statistics_params {
    uint64_t from_ns, to_ns; /* to > from */
    struct rv_lanes *lanes;  /* outlive the range, as do the subroutines */
    struct rv_subroutines *subroutines;
    const struct rv_filter *filter; /* NULL = all pass */
    enum rv_time_kind time;         /* what times, total, self and durations are of */
    const uint32_t *lane_idxs;      /* copied; NULL = all lanes */
    size_t n_lane_idxs;
    struct rv_range_memory *memory; /* of parts that were measured before; outlives the range. NULL: none */
    size_t n_beforehand; /* up to so many parts are measured that the memory has not, and no results made; 0: all are */
    uint64_t calls_per_part;  /* a lane is divided into pieces of about so many; 0 = 131,072 */
    uint64_t n_calls_sampled; /* about so many are measured, in parts spread evenly over threads and time; 0: all */
    bool lists_calls;  /* of this subroutine, in rv_range_statistics_calls(), and makes neither statistics nor nodes */
    uint32_t calls_of; /* or of one with its name, file and line */
    enum rv_call_list_order list_order;
};

/* Takes no lane's lock: the range begins when its first share steps, or when its parts are counted. */
struct rv_range_statistics *rv_range_statistics_create(const struct rv_range_statistics_params *params);
void rv_range_statistics_destroy(struct rv_range_statistics *range);

/* Measure all of it by this thread. For ranges without pages. */
void rv_range_statistics_measure(struct rv_range_statistics *range);

/*
 * Parts that can be measured at the same time, 1 or more: a thread more than there are finds nothing to do. Begins the
 * range, if it has not begun: takes each lane's lock, and what comes later is not in the range. Any thread.
 */
size_t rv_range_statistics_n_parts(struct rv_range_statistics *range);

/*
 * One thread's share in measuring a range; the results do not depend on the number of shares. When no share has
 * anything left, the range is complete and may be read. Each thread has a share of its own.
 */
struct rv_range_statistics_share; /* opaque */

struct rv_range_statistics_share *
rv_range_statistics_share_create(struct rv_range_statistics *range); /* which outlives it */
void rv_range_statistics_share_destroy(struct rv_range_statistics_share *share);

/*
 * Measure on; each lane's lock is held for thousands of calls at a time. Waits up to timeout_ns where other shares are
 * far behind.
 *   most     calls to visit now, about 40 ns each; fewer when a part that is complete is added to the results, one in a
 *            step
 *   returns  whether nothing is left for this share
 */
bool rv_range_statistics_share_step(struct rv_range_statistics_share *share, size_t most, uint64_t timeout_ns);

/*
 * The last step has reached a lane whose short calls are in pages and needs one: give it by
 * rv_range_statistics_share_give(), between steps, until no more are wanted.
 */
bool rv_range_statistics_share_wants_page(const struct rv_range_statistics_share *share);

struct rv_range_statistics_window { /* where a page is wanted */
    uint64_t from_ns, to_ns;
    uint32_t lane_idx;
    uint64_t paged_before_ns; /* the lane's rv_timeline_paged_before_ns() when it was reached */
};
/* The window whose page is wanted, and the page given: as rv_span_iter_back_give(). */
struct rv_range_statistics_window rv_range_statistics_share_window(const struct rv_range_statistics_share *share);
void rv_range_statistics_share_give(struct rv_range_statistics_share *share, struct rv_timeline *page,
                                    uint64_t edge_ns);

/* A page that was to be given is damaged: its calls are missing. Between steps, too. */
void rv_range_statistics_share_miss(struct rv_range_statistics_share *share);

/* Of one for later ranges: has the memory all parts that it could have, or no room for more? */
bool rv_range_statistics_has_all_beforehand(const struct rv_range_statistics *range);

/* Of the calls of a range that has begun, the share that is measured: 1, but for a sample. Roughly; 0: no part is as
 * small. */
double rv_range_statistics_sampled(const struct rv_range_statistics *range);

/* The id of a subroutine in the results. */
uint32_t rv_range_statistics_id(const struct rv_range_statistics *range, uint32_t id);

/* 0..1, roughly. Any thread. */
double rv_range_statistics_progress(const struct rv_range_statistics *range);

/* Valid until destroy, as are the following. */
const struct rv_stats *rv_range_statistics_stats(const struct rv_range_statistics *range);
uint64_t rv_range_statistics_self_ns(const struct rv_range_statistics *range); /* of all rows */

const struct rv_call_list *
rv_range_statistics_calls(const struct rv_range_statistics *range); /* their callers are ids of the results */

/* Calls before this time may be missing, because they were evicted; 0 if none. */
uint64_t rv_range_statistics_missing_before_ns(const struct rv_range_statistics *range);
/* The objects made in a part of the range are not known any more: rows have too few. */
bool rv_range_statistics_lacks_objects(const struct rv_range_statistics *range);

bool rv_range_statistics_is_damaged(
    const struct rv_range_statistics *range); /* calls are missing, because their pages are damaged */

/*
 * Node 0 is the root, with the total of all outermost calls. Up to RV_RANGE_MOST_NODES paths have nodes. Where there
 * would be more, those have them that take longest in small parts of all threads and times, and those of the longest
 * calls of each thread. Time in other paths counts as their caller's self; the times of nodes are exact.
 */
const struct rv_range_node *rv_range_statistics_nodes(const struct rv_range_statistics *range, size_t *n);

#endif
