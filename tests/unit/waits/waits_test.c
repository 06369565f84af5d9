#include "waits/reader.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { LOCK = 7, OTHER_LOCK = 8, WAITS_IN = 20, HOLDS_IN = 21 };

static struct rv_lanes *lanes;
static struct rv_waits *waits;

static void setup(void)
{
    lanes = rv_lanes_create();
    waits = rv_waits_create(lanes, 0);
    for (uint32_t i = 0; i < 3; i++)
        rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 100, .tid = 100 + i, .name = "", .process_name = ""});
}

static void teardown(void)
{
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}

TestSuite(waits_waits, .init = setup, .fini = teardown, .timeout = 60);

static void add(uint32_t object, uint64_t start_ns, uint64_t end_ns, uint64_t woke_ns, uint32_t waker)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = start_ns,
                                          .end_ns = end_ns,
                                          .woke_ns = woke_ns,
                                          .object = object,
                                          .call = WAITS_IN,
                                          .waker = waker,
                                          .wake = waker ? RV_WAKE_EXACT : RV_WAKE_UNKNOWN});
}

static struct rv_waits_row *take_rows(size_t *n)
{
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    struct rv_waits_row *rows = rv_wait_reader_take_rows(reader, n);
    cr_assert_not(rv_wait_reader_has_missed(reader));
    rv_wait_reader_close(reader);
    return rows;
}

Test(waits_waits, rows_are_sums_by_object_most_waiting_first)
{
    size_t n;
    add(LOCK, 10, 20, 0, 0);
    add(OTHER_LOCK, 10, 110, 0, 0);
    add(LOCK, 30, 35, 0, 0);
    struct rv_waits_row *rows = take_rows(&n);
    cr_assert_eq(n, 2);
    cr_assert_eq(rows[0].object, OTHER_LOCK);
    cr_assert_eq(rows[0].total_ns, 100);
    cr_assert_eq(rows[1].object, LOCK);
    cr_assert_eq(rows[1].n_waits, 2);
    cr_assert_eq(rows[1].total_ns, 15);
    cr_assert_eq(rows[1].longest_ns, 10);
    cr_assert_eq(rows[1].waiter.call, WAITS_IN);
    cr_assert_eq(rows[1].n_of_wake[RV_WAKE_UNKNOWN], 2);
    cr_assert_eq(rows[1].held_ns, 0);
    free(rows);
}

Test(waits_waits, a_wait_that_ends_before_it_begins_takes_no_time)
{
    size_t n;
    rv_waits_add(waits, &(struct rv_wait){.start_ns = 500, .end_ns = 400, .object = 7, .kind = RV_WAIT_MUTEX});
    struct rv_waits_row *rows = take_rows(&n);
    cr_assert_eq(n, 1);
    cr_expect(rows[0].n_waits == 1 && rows[0].total_ns == 0 && rows[0].longest_ns == 0);
    free(rows);
}

Test(waits_waits, the_holder_is_the_thread_and_call_of_the_last_release_before_the_wake)
{
    size_t n;
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 20, .lane = 1, .object = LOCK, .call = HOLDS_IN + 1});
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 90, .lane = 2, .object = LOCK, .call = HOLDS_IN});
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 95, .lane = 2, .object = OTHER_LOCK, .call = 1});
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 200, .lane = 2, .object = LOCK, .call = 2});
    add(LOCK, 10, 22, 21, 101);
    add(LOCK, 30, 100, 91, 102);
    struct rv_waits_row *rows = take_rows(&n);
    cr_assert_eq(n, 1);
    cr_assert_eq(rows[0].held_ns, 70);
    cr_assert_eq(rows[0].holder.lane, rv_lanes_get(lanes, 2));
    cr_assert_eq(rows[0].holder.tid, 102);
    cr_assert_eq(rows[0].holder.call, HOLDS_IN);
    free(rows);
}

