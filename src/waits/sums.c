#include "waits/sums.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"
#include "waits/idle.h"

enum { MOST_SHARES = 1 << 20 }; /* those beyond are of no holder */

void rv_wait_sums_fini(struct rv_wait_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        rv_histogram_fini(&sums->sums[i].durations);
    rv_hash_index_fini(&sums->by_object);
    rv_hash_index_fini(&sums->by_waker);
    rv_hash_index_fini(&sums->by_waiter);
    free(sums->sums);
    free(sums->shares);
    free(sums->waiters);
    *sums = (struct rv_wait_sums){.n = 0};
}

static uint64_t key_of(uint32_t object, enum rv_wait_kind kind)
{
    return (uint64_t)object << 8 | (uint64_t)kind;
}

/* The number of the sum that has the waits for an object, from 1. */
static uint32_t find_sum(struct rv_wait_sums *sums, uint32_t object, enum rv_wait_kind kind)
{
    uint32_t number = rv_hash_index_get(&sums->by_object, key_of(object, kind));
    if (!number && sums->n >= RV_WAITS_MOST_OBJECTS) {
        object = RV_WAITS_OTHER;
        number = rv_hash_index_get(&sums->by_object, key_of(object, kind));
    }
    if (number)
        return number;
    sums->sums = rv_vec_reserve(sums->sums, &sums->capacity, sums->n + 1, sizeof *sums->sums);
    sums->sums[sums->n++] = (struct rv_wait_sum_of){.object = object, .kind = kind};
    rv_hash_index_add(&sums->by_object, key_of(object, kind), (uint32_t)sums->n);
    return (uint32_t)sums->n;
}

static void add_share(struct rv_wait_sums *sums, const struct rv_wait_share *share)
{
    const uint64_t lane = share->waker.lane ? 1 + (uint64_t)share->waker.lane->idx : 0;
    const uint64_t key =
        rv_hash_combine(rv_hash_combine((uint64_t)share->sum << 32 | share->waker.tid, lane), share->waker.call);
    uint32_t number = rv_hash_index_get(&sums->by_waker, key);
    if (!number && sums->n_shares >= MOST_SHARES)
        return;
    if (!number) {
        sums->shares = rv_vec_reserve(sums->shares, &sums->shares_capacity, sums->n_shares + 1, sizeof *sums->shares);
        sums->shares[sums->n_shares++] = (struct rv_wait_share){.sum = share->sum, .waker = share->waker};
        number = (uint32_t)sums->n_shares;
        rv_hash_index_add(&sums->by_waker, key, number);
    }
    struct rv_wait_share *sum = &sums->shares[number - 1];
    sum->n_ns = rv_clock_after_ns(sum->n_ns, share->n_ns);
    if (share->released_ns && share->longest_ns >= sum->longest_ns) {
        sum->longest_ns = share->longest_ns;
        sum->released_ns = share->released_ns;
    }
}

static void add_waiter(struct rv_wait_sums *sums, const struct rv_waiter_share *share)
{
    const uint64_t key = (uint64_t)share->sum << 32 | share->lane;
    uint32_t number = rv_hash_index_get(&sums->by_waiter, key);
    if (!number && sums->n_waiters >= MOST_SHARES)
        return;
    if (!number) {
        sums->waiters =
            rv_vec_reserve(sums->waiters, &sums->waiters_capacity, sums->n_waiters + 1, sizeof *sums->waiters);
        sums->waiters[sums->n_waiters++] = (struct rv_waiter_share){.sum = share->sum, .lane = share->lane};
        number = (uint32_t)sums->n_waiters;
        rv_hash_index_add(&sums->by_waiter, key, number);
    }
    sums->waiters[number - 1].n_ns = rv_clock_after_ns(sums->waiters[number - 1].n_ns, share->n_ns);
}

/* Who comes next from outside is nobody's work. */
static bool is_for_clients(const struct rv_wait *wait)
{
    return (wait->kind == RV_WAIT_POLL || wait->kind == RV_WAIT_ACCEPT) && !wait->waker;
}

