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

Test(present, is_the_clock_while_something_happens_and_stands_still_when_nothing_does, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes();
    struct rv_present present = {0};
    rv_present_update(&present, lanes, 1060 * MS, 100.0 * MS);
    cr_assert_eq(present.first_ns, 1000 * MS);
    cr_assert_eq(present.last_ns, 1050 * MS);
    cr_assert_eq(present.now_ns, 1060 * MS);
    rv_present_update(&present, lanes, 9000 * MS, 100.0 * MS);
    cr_assert_eq(present.now_ns, 1075 * MS);
    present.is_done = true;
    rv_present_update(&present, lanes, 9000 * MS, 100.0 * MS);
    cr_assert_eq(present.now_ns, 1050 * MS);
    rv_lanes_destroy(lanes);
}

Test(present, frozen_stays_and_tells_how_far_behind, .timeout = 60)
{
    struct rv_lanes *lanes = make_lanes();
    struct rv_present present = {0};
    rv_present_update(&present, lanes, 1051 * MS, 100.0 * MS);
    cr_assert_eq(rv_present_behind_ns(&present), 0);
    present.is_frozen = true;
    rv_present_update(&present, lanes, 1061 * MS, 100.0 * MS);
    cr_assert_eq(present.now_ns, 1051 * MS);
    cr_assert_eq(rv_present_behind_ns(&present), 10 * MS);
    present.is_frozen = false;
    rv_present_update(&present, lanes, 1061 * MS, 100.0 * MS);
    cr_assert_eq(rv_present_behind_ns(&present), 0);
    rv_lanes_destroy(lanes);
}