Test(waits_waits, a_waker_without_a_release_is_a_thread_without_a_call)
{
    size_t n;
    add(LOCK, 10, 20, 0, 101);
    add(OTHER_LOCK, 10, 15, 12, 999);
    struct rv_waits_row *rows = take_rows(&n);
    cr_assert_eq(rows[0].holder.lane, rv_lanes_get(lanes, 1));
    cr_assert_eq(rows[0].holder.call, 0);
    cr_assert_eq(rows[0].released_ns, 10, "when it had the lock");
    cr_assert_null(rows[1].holder.lane);
    cr_assert_eq(rows[1].holder.tid, 999);
    free(rows);
}

/* So does the call that held the object, and the time for which it did. */
Test(waits_waits, sums_stay_exact_when_waits_are_evicted)
{
    enum { N = 50000 };
    size_t n;
    rv_waits_destroy(waits);
    waits = rv_waits_create(lanes, 100000);
    for (uint64_t i = 1; i <= N; i++) {
        rv_waits_add_release(waits, &(struct rv_release){.at_ns = 10 * i, .lane = 1, .object = LOCK, .call = HOLDS_IN});
        add(LOCK, 10 * i - 3, 10 * i, 10 * i, 101);
    }
    const struct rv_waits_state state = rv_waits_state(waits);
    cr_assert_eq(state.n, N);
    cr_assert_gt(state.n_gone, N);
    cr_assert_lt(state.n_gone, 2 * N);
    struct rv_waits_row *rows = take_rows(&n);
    cr_assert_eq(n, 1);
    cr_assert_eq(rows[0].n_waits, N);
    cr_assert_eq(rows[0].total_ns, 3 * N);
    cr_assert_eq(rows[0].held_ns, 3 * N);
    cr_assert_eq(rows[0].holder.call, HOLDS_IN);
    free(rows);
}

static bool is_later(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    (void)place;
    cr_assert_gt(wait->end_ns, *(const uint64_t *)context);
    return true;
}

Test(waits_waits, the_oldest_waits_are_evicted_first)
{
    rv_waits_destroy(waits);
    waits = rv_waits_create(lanes, 10000);
    for (uint64_t i = 1; i <= 5000; i++)
        add(LOCK, 10 * i - 3, 10 * i, 0, 0);
    uint64_t gone_ns = rv_waits_state(waits).gone_ns;
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    cr_assert_gt(gone_ns, 0);
    rv_wait_reader_each(reader, 0, UINT64_MAX, is_later, &gone_ns);
    cr_assert_eq(rv_wait_reader_begin(reader, 0), 7, "a thread's begin stays known");
    rv_wait_reader_close(reader);
}

Test(waits_waits, objects_beyond_the_most_share_a_row)
{
    size_t n;
    uint64_t n_waits = 0;
    for (uint32_t i = 1; i <= RV_WAITS_MOST_OBJECTS + 50; i++)
        add(i, 10, 13, 0, 0);
    struct rv_waits_row *rows = take_rows(&n);
    cr_assert_eq(n, RV_WAITS_MOST_OBJECTS + 1);
    for (size_t i = 0; i < n; i++)
        n_waits += rows[i].object == RV_WAITS_OTHER ? rows[i].n_waits : 0;
    cr_assert_eq(n_waits, 50);
    free(rows);
}

/* Of two threads with one tid the one that lived when the wait began. */
Test(waits_waits, a_waker_without_a_release_is_the_thread_that_lived_then)
{
    size_t n;
    struct rv_lane *former = rv_lanes_get(lanes, 1),
                   *later = rv_lanes_add(
                       lanes, &(struct rv_lane_identity){.pid = 100, .tid = 101, .name = "", .process_name = ""});
    former->last_ns = 50;
    later->last_ns = 90;
    add(LOCK, 40, 45, 0, 101);
    add(OTHER_LOCK, 60, 100, 0, 101);
    struct rv_waits_row *rows = take_rows(&n);
    cr_assert_eq(n, 2);
    cr_expect_eq(rows[0].holder.lane, later);
    cr_expect_eq(rows[1].holder.lane, former);
    free(rows);
}

static void add_as(uint32_t lane, enum rv_wait_kind kind, uint32_t object, uint64_t start_ns, uint64_t end_ns,
                   uint32_t waker)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = start_ns,
                                          .end_ns = end_ns,
                                          .lane = lane,
                                          .object = object,
                                          .kind = kind,
                                          .waker = waker,
                                          .wake = waker ? RV_WAKE_LIKELY : RV_WAKE_UNKNOWN});
}

