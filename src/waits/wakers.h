/* Who ended a wait. Inside of this room, and for readers of waits. */
#ifndef RV_WAITS_WAKERS_H
#define RV_WAITS_WAKERS_H

#include "model/lanes.h"
#include "waits/wait.h"

/* By how much the moment of a wake may come before its release, when both are converted from ticks. */
#define RV_WAKERS_ROUNDING_NS 2u

struct rv_wait_edge { /* from a wait to what ended it */
    struct rv_wait wait;
    const struct rv_lane *waker; /* NULL: unknown, or not traced */
    uint32_t waker_call;         /* id of the innermost call that released the object; 0: unknown */
    uint64_t released_ns;        /* when it did; 0: unknown */
};

struct rv_wakers { /* the threads that were known at init */
    const struct rv_lanes *lanes;
    struct rv_waker {
        uint32_t tid, pid;
        uint64_t last_ns;
        uint32_t lane;
    } * by_tid; /* then by process and time */
    size_t n;
};

void rv_wakers_init(struct rv_wakers *wakers, const struct rv_lanes *lanes);
void rv_wakers_fini(struct rv_wakers *wakers);

struct rv_release_sought { /* the last release of an object in a time is sought */
    uint64_t from_ns, to_ns;
    uint32_t object;
};

static inline uint64_t rv_release_sought_end(const struct rv_release_sought *sought)
{
    return sought->to_ns < UINT64_MAX - RV_WAKERS_ROUNDING_NS ? sought->to_ns + RV_WAKERS_ROUNDING_NS : UINT64_MAX;
}

/* Find such a release of a lane. False: there is none. */
typedef bool (*rv_wakers_release_fn)(void *context, uint32_t lane, const struct rv_release_sought *sought,
                                     struct rv_release *release);

/* Who ended a wait: its thread, and the call and time of the release where find_release finds one. */
struct rv_wait_edge rv_wakers_edge(const struct rv_wakers *wakers, const struct rv_wait *wait,
                                   rv_wakers_release_fn find_release, void *context);

/*
 * Find the last wait of a lane that ended at at_ns or before and has a place below `before`: a number that rises from
 * wait to wait. False: there is none.
 */
typedef bool (*rv_wakers_last_fn)(void *context, uint32_t lane, uint64_t at_ns, uint64_t before, struct rv_wait *wait,
                                  uint64_t *place);

/*
 * The part of a wait in which the thread that ended it waited for another thread itself. 0 for a wait for a lock: a
 * holder that waits is why others do not get the lock. Estimated from the last 1,024 waits of that thread if there are
 * more.
 */
uint64_t rv_wakers_passed_ns(const struct rv_wait_edge *edge, rv_wakers_last_fn find_last, void *context);

/* rv_wakers_release_fn over a lane's releases, in order of time. */
const struct rv_release *rv_wakers_release_in(const struct rv_release *releases, size_t n,
                                              const struct rv_release_sought *sought);

#endif
