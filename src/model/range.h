/*
 * What happened in a range of time: statistics per subroutine and one flame graph, from exact calls.
 *
 * A call belongs to [from, to) when some of it lies inside. Its times, total and self, are what lies inside of the
 * range; its duration (minimum, percentiles, maximum, histogram) is of the whole call, because one that was cut off by
 * the range was not short. A call that is still open lasts until now. Total counts the outermost activation only; self
 * is what its own calls leave, whether or not they pass the filter. A call that does not pass the filter is no row; what it
 * called hangs on what called it. An orphan, whose call was never seen, is no row either.
 *
 * A subroutine is one, whatever number it has in each process: all results are about the least of those.
 */
#ifndef RV_MODEL_RANGE_H
#define RV_MODEL_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "model/filter.h"
#include "model/stats.h"
#include "model/subroutines.h"

struct rv_range; /* opaque */

struct rv_range_params {
    uint64_t from_ns, to_ns; /* to > from */
    struct rv_lanes *lanes;  /* outlive the range, as do the subroutines */
    struct rv_subroutines *subroutines;
    const struct rv_filter *filter; /* copied; NULL = all pass */
    const uint32_t *lane_idxs;      /* copied; NULL = all lanes */
    size_t n_lane_idxs;
};

struct rv_range *rv_range_create(const struct rv_range_params *params);
void rv_range_destroy(struct rv_range *range);

/*
 * Work on; one thread at a time, any thread. Each lane's lock is held for thousands of calls at a time.
 *   most     calls to look at now, about 60 ns each
 *   returns  whether all is done; before that the results are not to be read
 */
bool rv_range_step(struct rv_range *range, size_t most);

/*
 * The step before has come to a lane whose short calls are summarized, and can go no further without them: is given
 * what they are, as rv_span_iter_back_give() is, until it wants no more. Between steps.
 */
bool rv_range_wants_page(const struct rv_range *range);
uint32_t rv_range_lane(const struct rv_range *range); /* which it is */
void rv_range_give(struct rv_range *range, struct rv_timeline *page, uint64_t edge_ns);

/* The id that a subroutine has in the results. */
uint32_t rv_range_id(const struct rv_range *range, uint32_t id);

/* 0..1, roughly. Any thread. */
double rv_range_progress(const struct rv_range *range);

/* Valid until destroy, as is what follows. */
const struct rv_stats *rv_range_stats(const struct rv_range *range);
uint64_t rv_range_self_ns(const struct rv_range *range); /* of all rows */

/* Calls before this time may be missing, because they were evicted; 0 when none is. */
uint64_t rv_range_missing_before_ns(const struct rv_range *range);

struct rv_range_node { /* a path of calls; all that took it are one */
    uint32_t id;
    uint32_t parent, first_child, next; /* into the nodes; 0 = none. Siblings stand by falling total */
    uint64_t total_ns, self_ns, n_calls;
};

/* Node 0 is the root, with the total of all outermost calls. The first quarter of a million paths have nodes, thread
 * by thread, each from its end; what takes another is in its caller's self. */
const struct rv_range_node *rv_range_nodes(const struct rv_range *range, size_t *n);

#endif
