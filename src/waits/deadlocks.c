/* A thread waits for one lock at a time: from any of them there is one way, and a cycle where it comes back. */
#include "waits/deadlocks.h"

#include <stdlib.h>

#include "base/hash_index.h"
#include "base/vec.h"

/* A wait that is shorter may be about to end: its lock was free, or just being released. */
#define LEAST_NS 100000000u

struct last {            /* a lane's wait that has not ended */
    struct rv_wait wait; /* a wait for a lock; with is_waiting */
    bool is_waiting;
    const struct rv_lane *holder; /* NULL: none, or unknown */
    size_t seen;                  /* 1 + lane from which it was reached; 0: not yet */
};

static bool is_lock(enum rv_wait_kind kind)
{
    return kind == RV_WAIT_MUTEX || kind == RV_WAIT_READ_LOCK || kind == RV_WAIT_WRITE_LOCK;
}

/* ---- who has which lock ---- */

/*
 * While a thread waits for a lock, others have an event for each release and each time that they take it: their last one
 * counts. In another process the lock is another object, so any release counts there.
 */
struct told { /* a lane's last release or taking of an object */
    uint64_t at_ns;
    uint32_t lane;
    bool is_taken;
    uint32_t next; /* the next one about the object: 1 + index; 0: none */
};

struct tellings {
    const struct rv_lanes *lanes;
    const struct last *lasts;
    uint64_t from_ns; /* begin of the first of the waits */
    struct told *all; /* of objects that are waited for */
    size_t n, capacity;
    struct rv_hash_index by_object; /* 1 + the last one that was added, or NONE */
    struct rv_hash_index by_lane;   /* of an object and a lane: 1 + index */
    uint64_t *released_ns;          /* of each lane: the last release of any object since from_ns; 0: none */
    uint64_t *lost_ns;              /* of each lane: when events were last missing */
    uint32_t lane;                  /* the lane that is being read */
};

#define NONE UINT32_MAX

static uint64_t key_of(uint32_t object, uint32_t lane)
{
    return (uint64_t)object << 32 | lane;
}

/* Releases and takings come latest first. Of the time before missing events nothing is known. */
static bool take_told(void *context, const struct rv_release *release)
{
    struct tellings *tellings = context;
    const uint32_t lane = tellings->lane;
    if (!release->is_taken && !tellings->released_ns[lane])
        tellings->released_ns[lane] = release->at_ns;
    if (release->object == RV_RELEASE_OF_ANY) {
        tellings->lost_ns[lane] = release->at_ns;
        return false;
    }
    uint32_t *last = rv_hash_index_at(&tellings->by_object, release->object);
    if (!last || rv_hash_index_get(&tellings->by_lane, key_of(release->object, lane)))
        return true;
    tellings->all = rv_vec_reserve(tellings->all, &tellings->capacity, tellings->n + 1, sizeof *tellings->all);
    tellings->all[tellings->n++] = (struct told){release->at_ns, lane, release->is_taken, *last == NONE ? 0 : *last};
    *last = (uint32_t)tellings->n;
    rv_hash_index_add(&tellings->by_lane, key_of(release->object, lane), *last);
    return true;
}

static void tellings_init(struct tellings *tellings, struct rv_wait_reader *reader, const struct rv_lanes *lanes,
                          const struct last *lasts, size_t n_lanes)
{
    *tellings = (struct tellings){.lanes = lanes, .lasts = lasts, .from_ns = UINT64_MAX};
    tellings->released_ns = rv_alloc(n_lanes + 1, sizeof *tellings->released_ns);
    tellings->lost_ns = rv_alloc(n_lanes + 1, sizeof *tellings->lost_ns);
    for (size_t i = 0; i < n_lanes; i++) {
        if (!lasts[i].is_waiting)
            continue;
        if (lasts[i].wait.start_ns < tellings->from_ns)
            tellings->from_ns = lasts[i].wait.start_ns;
        if (!rv_hash_index_get(&tellings->by_object, lasts[i].wait.object))
            rv_hash_index_add(&tellings->by_object, lasts[i].wait.object, NONE);
    }
    if (tellings->from_ns == UINT64_MAX)
        return;
    tellings->from_ns -= tellings->from_ns < RV_WAKERS_ROUNDING_NS ? tellings->from_ns : RV_WAKERS_ROUNDING_NS;
    for (tellings->lane = 0; tellings->lane < n_lanes; tellings->lane++)
        rv_wait_reader_each_release_back(reader, tellings->lane, tellings->from_ns, take_told, tellings);
}

