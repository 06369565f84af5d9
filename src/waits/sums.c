#include "waits/sums.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"
#include "waits/idle.h"

enum { MOST_SHARES = 1 << 20 }; /* with who waited; as many more without; those beyond are of no holder */

void rv_wait_sums_fini(struct rv_wait_sums *sums)
{
    for (size_t i = 0; i < sums->n; i++)
        rv_histogram_fini(&sums->sums[i].durations);
    rv_hash_index_fini(&sums->by_object);
    rv_hash_index_fini(&sums->by_sides);
    free(sums->sums);
    free(sums->shares);
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

static uint64_t key_of_share(const struct rv_wait_share *share)
{
    const uint64_t lane = share->waker.lane ? 1 + (uint64_t)share->waker.lane->idx : 0;
    uint64_t key = rv_hash_combine((uint64_t)share->sum << 32 | share->waker.tid, lane);
    key = rv_hash_combine(key, share->waker.call);
    return rv_hash_combine(key, (uint64_t)share->lane << 32 | share->call);
}

/* NULL: there are too many. */
static struct rv_wait_share *find_share(struct rv_wait_sums *sums, struct rv_wait_share key)
{
    uint32_t number = rv_hash_index_get(&sums->by_sides, key_of_share(&key));
    if (!number && sums->n_shares >= MOST_SHARES) {
        key.lane = RV_WAITS_OTHER;
        key.call = 0;
        number = rv_hash_index_get(&sums->by_sides, key_of_share(&key));
    }
    if (!number && sums->n_shares >= 2 * MOST_SHARES)
        return NULL;
    if (number)
        return &sums->shares[number - 1];
    sums->shares = rv_vec_reserve(sums->shares, &sums->shares_capacity, sums->n_shares + 1, sizeof *sums->shares);
    sums->shares[sums->n_shares++] =
        (struct rv_wait_share){.sum = key.sum, .lane = key.lane, .call = key.call, .waker = key.waker};
    rv_hash_index_add(&sums->by_sides, key_of_share(&key), (uint32_t)sums->n_shares);
    return &sums->shares[sums->n_shares - 1];
}

static void join_shares(struct rv_wait_share *into, const struct rv_wait_share *from)
{
    into->n += from->n;
    into->n_ns = rv_clock_after_ns(into->n_ns, from->n_ns);
    into->clients_ns = rv_clock_after_ns(into->clients_ns, from->clients_ns);
    if (from->longest_ns >= into->longest_ns) {
        into->longest_ns = from->longest_ns;
        into->end_ns = from->end_ns;
    }
    if (from->released_ns && from->known_ns >= into->known_ns) {
        into->known_ns = from->known_ns;
        into->released_ns = from->released_ns;
    }
}

static void add_share(struct rv_wait_sums *sums, const struct rv_wait_share *share)
{
    struct rv_wait_share *into = find_share(sums, *share);
    if (into)
        join_shares(into, share);
}

/* Who comes next from outside is nobody's work. */
static bool is_for_clients(const struct rv_wait *wait)
{
    return (wait->kind == RV_WAIT_POLL || wait->kind == RV_WAIT_ACCEPT) && !rv_wait_has_traced_waker(wait);
}

void rv_wait_sums_add(struct rv_wait_sums *sums, const struct rv_wait_edge *edge, uint64_t passed_ns)
{
    const struct rv_wait *wait = &edge->wait;
    const uint64_t n_ns = rv_wait_duration_ns(wait);
    const uint32_t number = find_sum(sums, wait->object, wait->kind);
    struct rv_wait_sum_of *sum = &sums->sums[number - 1];
    if (sum->n == 0 || n_ns > rv_wait_duration_ns(&sum->longest))
        sum->longest = *wait;
    sum->n++;
    sum->total_ns = rv_clock_after_ns(sum->total_ns, n_ns);
    sum->passed_ns = rv_clock_after_ns(sum->passed_ns, passed_ns);
    sum->n_of_wake[wait->wake]++;
    rv_histogram_add(&sum->durations, n_ns);
    add_share(sums, &(struct rv_wait_share){.sum = number - 1,
                                            .lane = wait->lane,
                                            .call = wait->call,
                                            .waker = {edge->waker, wait->waker, edge->waker_call},
                                            .n = 1,
                                            .n_ns = n_ns,
                                            .clients_ns = is_for_clients(wait) ? n_ns : 0,
                                            .longest_ns = n_ns,
                                            .end_ns = wait->end_ns,
                                            .known_ns = n_ns,
                                            .released_ns = edge->released_ns});
}

static void merge_sum(struct rv_wait_sum_of *into, const struct rv_wait_sum_of *from)
{
    if (into->n == 0 || rv_wait_duration_ns(&from->longest) > rv_wait_duration_ns(&into->longest))
        into->longest = from->longest;
    into->n += from->n;
    into->total_ns = rv_clock_after_ns(into->total_ns, from->total_ns);
    into->passed_ns = rv_clock_after_ns(into->passed_ns, from->passed_ns);
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
}

/* When its thread had what was waited for: an owner that is known by its name alone had it as the wait began. */
static uint64_t held_at(const struct rv_wait_share *share)
{
    return share->released_ns ? share->released_ns : share->end_ns - share->longest_ns;
}

/* Who ended most of the waiting, of all threads that waited. */
static void set_holders(const struct rv_wait_sums *sums, struct rv_waits_row *rows)
{
    struct rv_wait_sums by_waker = {.n = 0};
    for (size_t i = 0; i < sums->n_shares; i++) {
        struct rv_wait_share share = sums->shares[i];
        if (!share.waker.tid)
            continue;
        share.lane = share.call = 0;
        add_share(&by_waker, &share);
    }
    for (size_t i = 0; i < by_waker.n_shares; i++) {
        struct rv_waits_row *row = &rows[by_waker.shares[i].sum];
        if (by_waker.shares[i].n_ns <= row->held_ns)
            continue;
        row->held_ns = by_waker.shares[i].n_ns;
        row->holder = by_waker.shares[i].waker;
        row->released_ns = held_at(&by_waker.shares[i]);
    }
    rv_wait_sums_fini(&by_waker);
}

static struct rv_waits_row row_of(const struct rv_wait_sum_of *sum, const struct rv_lanes *lanes)
{
    const struct rv_lane *lane = rv_lanes_get(lanes, sum->longest.lane);
    struct rv_waits_row row = {.object = sum->object,
                               .kind = sum->kind,
                               .n_waits = sum->n,
                               .total_ns = sum->total_ns,
                               .passed_ns = sum->passed_ns,
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

/* Waiting that comes from what another thread waited for does not hide it: all of it for the end of a thread or process. */
static double rank_of(const struct rv_waits_row *row)
{
    if (row->kind == RV_WAIT_JOIN || row->kind == RV_WAIT_PROCESS || !row->total_ns)
        return 0.0;
    const double passed = (double)row->passed_ns / (double)row->total_ns;
    return (double)(row->total_ns - row->idle_ns) * (1.0 - passed);
}

static int by_waiting(const void *a, const void *b)
{
    const struct rv_waits_row *x = a, *y = b;
    const double x_ns = rank_of(x), y_ns = rank_of(y);
    if (x_ns > y_ns || x_ns < y_ns)
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

static struct rv_waits_row arc_of(const struct rv_wait_sums *sums, const struct rv_wait_share *share,
                                  const struct rv_lanes *lanes)
{
    const struct rv_wait_sum_of *sum = &sums->sums[share->sum];
    const struct rv_lane *lane = share->lane == RV_WAITS_OTHER ? NULL : rv_lanes_get(lanes, share->lane);
    return (struct rv_waits_row){.object = sum->object,
                                 .kind = sum->kind,
                                 .n_waits = share->n,
                                 .total_ns = share->n_ns,
                                 .longest_ns = share->longest_ns,
                                 .waiter = {lane, lane ? lane->tid : 0, share->call},
                                 .waited_ns = share->end_ns,
                                 .holder = share->waker,
                                 .held_ns = share->n_ns,
                                 .released_ns = held_at(share)};
}

static int by_total(const void *a, const void *b)
{
    const struct rv_waits_row *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->waited_ns != y->waited_ns)
        return x->waited_ns < y->waited_ns ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

struct rv_waits_row *rv_wait_sums_take_arcs(const struct rv_wait_sums *sums, const struct rv_lanes *lanes, size_t *n)
{
    struct rv_waits_row *arcs = rv_alloc(sums->n_shares + 1, sizeof *arcs);
    *n = 0;
    for (size_t i = 0; i < sums->n_shares; i++)
        if (sums->shares[i].waker.tid)
            arcs[(*n)++] = arc_of(sums, &sums->shares[i], lanes);
    qsort(arcs, *n, sizeof *arcs, by_total);
    return arcs;
}
