#include "model/busy_range.h"

#include <criterion/criterion.h>

#include "model/timeline.h"

#define SECOND UINT64_C(1000000000)
#define DAY (86400 * SECOND)

static struct rv_lane *add_lane(struct rv_lanes *lanes, uint32_t tid)
{
    return rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = tid, .process_key = 1});
}

static void add_calls(struct rv_lane *lane, uint64_t from_ns, uint64_t to_ns, unsigned n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t start_ns = from_ns + (to_ns - from_ns) / n * i;
        struct rv_span span = {.start = start_ns, .end = start_ns + (to_ns - from_ns) / n, .id = 1};
        rv_timeline_add(lane->timeline, &span, 1);
        lane->last_ns = span.end;
    }
}

static void expect(struct rv_lanes *lanes, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t busy[2];
    cr_assert(rv_busy_range(lanes, &busy[0], &busy[1]));
    uint64_t slack_ns = (to_ns - from_ns) / 10;
    cr_assert(busy[0] <= from_ns && busy[0] + slack_ns >= from_ns, "begins at %f s", (double)busy[0] / 1e9);
    cr_assert(busy[1] >= to_ns && busy[1] <= to_ns + slack_ns, "ends at %f s", (double)busy[1] / 1e9);
}

Test(busy_range, a_stray_call_days_before_is_left_out, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    add_calls(add_lane(lanes, 1), SECOND, SECOND + 1000, 1);
    add_calls(add_lane(lanes, 2), 13 * DAY, 13 * DAY + 5 * SECOND, 100);
    expect(lanes, 13 * DAY, 13 * DAY + 5 * SECOND);
    rv_lanes_destroy(lanes);
}

Test(busy_range, a_stray_mark_days_after_is_left_out, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = add_lane(lanes, 1);
    add_calls(lane, SECOND, 6 * SECOND, 100);
    rv_lane_add_note(lane, &(struct rv_lane_note){.start_ns = DAY, .end_ns = DAY, .kind = RV_NOTE_MARK, .id = 1});
    expect(lanes, SECOND, 6 * SECOND);
    rv_lanes_destroy(lanes);
}

Test(busy_range, two_busy_parts_stay_together, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = add_lane(lanes, 1);
    add_calls(lane, SECOND, 6 * SECOND, 100);
    add_calls(lane, DAY, DAY + 6 * SECOND, 60);
    expect(lanes, SECOND, DAY + 6 * SECOND);
    rv_lanes_destroy(lanes);
}

Test(busy_range, a_call_around_all_keeps_all, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    add_calls(add_lane(lanes, 1), SECOND, DAY, 1);
    add_calls(add_lane(lanes, 2), 600 * SECOND, 605 * SECOND, 100);
    expect(lanes, SECOND, DAY);
    rv_lanes_destroy(lanes);
}

Test(busy_range, empty_lanes_have_none, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    uint64_t from_ns, to_ns;
    cr_assert_not(rv_busy_range(lanes, &from_ns, &to_ns));
    rv_lanes_destroy(lanes);
}
