/* A synthetic thread: a random walk of calls, the same on every machine. */
#ifndef RV_BENCH_CALLS_H
#define RV_BENCH_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"

#define RV_CALLS_MOST_DEPTH 12u
#define RV_CALLS_N_NAMES 60u

struct rv_calls { /* zeroed, except random, the seed */
    uint64_t random, now_ns;
    uint64_t start_ns[RV_CALLS_MOST_DEPTH];
    uint32_t id[RV_CALLS_MOST_DEPTH];
    uint32_t depth;
};

/* One step, gap_ns after the last: a call or a return, equally likely. True if a call ended. */
bool rv_calls_step(struct rv_calls *calls, uint64_t gap_ns, struct rv_span *out);

/* Add the next n finished calls to a lane. Gaps are random, up to gap_mask ns; gap_mask is 2^n - 1. */
void rv_calls_fill(struct rv_calls *calls, struct rv_lane *lane, size_t n, uint64_t gap_mask);

/* An empty lane, of thread idx of the only process. */
struct rv_lane *rv_calls_add_lane(struct rv_lanes *lanes, uint32_t idx);

#endif
