#include "waits/wakers.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

static int by_tid(const void *a, const void *b)
{
    const struct rv_waker *x = a, *y = b;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->last_ns != y->last_ns)
        return x->last_ns < y->last_ns ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

void rv_wakers_init(struct rv_wakers *wakers, const struct rv_lanes *lanes)
{
    wakers->lanes = lanes;
    wakers->n = rv_lanes_n(lanes);
    wakers->by_tid = rv_alloc_scratch(wakers->n + 1, sizeof *wakers->by_tid);
    for (size_t i = 0; i < wakers->n; i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        pthread_rwlock_wrlock(&lane->lock);
        wakers->by_tid[i] = (struct rv_waker){lane->tid, lane->pid, lane->last_ns, (uint32_t)i};
        pthread_rwlock_unlock(&lane->lock);
    }
    qsort(wakers->by_tid, wakers->n, sizeof *wakers->by_tid, by_tid);
}

void rv_wakers_fini(struct rv_wakers *wakers)
{
    free(wakers->by_tid);
}

/* Number of lanes of threads with smaller tids. */
static size_t count_before(const struct rv_wakers *wakers, uint32_t tid)
{
    size_t low = 0, high = wakers->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (wakers->by_tid[middle].tid < tid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* That thread of a tid which lived at a time: the first whose last event is not before it, else the last. NULL: none. */
static const struct rv_lane *find_lane(const struct rv_wakers *wakers, uint32_t pid, uint32_t tid, uint64_t at_ns)
{
    const struct rv_lane *found = NULL;
    for (size_t i = count_before(wakers, tid); i < wakers->n && wakers->by_tid[i].tid == tid; i++) {
        if (wakers->by_tid[i].pid != pid)
            continue;
        found = rv_lanes_get(wakers->lanes, wakers->by_tid[i].lane);
        if (wakers->by_tid[i].last_ns >= at_ns)
            break;
    }
    return found;
}

/* The last thread of a tid, in any process, that had begun by a time and had events from another on. NULL: none. */
static const struct rv_lane *find_any(const struct rv_wakers *wakers, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
    for (size_t i = count_before(wakers, tid + 1); i-- > 0 && wakers->by_tid[i].tid == tid;) {
        struct rv_lane *lane = rv_lanes_get(wakers->lanes, wakers->by_tid[i].lane);
        uint64_t first_ns, last_ns;
        if (wakers->by_tid[i].last_ns >= from_ns && (!rv_lane_bounds(lane, &first_ns, &last_ns) || first_ns <= to_ns))
            return lane;
    }
    return NULL;
}

/* May a release be found for the wait? That by a thread's creator names no object. */
static bool may_have_release(const struct rv_wait *wait)
{
    return wait->woke_ns && (wait->object || wait->kind == RV_WAIT_START);
}

/* The waker's last release of the object before the wake, during the wait. */
static bool find_release(const struct rv_wakers *wakers, const struct rv_wait *wait, rv_wakers_release_fn find,
                         void *context, struct rv_release *release)
{
    /* Between a waiter's last look at the clock and its event it may have been preempted: the moment of the wake is then
     * too late. */
    const struct rv_release_sought sought = {.from_ns = wait->start_ns, .to_ns = wait->woke_ns, .object = wait->object};
    struct rv_release other;
    bool is_found = false;
    if (!may_have_release(wait))
        return false;
    for (size_t i = count_before(wakers, wait->waker); i < wakers->n && wakers->by_tid[i].tid == wait->waker; i++)
        if (find(context, wakers->by_tid[i].lane, &sought, &other) && (!is_found || other.at_ns > release->at_ns)) {
            *release = other;
            is_found = true;
        }
    return is_found;
}

/* lane: of the wait. A child that was waited for, one that had a file's lock, and a thread that has forked, are of other
 * processes; any other waker may be. */
static const struct rv_lane *find_waker(const struct rv_wakers *wakers, const struct rv_lane *lane,
                                        const struct rv_wait *wait)
{
    const bool is_process = wait->kind == RV_WAIT_PROCESS || wait->kind == RV_WAIT_FILE_LOCK;
    const uint32_t pid = is_process ? wait->waker : lane->pid;
    const struct rv_lane *found = find_lane(wakers, pid, wait->waker, wait->start_ns);
    if (!found && wait->kind == RV_WAIT_START)
        found = find_lane(wakers, lane->parent_pid, wait->waker, wait->start_ns);
    const bool is_open = wait->wake == RV_WAKE_UNKNOWN; /* who has the lock may have no later events */
    return found ? found : find_any(wakers, wait->waker, is_open ? 0 : wait->start_ns, wait->end_ns);
}

struct rv_wait_edge rv_wakers_edge(const struct rv_wakers *wakers, const struct rv_wait *wait,
                                   rv_wakers_release_fn find, void *context)
{
    struct rv_wait_edge edge = {.wait = *wait};
    struct rv_release release;
    if (!rv_wait_has_traced_waker(wait))
        return edge;
    if (find_release(wakers, wait, find, context, &release)) {
        edge.waker = rv_lanes_get(wakers->lanes, release.lane);
        edge.waker_call = release.call;
        edge.released_ns = release.at_ns;
    } else {
        edge.waker = find_waker(wakers, rv_lanes_get(wakers->lanes, wait->lane), wait);
    }
    return edge;
}

const struct rv_release *rv_wakers_release_in(const struct rv_release *releases, size_t n,
                                              const struct rv_release_sought *sought)
{
    n = rv_bisect_count(releases, n, sizeof *releases, offsetof(struct rv_release, at_ns),
                        rv_release_sought_end(sought));
    for (; n && releases[n - 1].at_ns + RV_WAKERS_ROUNDING_NS >= sought->from_ns; n--)
        if (releases[n - 1].object == sought->object && !releases[n - 1].is_taken)
            return &releases[n - 1];
    return NULL;
}

/* ---- what the waker waited for itself ---- */

enum { MOST_PASSING = 1024 }; /* waits of a waker that are read for one wait; they stand for earlier ones */

/* Does a thread wait for another, which shows in another row than a wait that the thread ended? */
static bool is_for_another(const struct rv_wait *of, const struct rv_wait *ended)
{
    const bool is_same = of->kind == ended->kind && of->object == ended->object;
    return !is_same && (of->kind < RV_WAIT_SLEEP || rv_wait_has_traced_waker(of));
}

uint64_t rv_wakers_passed_ns(const struct rv_wait_edge *edge, rv_wakers_last_fn find_last, void *context)
{
    const struct rv_wait *wait = &edge->wait;
    const uint64_t end_ns = wait->woke_ns ? wait->woke_ns : wait->end_ns;
    uint64_t until_ns = end_ns, sum_ns = 0; /* later ones are read */
    uint64_t place = UINT64_MAX;
    struct rv_wait of;
    unsigned n = 0;
    if (!edge->waker || edge->waker->idx == wait->lane || rv_wait_kind_is_lock(wait->kind))
        return 0;
    for (; n < MOST_PASSING && until_ns > wait->start_ns; n++) {
        if (!find_last(context, edge->waker->idx, until_ns, place, &of, &place) || of.end_ns <= wait->start_ns)
            break;
        until_ns = of.start_ns > wait->start_ns ? of.start_ns : wait->start_ns;
        sum_ns += is_for_another(&of, wait) ? of.end_ns - until_ns : 0;
    }
    const bool is_all = n < MOST_PASSING || until_ns == end_ns;
    return is_all ? sum_ns
                  : (uint64_t)((double)sum_ns / (double)(end_ns - until_ns) * (double)(end_ns - wait->start_ns));
}