enum { JOBS = 30, RESULTS = 31, CLIENTS = 32 };

/* Expect rows of these objects in this order, with this time that was idle. */
static void expect_ranks(const uint32_t *objects, const uint64_t *idle_ns, size_t n_expected)
{
    size_t n;
    struct rv_waits_row *rows = take_rows(&n);
    cr_assert_eq(n, n_expected);
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(rows[i].object, objects[i], "place %zu: object %u", i, rows[i].object);
        cr_expect_eq(rows[i].idle_ns, idle_ns[i], "place %zu: idle %lu", i, (unsigned long)rows[i].idle_ns);
    }
    free(rows);
}

Test(waits_waits, workers_without_work_and_waits_for_clients_are_idle_and_come_last)
{
    add_as(1, RV_WAIT_CONDITION, JOBS, 0, 1000, 100); /* the first thread gave it work, and does not wait for it */
    add_as(0, RV_WAIT_POLL, CLIENTS, 0, 900, 0);
    add_as(0, RV_WAIT_MUTEX, LOCK, 900, 910, 102);
    expect_ranks((const uint32_t[]){LOCK, JOBS, CLIENTS}, (const uint64_t[]){0, 1000, 900}, 3);
}

Test(waits_waits, a_waker_of_a_thread_that_others_wait_for_is_not_idle)
{
    add_as(0, RV_WAIT_CONDITION, RESULTS, 0, 300, 101);
    add_as(1, RV_WAIT_SLEEP, 0, 0, 1000, 0);             /* 300 of it were waited for, */
    add_as(1, RV_WAIT_CONDITION, JOBS, 1000, 2000, 102); /* and as much of this, */
    add_as(2, RV_WAIT_READ, OTHER_LOCK, 1000, 1200, 0);  /* so this, too */
    expect_ranks((const uint32_t[]){0, JOBS, RESULTS, OTHER_LOCK}, (const uint64_t[]){700, 700, 0, 0}, 4);
}

Test(waits_waits, what_threads_do_comes_before_waits_for_their_ends)
{
    add_as(0, RV_WAIT_JOIN, 0, 0, 500, 101);
    add_as(0, RV_WAIT_JOIN, 0, 500, 510, 102);
    add_as(1, RV_WAIT_SLEEP, JOBS, 0, 400, 0);
    add_as(2, RV_WAIT_SLEEP, JOBS, 0, 505, 0); /* it was to end as much as the other */
    expect_ranks((const uint32_t[]){JOBS, 0}, (const uint64_t[]){0, 0}, 2);
}

/* Of the row of an object: what is passed on. */
static uint64_t passed_ns_of(uint32_t object)
{
    size_t n;
    uint64_t passed_ns = UINT64_MAX;
    struct rv_waits_row *rows = take_rows(&n);
    for (size_t i = 0; i < n; i++)
        passed_ns = rows[i].object == object ? rows[i].passed_ns : passed_ns;
    free(rows);
    return passed_ns;
}

Test(waits_waits, what_a_waker_waited_for_comes_before_the_wait_that_it_ended)
{
    add_as(0, RV_WAIT_SEMAPHORE, RESULTS, 0, 1000, 101);
    add_as(1, RV_WAIT_CONDITION, JOBS, 0, 400, 0);
    add_as(1, RV_WAIT_CONDITION, JOBS, 500, 900, 102);
    expect_ranks((const uint32_t[]){JOBS, RESULTS}, (const uint64_t[]){0, 0}, 2);
    cr_expect_eq(passed_ns_of(RESULTS), 800);
    cr_expect_eq(passed_ns_of(JOBS), 0);
}

