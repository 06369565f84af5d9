/* A thread that never was: a random walk of calls, the same everywhere. */
#ifndef RV_BENCH_CALLS_H
#define RV_BENCH_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"

#define RV_CALLS_MOST_DEPTH 12u
#define RV_CALLS_N_NAMES 60u

struct rv_calls { /* zeroed but for random, the seed */
    uint64_t random, now_ns;
    uint64_t start_ns[RV_CALLS_MOST_DEPTH];
    uint32_t id[RV_CALLS_MOST_DEPTH];
    uint32_t depth;
};

/* One step, gap_ns after the last; the walk goes up as often as down. True when a call ended. */
bool rv_calls_step(struct rv_calls *calls, uint64_t gap_ns, struct rv_span *out);

/* Add the next n finished calls to a lane, gaps a random number of ns up to gap_mask, a power of two less one. */
void rv_calls_fill(struct rv_calls *calls, struct rv_lane *lane, size_t n, uint64_t gap_mask);

/* A lane without calls, thread idx of the one process there is. */
struct rv_lane *rv_calls_add_lane(struct rv_lanes *lanes, uint32_t idx);

#endif
