/*
 * The producer's hot path, inlined into every hook. Written for about 20 instructions and one branch.
 *
 * `cursor` is the address of the next slot, poisoned while a push is under way: the push begins with one
 * instruction that reads the cursor and adds RV_PUSH_POISON to it. A signal handler that pushes in between finds a
 * poisoned cursor, which fails the same comparison as "full", "at the end", "disabled" and "no ring yet", and goes
 * to the slow path, which keeps its event in a small stash until the interrupted push is done. So events are never
 * torn, overwritten or published early, with one branch and no lock.
 */
#ifndef RV_RING_PUSH_H
#define RV_RING_PUSH_H

#include <stdint.h>

#include "ringviz/wire.h"

#define RV_PUSH_POISON (1ull << 56)

/* One per thread (initial-exec TLS) or per producer in tests. All zero = no ring yet: the first push goes to the slow path. */
struct rv_pusher {
    uint64_t cursor;   /* address of the next slot, + RV_PUSH_POISON per push under way */
    uint64_t limit;    /* address; a push at or above it goes to the slow path */
    uint64_t head_bias;/* head = (cursor - head_bias) / 16, for this lap */
    uint64_t *head;    /* the shared word */
    const uint32_t *tick;     /* clock TICK: the shared word, and what was read last */
    uint32_t last_tick;
    uint64_t last_ticks;
    struct rv_pusher_state *state; /* the slow path's: ring view, stash, drop counts */
};

#endif
