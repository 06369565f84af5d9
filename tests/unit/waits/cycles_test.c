/* Threads that wait for each other for ever, among those that do not. */
#include "waits/cycles.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST_THREADS = 8, N_TRIALS = 2000, END_NS = 100000 };

static struct rv_lanes *lanes;
static struct rv_waits *waits;

static void setup(void)
{
    lanes = rv_lanes_create();
    waits = rv_waits_create(lanes, 0);
    for (uint32_t i = 0; i < MOST_THREADS; i++)
        rv_lanes_add(lanes, &(struct rv_lane_identity){
                                .pid = 1 + i % 2, .tid = 100 + i, .thread = i, .name = "", .process_name = ""});
}

static void teardown(void)
{
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}

TestSuite(wait_cycles, .init = setup, .fini = teardown, .timeout = 120);

/* To the end, for the lock of another: the holder's number is its object. */
static void add_open(uint32_t lane, uint32_t holder)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = 1000 + lane,
                                          .end_ns = END_NS,
                                          .lane = lane,
                                          .object = 1 + holder,
                                          .waker = 100 + holder,
                                          .kind = RV_WAIT_MUTEX,
                                          .wake = RV_WAKE_UNKNOWN});
}

static struct rv_wait_in_cycle *take(size_t *n)
{
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    struct rv_wait_in_cycle *found = rv_wait_cycles_take(reader, lanes, n);
    rv_wait_reader_close(reader);
    return found;
}

Test(wait_cycles, those_who_wait_for_a_deadlock_are_not_in_it)
{
    size_t n;
    add_open(0, 1);
    add_open(1, 2);
    add_open(2, 1);
    add_open(3, 3);
    add_open(4, 5);
    struct rv_wait_in_cycle *found = take(&n);
    cr_assert_eq(n, 3);
    cr_expect(found[0].wait.lane == 1 && found[0].holder->idx == 2 && found[0].cycle == 0);
    cr_expect(found[1].wait.lane == 2 && found[1].holder->idx == 1 && found[1].cycle == 0);
    cr_expect(found[2].wait.lane == 3 && found[2].holder->idx == 3 && found[2].cycle == 1);
    free(found);
}

Test(wait_cycles, a_holder_that_has_released_the_lock_since_has_it_no_longer)
{
    size_t n;
    add_open(0, 1);
    add_open(1, 0);
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 1500, .lane = 0, .tid = 100, .object = 1});
    free(take(&n));
    cr_expect_eq(n, 0);
}

Test(wait_cycles, a_wait_that_ended_is_in_none)
{
    size_t n;
    add_open(0, 1);
    rv_waits_add(waits, &(struct rv_wait){.start_ns = 1001,
                                          .end_ns = END_NS,
                                          .lane = 1,
                                          .object = 1,
                                          .waker = 100,
                                          .kind = RV_WAIT_MUTEX,
                                          .wake = RV_WAKE_OWNER});
    free(take(&n));
    cr_expect_eq(n, 0);
}

/* A thread is in a cycle if it comes back to itself. */
static bool comes_back(const uint32_t *holder_of, uint32_t from)
{
    uint32_t at = holder_of[from];
    for (unsigned step = 0; step < MOST_THREADS && at < MOST_THREADS && at != from; step++)
        at = holder_of[at];
    return at == from;
}

Test(wait_cycles, they_are_those_whose_threads_come_back_to_themselves)
{
    srand(16);
    for (unsigned trial = 0; trial < N_TRIALS; trial++) {
        uint32_t holder_of[MOST_THREADS];
        size_t n, n_wanted = 0;
        for (uint32_t i = 0; i < MOST_THREADS; i++) {
            holder_of[i] = (uint32_t)rand() % (MOST_THREADS + 2); /* the last two: it does not wait */
            if (holder_of[i] < MOST_THREADS)
                add_open(i, holder_of[i]);
        }
        for (uint32_t i = 0; i < MOST_THREADS; i++)
            n_wanted += comes_back(holder_of, i);
        struct rv_wait_in_cycle *found = take(&n);
        cr_assert_eq(n, n_wanted, "trial %u: %zu of %zu", trial, n, n_wanted);
        for (size_t i = 0; i < n; i++) {
            const bool ends = i + 1 == n || found[i + 1].cycle != found[i].cycle;
            cr_expect(comes_back(holder_of, found[i].wait.lane));
            cr_expect_eq(found[i].holder->idx, holder_of[found[i].wait.lane]);
            cr_expect(ends || found[i + 1].wait.lane == found[i].holder->idx);
        }
        free(found);
        teardown();
        setup();
    }
}
