/* Sums are kept by object as waits come; who ended them is looked up among the releases when rows are asked for. */
#include "waits/waits.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/clock.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "model/histogram.h"

/* By how much the moment of a wake may come before its release, when both are converted from ticks. */
static const uint64_t ROUNDING_NS = 2;

static const char *const KINDS[RV_WAIT_KIND_COUNT] = {
    [RV_WAIT_MUTEX] = "mutex",         [RV_WAIT_READ_LOCK] = "read lock", [RV_WAIT_WRITE_LOCK] = "write lock",
    [RV_WAIT_CONDITION] = "condition", [RV_WAIT_SEMAPHORE] = "semaphore", [RV_WAIT_JOIN] = "end of a thread",
    [RV_WAIT_BARRIER] = "barrier",     [RV_WAIT_ONCE] = "once",           [RV_WAIT_FUTEX] = "futex",
    [RV_WAIT_SLEEP] = "sleep",         [RV_WAIT_READ] = "read",           [RV_WAIT_WRITE] = "write",
    [RV_WAIT_POLL] = "poll",           [RV_WAIT_ACCEPT] = "accept",       [RV_WAIT_CONNECT] = "connect",
    [RV_WAIT_SYNC] = "sync",           [RV_WAIT_FILE_LOCK] = "file lock", [RV_WAIT_PROCESS] = "process",
    [RV_WAIT_SIGNAL] = "signal",       [RV_WAIT_MESSAGE] = "message",     [RV_WAIT_START] = "start"};

const char *rv_wait_kind_name(enum rv_wait_kind kind)
{
    return KINDS[kind];
}

struct sum { /* the waits of one kind for one object */
    uint32_t object;
    enum rv_wait_kind kind;
    uint64_t n, total_ns;
    uint64_t n_of_wake[RV_WAKE_COUNT];
    struct rv_wait longest;
    struct rv_histogram durations;
};

struct rv_waits {
    atomic_size_t n;      /* n_waits; for rv_waits_n(), which must not wait for the lock. No ordering needed */
    pthread_mutex_t lock; /* covers the rest */
    struct rv_wait *waits;
    struct rv_release *releases;
    size_t n_waits, waits_capacity, n_releases, releases_capacity;
    size_t n_sorted; /* releases by object, thread and time; the others as they came */
    uint64_t n_more;
    struct sum *sums;
    size_t n_sums, sums_capacity;
    struct rv_hash_index by_object; /* key_of() to index + 1 */
};

struct rv_waits *rv_waits_create(void)
{
    struct rv_waits *waits = rv_alloc(1, sizeof *waits);
    pthread_mutex_init(&waits->lock, NULL);
    return waits;
}

void rv_waits_destroy(struct rv_waits *waits)
{
    if (!waits)
        return;
    for (size_t i = 0; i < waits->n_sums; i++)
        rv_histogram_fini(&waits->sums[i].durations);
    rv_hash_index_fini(&waits->by_object);
    pthread_mutex_destroy(&waits->lock);
    free(waits->sums);
    free(waits->waits);
    free(waits->releases);
    free(waits);
}

static uint64_t key_of(uint32_t object, enum rv_wait_kind kind)
{
    return (uint64_t)object << 8 | (uint64_t)kind;
}

/* The number of the sum that has the wait, from 1; 0: none yet. */
static uint32_t find_sum(const struct rv_waits *waits, const struct rv_wait *wait)
{
    uint32_t number = rv_hash_index_get(&waits->by_object, key_of(wait->object, wait->kind));
    if (!number && waits->n_sums >= RV_WAITS_MOST_OBJECTS)
        number = rv_hash_index_get(&waits->by_object, key_of(RV_WAITS_OTHER, wait->kind));
    return number;
}

static struct sum *sum_of(struct rv_waits *waits, const struct rv_wait *wait)
{
    const uint32_t number = find_sum(waits, wait);
    if (number)
        return &waits->sums[number - 1];
    const uint32_t object = waits->n_sums < RV_WAITS_MOST_OBJECTS ? wait->object : RV_WAITS_OTHER;
    waits->sums = rv_vec_reserve(waits->sums, &waits->sums_capacity, waits->n_sums + 1, sizeof *waits->sums);
    struct sum *sum = &waits->sums[waits->n_sums++];
    *sum = (struct sum){.object = object, .kind = wait->kind};
    rv_hash_index_add(&waits->by_object, key_of(object, wait->kind), (uint32_t)waits->n_sums);
    return sum;
}