void rv_wait_sums_add(struct rv_wait_sums *sums, const struct rv_wait_edge *edge)
{
    const struct rv_wait *wait = &edge->wait;
    const uint64_t n_ns = rv_wait_duration_ns(wait);
    const uint32_t number = find_sum(sums, wait->object, wait->kind);
    struct rv_wait_sum_of *sum = &sums->sums[number - 1];
    if (sum->n == 0 || n_ns > rv_wait_duration_ns(&sum->longest))
        sum->longest = *wait;
    sum->n++;
    sum->total_ns = rv_clock_after_ns(sum->total_ns, n_ns);
    sum->n_of_wake[wait->wake]++;
    rv_histogram_add(&sum->durations, n_ns);
    if (!is_for_clients(wait))
        add_waiter(sums, &(struct rv_waiter_share){number - 1, wait->lane, n_ns});
    if (wait->waker)
        add_share(sums, &(struct rv_wait_share){.sum = number - 1,
                                                .waker = {edge->waker, wait->waker, edge->waker_call},
                                                .n_ns = n_ns,
                                                .longest_ns = n_ns,
                                                .released_ns = edge->released_ns});
}

static void merge_sum(struct rv_wait_sum_of *into, const struct rv_wait_sum_of *from)
{
    if (into->n == 0 || rv_wait_duration_ns(&from->longest) > rv_wait_duration_ns(&into->longest))
        into->longest = from->longest;
    into->n += from->n;
    into->total_ns = rv_clock_after_ns(into->total_ns, from->total_ns);
    for (unsigned i = 0; i < RV_WAKE_COUNT; i++)
        into->n_of_wake[i] += from->n_of_wake[i];
    rv_histogram_merge(&into->durations, &from->durations);
}

void rv_wait_sums_merge(struct rv_wait_sums *into, const struct rv_wait_sums *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const uint32_t number = find_sum(into, from->sums[i].object, from->sums[i].kind);
        merge_sum(&into->sums[number - 1], &from->sums[i]);
    }
    for (size_t i = 0; i < from->n_shares; i++) {
        struct rv_wait_share share = from->shares[i];
        share.sum = find_sum(into, from->sums[share.sum].object, from->sums[share.sum].kind) - 1;
        add_share(into, &share);
    }
    for (size_t i = 0; i < from->n_waiters; i++) {
        struct rv_waiter_share share = from->waiters[i];
        share.sum = find_sum(into, from->sums[share.sum].object, from->sums[share.sum].kind) - 1;
        add_waiter(into, &share);
    }
}

static void set_holders(const struct rv_wait_sums *sums, struct rv_waits_row *rows)
{
    for (size_t i = 0; i < sums->n_shares; i++) {
        struct rv_waits_row *row = &rows[sums->shares[i].sum];
        if (sums->shares[i].n_ns <= row->held_ns)
            continue;
        row->held_ns = sums->shares[i].n_ns;
        row->holder = sums->shares[i].waker;
        row->released_ns = sums->shares[i].released_ns;
    }
}

static struct rv_waits_row row_of(const struct rv_wait_sum_of *sum, const struct rv_lanes *lanes)
{
    const struct rv_lane *lane = rv_lanes_get(lanes, sum->longest.lane);
    struct rv_waits_row row = {.object = sum->object,
                               .kind = sum->kind,
                               .n_waits = sum->n,
                               .total_ns = sum->total_ns,
                               .p99_ns = rv_histogram_at(&sum->durations, sum->n - sum->n / 100),
                               .longest_ns = rv_wait_duration_ns(&sum->longest),
                               .waiter = {lane, lane->tid, sum->longest.call},
                               .waited_ns = sum->longest.end_ns};
    for (unsigned i = 0; i < RV_WAKE_COUNT; i++)
        row.n_of_wake[i] = sum->n_of_wake[i];
    if (row.p99_ns > row.longest_ns)
        row.p99_ns = row.longest_ns;
    return row;
}

/* Waiting for the end of a thread or process comes from what that waited for, and does not hide it. */
static uint64_t rank_of(const struct rv_waits_row *row)
{
    return row->kind == RV_WAIT_JOIN || row->kind == RV_WAIT_PROCESS ? 0 : row->total_ns - row->idle_ns;
}

static int by_waiting(const void *a, const void *b)
{
    const struct rv_waits_row *x = a, *y = b;
    const uint64_t x_ns = rank_of(x), y_ns = rank_of(y);
    if (x_ns != y_ns)
        return x_ns > y_ns ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

struct rv_waits_row *rv_wait_sums_take_rows(const struct rv_wait_sums *sums, const struct rv_lanes *lanes, size_t *n)
{
    struct rv_waits_row *rows = rv_alloc(sums->n + 1, sizeof *rows);
    *n = sums->n;
    for (size_t i = 0; i < sums->n; i++)
        rows[i] = row_of(&sums->sums[i], lanes);
    set_holders(sums, rows);
    rv_wait_idle_set(sums, lanes, rows);
    qsort(rows, *n, sizeof *rows, by_waiting);
    return rows;
}
