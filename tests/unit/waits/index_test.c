/* Waits that come in over time, and what one call waited for. */
#include "waits/index.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { N_LANES = 4, N_CALLS = 5, LOCK = 99, STEP_NS = 10, LONG_NS = 1000 };

static struct rv_lanes *lanes;
static struct rv_waits *waits;
static struct rv_wait_index *index_of;

static void setup(void)
{
    lanes = rv_lanes_create();
    waits = rv_waits_create();
    for (uint32_t i = 0; i < N_LANES; i++)
        rv_lanes_add(lanes,
                     &(struct rv_lane_identity){.pid = 1, .tid = 100 + i, .thread = i, .name = "", .process_name = ""});
    index_of = rv_wait_index_create(waits, lanes);
}

static void teardown(void)
{
    rv_wait_index_destroy(index_of);
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}

TestSuite(model_wait_index, .init = setup, .fini = teardown, .timeout = 120);

/* The i-th: of lane i % N_LANES, ended by the next lane, whose release comes n_late waits later. */
static uint64_t end_of(uint64_t i)
{
    return LONG_NS + i * STEP_NS;
}

static uint64_t duration_of(uint64_t i)
{
    return 1 + i * 7 % STEP_NS;
}

static void add_wait(uint64_t i)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = end_of(i) - duration_of(i),
                                          .end_ns = end_of(i),
                                          .woke_ns = end_of(i),
                                          .lane = (uint32_t)(i % N_LANES),
                                          .object = LOCK,
                                          .call = (uint32_t)(1 + i % N_CALLS),
                                          .waker = (uint32_t)(100 + (i + 1) % N_LANES),
                                          .wake = RV_WAKE_EXACT});
}

static void add_release(uint64_t i)
{
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = end_of(i),
                                                     .lane = (uint32_t)((i + 1) % N_LANES),
                                                     .tid = (uint32_t)(100 + (i + 1) % N_LANES),
                                                     .object = LOCK,
                                                     .call = 50});
}

static void add_all(uint64_t n, uint64_t n_late)
{
    for (uint64_t i = 0; i < n + n_late; i++) {
        if (i < n)
            add_wait(i);
        if (i >= n_late)
            add_release(i - n_late);
        if (i % 777 == 0)
            rv_wait_index_update(index_of);
    }
    rv_wait_index_update(index_of);
}

Test(model_wait_index, a_release_may_come_after_its_wait)
{
    enum { N = 10000 };
    struct rv_wait_edge edge;
    add_all(N, 500);
    for (size_t i = 0; i < N; i++) {
        cr_assert(rv_wait_index_get(index_of, i, &edge));
        cr_assert_eq(edge.wait.end_ns, end_of(i));
        cr_assert_eq(edge.waker, rv_lanes_get(lanes, (i + 1) % N_LANES));
        cr_assert_eq(edge.waker_call, 50);
        cr_assert_eq(edge.released_ns, end_of(i));
    }
    cr_assert_not(rv_wait_index_get(index_of, N, &edge));
}

/* Until blocks of other lanes have come, of which each may have thousands of waits. */
Test(model_wait_index, a_release_may_come_long_after_its_wait)
{
    enum { N = 20000 };
    struct rv_wait_edge edge;
    add_all(N, N / 2);
    for (size_t i = 0; i < N; i += N / 10) {
        cr_assert(rv_wait_index_get(index_of, i, &edge));
        cr_assert_eq(edge.waker_call, 50);
        cr_assert_eq(edge.released_ns, end_of(i));
    }
}

Test(model_wait_index, a_call_has_the_waits_of_its_lane_and_time)
{
    struct rv_wait_sum sum;
    struct rv_wait_edge longest;
    add_all(100, 0);
    cr_assert(rv_wait_index_sum(index_of, 1, end_of(10), end_of(29), &sum));
    cr_assert_eq(sum.n, 5); /* 13, 17, 21, 25, 29 */
    cr_assert(rv_wait_index_get(index_of, sum.longest, &longest));
    cr_expect_eq(sum.longest_ns, longest.wait.end_ns - longest.wait.start_ns);
    cr_assert_eq(longest.wait.lane, 1);
    cr_assert_eq(longest.wait.end_ns, end_of(17));
    cr_assert_eq(longest.waker, rv_lanes_get(lanes, 2));
    cr_assert_not(rv_wait_index_sum(index_of, 1, end_of(200), end_of(300), &sum));
    cr_assert_not(rv_wait_index_sum(index_of, N_LANES, 0, end_of(300), &sum));
}
