/* A thread waits for one lock at a time: from any of them there is one way, and a cycle where it comes back. */
#include "waits/cycles.h"

#include <stdlib.h>

#include "base/vec.h"

/* A wait that is shorter may be about to end: its lock was free, or just being released. */
#define LEAST_NS 100000000u

struct last {            /* of each lane: its wait that has not ended */
    struct rv_wait wait; /* for a lock; with is_waiting */
    bool is_waiting;
    const struct rv_lane *holder; /* NULL: it does not wait, or that is not known */
    size_t seen;                  /* 1 + lane from which it was reached; 0: not yet */
};

static bool is_lock(enum rv_wait_kind kind)
{
    return kind == RV_WAIT_MUTEX || kind == RV_WAIT_READ_LOCK || kind == RV_WAIT_WRITE_LOCK;
}

/* While a thread waits for a lock, others have an event for each release and each time that they take it: their last one
 * counts. In another process the lock is another object, so any release counts there. */
static bool has_lock(struct rv_wait_reader *reader, const struct rv_lane *lane, const struct rv_wait *wait, bool had_it,
                     bool is_of_process)
{
    const struct rv_release_sought sought = {.from_ns = wait->start_ns,
                                             .to_ns = UINT64_MAX,
                                             .object = is_of_process ? wait->object : RV_RELEASE_OF_ANY,
                                             .has_others = is_of_process};
    struct rv_release last;
    if (!had_it && !is_of_process)
        return false;
    return rv_wait_reader_release(reader, lane->idx, &sought, &last) ? last.is_taken : had_it;
}

/* Of the lanes that wait for a lock, or of the others: how many have this one. */
static size_t count_holders(struct rv_wait_reader *reader, const struct rv_lanes *lanes, const struct last *lasts,
                            size_t n_lanes, const struct rv_wait *wait, bool are_waiting, const struct rv_lane **holder)
{
    const struct rv_lane *first = rv_wait_reader_edge(reader, wait).waker;
    const uint32_t pid = rv_lanes_get(lanes, wait->lane)->pid;
    size_t n_holders = 0;
    for (uint32_t i = 0; i < n_lanes; i++) {
        const struct rv_lane *lane = rv_lanes_get(lanes, i);
        if (lasts[i].is_waiting == are_waiting && has_lock(reader, lane, wait, lane == first, lane->pid == pid)) {
            *holder = lane;
            n_holders++;
        }
    }
    return n_holders;
}

/* The lane that has what is waited for, if that is certain and it waits, too; else NULL. Lanes that do not wait are asked
 * last, as they have the most events. */
static const struct rv_lane *find_holder(struct rv_wait_reader *reader, const struct rv_lanes *lanes,
                                         const struct last *lasts, size_t n_lanes, const struct rv_wait *wait)
{
    const struct rv_lane *holder = NULL, *other;
    const bool is_certain = count_holders(reader, lanes, lasts, n_lanes, wait, true, &holder) == 1 &&
                            count_holders(reader, lanes, lasts, n_lanes, wait, false, &other) == 0;
    return is_certain ? holder : NULL;
}

static struct last last_of(struct rv_wait_reader *reader, uint32_t lane_idx)
{
    struct last last = {.holder = NULL};
    last.is_waiting = rv_wait_reader_open_wait(reader, lane_idx, &last.wait) && is_lock(last.wait.kind) &&
                      last.wait.object && rv_wait_duration_ns(&last.wait) >= LEAST_NS;
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
        found->all[found->n++] = (struct rv_wait_in_cycle){last->wait, last->holder, found->n_cycles};
        lane_idx = last->holder->idx;
    } while (lane_idx != first);
    found->n_cycles++;
}

static void follow(struct found *found, struct last *lasts, size_t n, uint32_t from)
{
    uint32_t lane_idx = from;
    while (lane_idx < n && lasts[lane_idx].holder && !lasts[lane_idx].seen) {
        lasts[lane_idx].seen = (size_t)from + 1;
        lane_idx = lasts[lane_idx].holder->idx;
    }
    if (lane_idx < n && lasts[lane_idx].holder && lasts[lane_idx].seen == (size_t)from + 1)
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
        if (lasts[i].is_waiting)
            lasts[i].holder = find_holder(reader, lanes, lasts, n_lanes, &lasts[i].wait);
    for (uint32_t i = 0; i < n_lanes; i++)
        follow(&found, lasts, n_lanes, i);
    free(lasts);
    *n = found.n;
    return found.all;
}
