#include <criterion/criterion.h>

#include "viewer/live_edge.h"

#define MS UINT64_C(1000000)

/* A trace from 1 s to 1 s + 50 ms. */
static struct rv_lanes *make_lanes(void)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.name = "main", .process_name = "test"});
    struct rv_span span = {.start = 1000 * MS, .end = 1050 * MS, .id = 1};
    rv_timeline_add(lane->timeline, &span, 1);
    lane->last_ns = 1050 * MS;
    return lanes;
}

Test(live_edge, is_the_clock_while_something_happens_and_stands_still_when_nothing_does, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes();
    struct rv_live_edge live_edge = {0};
    rv_live_edge_update(&live_edge, lanes, 1060 * MS, 100.0 * MS);
    cr_assert_eq(live_edge.first_ns, 1000 * MS);
    cr_assert_eq(live_edge.last_ns, 1050 * MS);
    cr_assert_eq(live_edge.now_ns, 1060 * MS);
    rv_live_edge_update(&live_edge, lanes, 9000 * MS, 100.0 * MS);
    cr_assert_eq(live_edge.now_ns, 1075 * MS);
    live_edge.is_done = true;
    rv_live_edge_update(&live_edge, lanes, 9000 * MS, 100.0 * MS);
    cr_assert_eq(live_edge.now_ns, 1050 * MS);
    rv_lanes_destroy(lanes);
}

Test(live_edge, frozen_stays_and_shows_the_lag, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes();
    struct rv_live_edge live_edge = {0};
    rv_live_edge_update(&live_edge, lanes, 1051 * MS, 100.0 * MS);
    cr_assert_eq(rv_live_edge_behind_ns(&live_edge), 0);
    live_edge.is_frozen = true;
    rv_live_edge_update(&live_edge, lanes, 1061 * MS, 100.0 * MS);
    cr_assert_eq(live_edge.now_ns, 1051 * MS);
    cr_assert_eq(rv_live_edge_behind_ns(&live_edge), 10 * MS);
    live_edge.is_frozen = false;
    rv_live_edge_update(&live_edge, lanes, 1061 * MS, 100.0 * MS);
    cr_assert_eq(rv_live_edge_behind_ns(&live_edge), 0);
    rv_lanes_destroy(lanes);
}

Test(live_edge, moves_on_while_a_thread_is_in_a_call, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes();
    struct rv_lane *lane = rv_lanes_get(lanes, 0);
    struct rv_lane_frame frame = {.start_ns = 1040 * MS, .id = 1};
    struct rv_live_edge live_edge = {0};
    lane->open = &frame;
    lane->n_open = 1;
    rv_lanes_know_until(lanes, 8990 * MS);
    rv_live_edge_update(&live_edge, lanes, 9000 * MS, 100.0 * MS);
    cr_assert_eq(live_edge.last_ns, 8990 * MS);
    cr_assert_eq(live_edge.now_ns, 9000 * MS);
    lane->open = NULL;
    lane->n_open = 0;
    rv_live_edge_update(&live_edge, lanes, 9000 * MS, 100.0 * MS);
    cr_assert_eq(live_edge.last_ns, 1050 * MS);
    rv_lanes_destroy(lanes);
}
