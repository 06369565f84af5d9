/* A thread waits for one lock at a time: from any of them there is one way, and a cycle where it comes back. */
#include "waits/cycles.h"

#include <stdlib.h>

#include "base/vec.h"

struct last { /* of each lane: its wait that has not ended */
    struct rv_wait_edge edge;
    bool is_open;
    size_t seen; /* 1 + lane from which it was reached; 0: not yet */
};

static bool is_lock(enum rv_wait_kind kind)
{
    return kind == RV_WAIT_MUTEX || kind == RV_WAIT_READ_LOCK || kind == RV_WAIT_WRITE_LOCK;
}

/* One who has released the lock since has it no longer. */
static bool still_has(const struct rv_wait_edge *edge)
{
    return edge->waker && !edge->released_ns;
}

static struct last last_of(struct rv_wait_reader *reader, uint32_t lane_idx)
{
    struct last last = {.is_open = false};
    rv_wait_place place;
    struct rv_wait wait;
    if (!rv_wait_reader_last(reader, lane_idx, UINT64_MAX, RV_WAIT_PLACE_END, &wait, &place) ||
        wait.wake != RV_WAKE_UNKNOWN || !wait.waker || !is_lock(wait.kind))
        return last;
    struct rv_wait asked = wait;
    asked.woke_ns = wait.end_ns; /* any release of the holder until then */
    last.edge = rv_wait_reader_edge(reader, &asked);
    last.edge.wait = wait;
    last.is_open = still_has(&last.edge);
    return last;
}

struct found {
    struct rv_wait_in_cycle *all;
    size_t n, capacity;
    uint32_t n_cycles;
};

static void add_cycle(struct found *found, const struct last *lasts, uint32_t first)
{
    uint32_t lane_idx = first;
    do {
        const struct last *last = &lasts[lane_idx];
        found->all = rv_vec_reserve(found->all, &found->capacity, found->n + 1, sizeof *found->all);
        found->all[found->n++] = (struct rv_wait_in_cycle){last->edge.wait, last->edge.waker, found->n_cycles};
        lane_idx = last->edge.waker->idx;
    } while (lane_idx != first);
    found->n_cycles++;
}

static void follow(struct found *found, struct last *lasts, size_t n, uint32_t from)
{
    uint32_t lane_idx = from;
    while (lane_idx < n && lasts[lane_idx].is_open && !lasts[lane_idx].seen) {
        lasts[lane_idx].seen = (size_t)from + 1;
        lane_idx = lasts[lane_idx].edge.waker->idx;
    }
    if (lane_idx < n && lasts[lane_idx].is_open && lasts[lane_idx].seen == (size_t)from + 1)
        add_cycle(found, lasts, lane_idx);
}

struct rv_wait_in_cycle *rv_wait_cycles_take(struct rv_wait_reader *reader, const struct rv_lanes *lanes, size_t *n)
{
    const size_t n_lanes = rv_lanes_n(lanes);
    struct found found = {0};
    struct last *lasts = rv_alloc(n_lanes + 1, sizeof *lasts);
    for (uint32_t i = 0; i < n_lanes; i++)
        lasts[i] = last_of(reader, i);
    for (uint32_t i = 0; i < n_lanes; i++)
        follow(&found, lasts, n_lanes, i);
    free(lasts);
    *n = found.n;
    return found.all;
}