static uint64_t duration_of(const struct rv_wait *wait)
{
    return wait->end_ns > wait->start_ns ? wait->end_ns - wait->start_ns : 0;
}

void rv_waits_add(struct rv_waits *waits, const struct rv_wait *wait)
{
    const uint64_t n_ns = duration_of(wait);
    pthread_mutex_lock(&waits->lock);
    struct sum *sum = sum_of(waits, wait);
    if (sum->n == 0 || n_ns > duration_of(&sum->longest))
        sum->longest = *wait;
    sum->n++;
    sum->total_ns = rv_clock_after_ns(sum->total_ns, n_ns);
    sum->n_of_wake[wait->wake]++;
    rv_histogram_add(&sum->durations, n_ns);
    if (waits->n_waits < RV_WAITS_MOST) {
        waits->waits = rv_vec_reserve(waits->waits, &waits->waits_capacity, waits->n_waits + 1, sizeof *waits->waits);
        waits->waits[waits->n_waits++] = *wait;
        atomic_store_explicit(&waits->n, waits->n_waits, memory_order_relaxed);
    } else {
        waits->n_more++;
    }
    pthread_mutex_unlock(&waits->lock);
}

void rv_waits_add_release(struct rv_waits *waits, const struct rv_release *release)
{
    pthread_mutex_lock(&waits->lock);
    if (waits->n_releases < RV_WAITS_MOST) {
        waits->releases =
            rv_vec_reserve(waits->releases, &waits->releases_capacity, waits->n_releases + 1, sizeof *waits->releases);
        waits->releases[waits->n_releases++] = *release;
    } else {
        waits->n_more++;
    }
    pthread_mutex_unlock(&waits->lock);
}

/* ---- who ended a wait ---- */