static void tellings_fini(struct tellings *tellings)
{
    free(tellings->all);
    free(tellings->released_ns);
    free(tellings->lost_ns);
    rv_hash_index_fini(&tellings->by_object);
    rv_hash_index_fini(&tellings->by_lane);
}

static bool is_during(uint64_t at_ns, const struct rv_wait *wait)
{
    return at_ns && at_ns + RV_WAKERS_ROUNDING_NS >= wait->start_ns;
}

/* That the lane had the lock when the wait began is not the last that is known. */
static bool has_told(const struct tellings *tellings, uint32_t lane, const struct rv_wait *wait, bool is_of_process)
{
    if (!is_of_process)
        return is_during(tellings->released_ns[lane], wait);
    const uint32_t told = rv_hash_index_get(&tellings->by_lane, key_of(wait->object, lane));
    return is_during(tellings->lost_ns[lane], wait) || (told && is_during(tellings->all[told - 1].at_ns, wait));
}

/* The lane that has what is waited for, if that is certain and it waits, too; else NULL. */
static const struct rv_lane *find_holder(struct rv_wait_reader *reader, const struct tellings *tellings,
                                         const struct rv_wait *wait)
{
    const struct rv_lane *holder = rv_wait_reader_edge(reader, wait).waker;
    const uint32_t pid = rv_lanes_get(tellings->lanes, wait->lane)->pid;
    uint32_t told = *rv_hash_index_at(&tellings->by_object, wait->object);
    if (holder && has_told(tellings, holder->idx, wait, holder->pid == pid))
        holder = NULL;
    for (told = told == NONE ? 0 : told; told; told = tellings->all[told - 1].next) {
        const struct told *taken = &tellings->all[told - 1];
        const struct rv_lane *lane = rv_lanes_get(tellings->lanes, taken->lane);
        if (!taken->is_taken || lane->pid != pid || !is_during(taken->at_ns, wait))
            continue;
        if (holder)
            return NULL;
        holder = lane;
    }
    return holder && tellings->lasts[holder->idx].is_waiting ? holder : NULL;
}

/* ---- cycles ---- */

static struct last last_of(struct rv_wait_reader *reader, uint32_t lane_idx)
{
    struct last last = {.holder = NULL};
    last.is_waiting = rv_wait_reader_open_wait(reader, lane_idx, &last.wait) && is_lock(last.wait.kind) &&
                      last.wait.object && rv_wait_duration_ns(&last.wait) >= LEAST_NS;
    return last;
}

struct found {
    struct rv_deadlocked_wait *all;
    size_t n, capacity;
    uint32_t n_cycles;
};

static void add_cycle(struct found *found, const struct last *lasts, uint32_t first)
{
    uint32_t lane_idx = first;
    do {
        const struct last *last = &lasts[lane_idx];
        found->all = rv_vec_reserve(found->all, &found->capacity, found->n + 1, sizeof *found->all);
        found->all[found->n++] = (struct rv_deadlocked_wait){last->wait, last->holder, found->n_cycles};
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

struct rv_deadlocked_wait *rv_deadlocks_take(struct rv_wait_reader *reader, const struct rv_lanes *lanes, size_t *n)
{
    const size_t n_lanes = rv_lanes_n(lanes);
    struct found found = {0};
    struct tellings tellings;
    struct last *lasts = rv_alloc(n_lanes + 1, sizeof *lasts);
    for (uint32_t i = 0; i < n_lanes; i++)
        lasts[i] = last_of(reader, i);
    tellings_init(&tellings, reader, lanes, lasts, n_lanes);
    for (uint32_t i = 0; i < n_lanes; i++)
        if (lasts[i].is_waiting)
            lasts[i].holder = find_holder(reader, &tellings, &lasts[i].wait);
    for (uint32_t i = 0; i < n_lanes; i++)
        follow(&found, lasts, n_lanes, i);
    tellings_fini(&tellings);
    free(lasts);
    *n = found.n;
    return found.all;
}
