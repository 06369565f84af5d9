#include "bench/calls.h"

#include <stdio.h>

#include "bench/bench.h"

#define BLOCK_SPANS 256u

bool rv_calls_step(struct rv_calls *calls, uint64_t gap_ns, struct rv_span *out)
{
    uint64_t random = rv_bench_random(&calls->random);
    calls->now_ns += gap_ns;
    bool is_call = calls->depth == 0 || (calls->depth < RV_CALLS_MOST_DEPTH && random & 1);
    if (is_call) {
        calls->start_ns[calls->depth] = calls->now_ns;
        calls->id[calls->depth++] = 1 + (uint32_t)(random >> 8) % RV_CALLS_N_NAMES;
        return false;
    }
    calls->depth--;
    *out = (struct rv_span){.start = calls->start_ns[calls->depth],
                            .end = calls->now_ns,
                            .id = calls->id[calls->depth],
                            .depth = calls->depth};
    return true;
}

void rv_calls_fill(struct rv_calls *calls, struct rv_lane *lane, size_t n, uint64_t gap_mask)
{
    struct rv_span block[BLOCK_SPANS];
    while (n > 0) {
        size_t n_here = n < BLOCK_SPANS ? n : BLOCK_SPANS;
        for (size_t i = 0; i < n_here;)
            i += rv_calls_step(calls, 1 + (rv_bench_random(&calls->random) & gap_mask), &block[i]);
        rv_timeline_add(lane->timeline, block, n_here);
        n -= n_here;
    }
    lane->last_ns = rv_timeline_last_ns(lane->timeline);
}

struct rv_lane *rv_calls_add_lane(struct rv_lanes *lanes, uint32_t idx)
{
    char name[32];
    (void)snprintf(name, sizeof name, "thread %u", idx);
    return rv_lanes_add(lanes, &(struct rv_lane_identity){
                                   .pid = 1, .tid = idx, .process_key = 1, .name = name, .process_name = "bench"});
}