static int by_object_thread_and_time(const void *a, const void *b)
{
    const struct rv_release *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

struct thread {
    uint64_t key; /* pid << 32 | tid, which another thread may have had before */
    uint64_t last_ns;
    const struct rv_lane *lane;
};

struct wakers {
    const struct rv_lanes *lanes;
    const struct rv_release *releases; /* by object, thread and time */
    size_t n_releases;
    struct thread *threads; /* by key and time */
    size_t n_threads;
};

static uint64_t thread_key(uint32_t pid, uint32_t tid)
{
    return (uint64_t)pid << 32 | tid;
}

static int by_key_and_time(const void *a, const void *b)
{
    const struct thread *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->last_ns < y->last_ns ? -1 : x->last_ns > y->last_ns;
}

static void list_threads(struct wakers *wakers)
{
    wakers->n_threads = rv_lanes_n(wakers->lanes);
    wakers->threads = rv_alloc_scratch(wakers->n_threads + 1, sizeof *wakers->threads);
    for (size_t i = 0; i < wakers->n_threads; i++) {
        struct rv_lane *lane = rv_lanes_get(wakers->lanes, i);
        pthread_mutex_lock(&lane->lock);
        wakers->threads[i] = (struct thread){thread_key(lane->pid, lane->tid), lane->last_ns, lane};
        pthread_mutex_unlock(&lane->lock);
    }
    qsort(wakers->threads, wakers->n_threads, sizeof *wakers->threads, by_key_and_time);
}

/* That thread of a tid which lived at a time: the first whose last event is not before it, else the last. NULL: none. */
static const struct rv_lane *find_lane(const struct wakers *wakers, uint64_t key, uint64_t at_ns)
{
    const struct rv_lane *found = NULL;
    size_t i =
        rv_bisect_below(wakers->threads, wakers->n_threads, sizeof *wakers->threads, offsetof(struct thread, key), key);
    for (; i < wakers->n_threads && wakers->threads[i].key == key; i++) {
        found = wakers->threads[i].lane;
        if (wakers->threads[i].last_ns >= at_ns)
            break;
    }
    return found;
}

/* Those that came since, and then all by merging. */
static void sort_releases(struct rv_waits *waits)
{
    struct rv_release *to = waits->releases;
    size_t n = waits->n_releases, n_old = waits->n_sorted, n_new = n - n_old;
    waits->n_sorted = n;
    if (n_new == 0)
        return;
    struct rv_release *came = rv_alloc_scratch(n_new, sizeof *came);
    memcpy(came, to + n_old, n_new * sizeof *came);
    qsort(came, n_new, sizeof *came, by_object_thread_and_time);
    while (n_new)
        if (n_old && by_object_thread_and_time(&to[n_old - 1], &came[n_new - 1]) > 0)
            to[--n] = to[--n_old];
        else
            to[--n] = came[--n_new];
    free(came);
}

/* The lock is held. */
static void wakers_init(struct wakers *wakers, struct rv_waits *waits, const struct rv_lanes *lanes)
{
    sort_releases(waits);
    *wakers = (struct wakers){.lanes = lanes, .releases = waits->releases, .n_releases = waits->n_releases};
    list_threads(wakers);
}

/* The number of releases up to this one, in their order. */
static size_t count_until(const struct wakers *wakers, const struct rv_release *last)
{
    size_t low = 0, high = wakers->n_releases;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_object_thread_and_time(&wakers->releases[middle], last) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of what has created a thread, no object tells. */
static bool may_have_release(const struct rv_wait *wait)
{
    return wait->woke_ns && (wait->object || wait->kind == RV_WAIT_START);
}

/* The waker's last release of the object before the wake, during the wait; NULL: unknown. Between a waiter's last look
 * at the clock and its event it may have been preempted: the moment of the wake is then too late. */
static const struct rv_release *find_release(const struct wakers *wakers, const struct rv_wait *wait)
{
    if (!may_have_release(wait))
        return NULL;
    const struct rv_release last = {.object = wait->object, .tid = wait->waker, .at_ns = wait->woke_ns + ROUNDING_NS};
    const size_t n = count_until(wakers, &last);
    const struct rv_release *release = n ? &wakers->releases[n - 1] : NULL;
    if (!release || release->object != wait->object || release->tid != wait->waker)
        return NULL;
    return release->at_ns + ROUNDING_NS < wait->start_ns ? NULL : release;
}

/* lane: of the wait. A child that was waited for, and a thread that has forked, are of other processes. */
static const struct rv_lane *find_waker(const struct wakers *wakers, const struct rv_lane *lane,
                                        const struct rv_wait *wait)
{
    const uint32_t pid = wait->kind == RV_WAIT_PROCESS ? wait->waker : lane->pid;
    const struct rv_lane *found = find_lane(wakers, thread_key(pid, wait->waker), wait->start_ns);
    if (!found && wait->kind == RV_WAIT_START)
        found = find_lane(wakers, thread_key(lane->parent_pid, wait->waker), wait->start_ns);
    return found;
}

static struct rv_wait_edge edge_of(const struct wakers *wakers, const struct rv_wait *wait)
{
    const struct rv_release *release = wait->waker ? find_release(wakers, wait) : NULL;
    struct rv_wait_edge edge = {.wait = *wait};
    if (release) {
        edge.waker = rv_lanes_get(wakers->lanes, release->lane);
        edge.waker_call = release->call;
        edge.released_ns = release->at_ns;
    } else if (wait->waker) {
        const struct rv_lane *lane = rv_lanes_get(wakers->lanes, wait->lane);
        edge.waker = find_waker(wakers, lane, wait);
    }
    return edge;
}

static struct rv_wait_side waker_of(const struct wakers *wakers, const struct rv_wait *wait)
{
    const struct rv_wait_edge edge = edge_of(wakers, wait);
    return (struct rv_wait_side){edge.waker, wait->waker, edge.waker_call};
}

/* ---- rows ---- */

struct share { /* of a row's waiting, ended by one thread in one call */
    size_t row;
    struct rv_wait_side waker;
    uint64_t n_ns;
};

static int by_row_and_waker(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->waker.tid != y->waker.tid)
        return x->waker.tid < y->waker.tid ? -1 : 1;
    if (x->waker.lane != y->waker.lane)
        return x->waker.lane < y->waker.lane ? -1 : 1;
    return x->waker.call < y->waker.call ? -1 : x->waker.call > y->waker.call;
}

/* shares: n of them, in any order; they are sorted. */
static void set_holders(struct rv_waits_row *rows, struct share *shares, size_t n)
{
    uint64_t n_ns = 0;
    qsort(shares, n, sizeof *shares, by_row_and_waker);
    for (size_t i = 0; i < n; i++) {
        n_ns = i && by_row_and_waker(&shares[i - 1], &shares[i]) == 0 ? n_ns + shares[i].n_ns : shares[i].n_ns;
        struct rv_waits_row *row = &rows[shares[i].row];
        if (n_ns <= row->held_ns)
            continue;
        row->held_ns = n_ns;
        row->holder = shares[i].waker;
    }
}

static void find_holders(const struct rv_waits *waits, const struct wakers *wakers, struct rv_waits_row *rows)
{
    struct share *shares = rv_alloc_scratch(waits->n_waits + 1, sizeof *shares);
    size_t n = 0;
    for (size_t i = 0; i < waits->n_waits; i++) {
        const struct rv_wait *wait = &waits->waits[i];
        if (wait->waker)
            shares[n++] = (struct share){
                .row = find_sum(waits, wait) - 1, .waker = waker_of(wakers, wait), .n_ns = duration_of(wait)};
    }
    set_holders(rows, shares, n);
    free(shares);
}

static struct rv_waits_row row_of(const struct sum *sum, const struct rv_lanes *lanes)
{
    const struct rv_lane *lane = rv_lanes_get(lanes, sum->longest.lane);
    struct rv_waits_row row = {.object = sum->object,
                               .kind = sum->kind,
                               .n_waits = sum->n,
                               .total_ns = sum->total_ns,
                               .p99_ns = rv_histogram_at(&sum->durations, sum->n - sum->n / 100),
                               .longest_ns = duration_of(&sum->longest),
                               .waiter = {lane, lane->tid, sum->longest.call}};
    for (unsigned i = 0; i < RV_WAKE_COUNT; i++)
        row.n_of_wake[i] = sum->n_of_wake[i];
    if (row.p99_ns > row.longest_ns)
        row.p99_ns = row.longest_ns;
    return row;
}

static int by_total(const void *a, const void *b)
{
    const struct rv_waits_row *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

struct rv_waits_row *rv_waits_take_rows(struct rv_waits *waits, const struct rv_lanes *lanes, size_t *n,
                                        uint64_t *n_more)
{
    pthread_mutex_lock(&waits->lock);
    struct rv_waits_row *rows = rv_alloc(waits->n_sums + 1, sizeof *rows);
    for (size_t i = 0; i < waits->n_sums; i++)
        rows[i] = row_of(&waits->sums[i], lanes);
    struct wakers wakers;
    wakers_init(&wakers, waits, lanes);
    find_holders(waits, &wakers, rows);
    *n = waits->n_sums;
    *n_more = waits->n_more;
    pthread_mutex_unlock(&waits->lock);
    free(wakers.threads);
    qsort(rows, *n, sizeof *rows, by_total);
    return rows;
}

static void *copy_of(const void *items, size_t n_bytes)
{
    void *copy = rv_alloc_scratch(n_bytes + 1, 1);
    if (n_bytes)
        memcpy(copy, items, n_bytes);
    return copy;
}

/* Wakers are looked up in copies: for as long as that takes, no event may have to wait. */
struct rv_wait_edge *rv_waits_take_edges(struct rv_waits *waits, const struct rv_lanes *lanes, size_t *n,
                                         uint64_t *n_more)
{
    pthread_mutex_lock(&waits->lock);
    sort_releases(waits);
    *n = waits->n_waits;
    *n_more = waits->n_more;
    struct rv_wait *waited = copy_of(waits->waits, *n * sizeof *waited);
    struct rv_release *releases = copy_of(waits->releases, waits->n_releases * sizeof *releases);
    struct wakers wakers = {.lanes = lanes, .releases = releases, .n_releases = waits->n_releases};
    pthread_mutex_unlock(&waits->lock);
    list_threads(&wakers);
    struct rv_wait_edge *edges = rv_alloc(*n + 1, sizeof *edges);
    for (size_t i = 0; i < *n; i++)
        edges[i] = edge_of(&wakers, &waited[i]);
    free(wakers.threads);
    free(releases);
    free(waited);
    return edges;
}

bool rv_waits_find_edge(struct rv_waits *waits, const struct rv_lanes *lanes, size_t number, struct rv_wait_edge *edge)
{
    struct wakers wakers;
    pthread_mutex_lock(&waits->lock);
    const bool is_there = number < waits->n_waits;
    if (is_there) {
        wakers_init(&wakers, waits, lanes);
        *edge = edge_of(&wakers, &waits->waits[number]);
        free(wakers.threads);
    }
    pthread_mutex_unlock(&waits->lock);
    return is_there;
}

struct rv_wait *rv_waits_take(struct rv_waits *waits, size_t first, size_t *n)
{
    pthread_mutex_lock(&waits->lock);
    *n = waits->n_waits > first ? waits->n_waits - first : 0;
    struct rv_wait *taken = *n ? rv_alloc_scratch(*n, sizeof *taken) : NULL;
    if (taken)
        memcpy(taken, waits->waits + first, *n * sizeof *taken);
    pthread_mutex_unlock(&waits->lock);
    return taken;
}

size_t rv_waits_n(struct rv_waits *waits)
{
    return atomic_load_explicit(&waits->n, memory_order_relaxed);
}