/* 7: by the kernel's report. */
Test(waits_waits, a_waker_that_is_not_traced_is_a_client_to_who_polls_and_else_what_is_waited_for)
{
    size_t n;
    add_as(0, RV_WAIT_SEMAPHORE, RESULTS, 0, 1000, 101);
    add_as(1, RV_WAIT_READ, JOBS, 0, 800, RV_WIRE_OUTSIDE | 7);
    add_as(0, RV_WAIT_POLL, CLIENTS, 1000, 1900, RV_WIRE_OUTSIDE | 7);
    expect_ranks((const uint32_t[]){RESULTS, JOBS, CLIENTS}, (const uint64_t[]){0, 0, 900}, 3);
    cr_expect_eq(passed_ns_of(RESULTS), 0);
    struct rv_waits_row *rows = take_rows(&n);
    cr_expect(rows[1].holder.tid == (RV_WIRE_OUTSIDE | 7) && !rows[1].holder.lane && rows[1].held_ns == 800);
    free(rows);
}

Test(waits_waits, a_waker_that_sleeps_or_has_a_lock_passes_nothing_on)
{
    add_as(0, RV_WAIT_SEMAPHORE, RESULTS, 0, 1000, 101);
    add_as(0, RV_WAIT_MUTEX, LOCK, 1000, 2000, 101);
    add_as(1, RV_WAIT_SLEEP, 0, 0, 900, 0);
    add_as(1, RV_WAIT_CONDITION, JOBS, 1000, 1900, 102);
    cr_expect_eq(passed_ns_of(RESULTS), 0);
    cr_expect_eq(passed_ns_of(LOCK), 0);
}

Test(waits_waits, the_latest_of_many_waits_of_a_waker_stand_for_all)
{
    enum { MANY = 5000 };
    for (uint64_t i = 0; i < MANY; i++)
        add_as(1, RV_WAIT_CONDITION, JOBS, 4 * i, 4 * i + 1, 102);
    add_as(0, RV_WAIT_SEMAPHORE, RESULTS, 0, 4 * MANY, 101);
    const uint64_t passed_ns = passed_ns_of(RESULTS);
    cr_expect(passed_ns >= MANY - MANY / 100 && passed_ns <= MANY + MANY / 100, "%lu ns", (unsigned long)passed_ns);
}

/* But for a wait that spans two evictions, as one in some hundred does here. */
Test(waits_waits, what_is_passed_on_stays_known_when_waits_are_evicted)
{
    enum { N = 20000 };
    rv_waits_destroy(waits);
    waits = rv_waits_create(lanes, 100000);
    for (uint64_t i = 0; i < N; i++) {
        add_as(1, RV_WAIT_CONDITION, JOBS, 100 * i, 100 * i + 80, 102);
        add_as(0, RV_WAIT_SEMAPHORE, RESULTS, 100 * i, 100 * i + 100, 101);
    }
    cr_assert_gt(rv_waits_state(waits).n_gone, N);
    const uint64_t passed_ns = passed_ns_of(RESULTS);
    cr_expect(passed_ns <= 80 * N && passed_ns >= 80 * N - 80 * N / 100, "%lu ns", (unsigned long)passed_ns);
}

Test(waits_waits, arcs_are_sums_by_who_waited_and_who_ended_it)
{
    size_t n;
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 90, .lane = 1, .object = LOCK, .call = HOLDS_IN});
    add(LOCK, 10, 20, 0, 102);
    add(LOCK, 30, 100, 91, 101);
    add(LOCK, 200, 205, 0, 102);
    add_as(2, RV_WAIT_MUTEX, LOCK, 0, 12, 101);
    add_as(2, RV_WAIT_SLEEP, 0, 20, 500, 0); /* no waker */
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    struct rv_waits_row *arcs = rv_wait_reader_take_arcs(reader, &n);
    cr_assert_eq(n, 3);
    cr_expect(arcs[0].n_waits == 1 && arcs[0].total_ns == 70 && arcs[0].waited_ns == 100);
    cr_expect(arcs[0].holder.call == HOLDS_IN && arcs[0].waiter.call == WAITS_IN);
    cr_expect(arcs[1].n_waits == 2 && arcs[1].total_ns == 15 && arcs[1].longest_ns == 10 && arcs[1].waited_ns == 20);
    cr_expect_eq(arcs[1].holder.lane, rv_lanes_get(lanes, 2));
    cr_expect_eq(arcs[2].waiter.lane, rv_lanes_get(lanes, 2));
    free(arcs);
    rv_wait_reader_close(reader);
}
