#include "pipeline/memory_limit.h"

#include <criterion/criterion.h>

enum { N_SPANS = 2000000, SMALL = 16 << 20, SMALL_CHECKED = SMALL / 1024 /* spans between two checks */ };

static struct rv_lanes *lanes;
static struct rv_memory_limit limit;

static void begin(uint64_t bytes)
{
    lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 1});
    for (uint64_t i = 0; i < N_SPANS; i++)
        rv_timeline_add(lane->timeline, &(struct rv_span){.start = i * 100, .end = i * 100 + 50, .id = 1}, 1);
    cr_assert_gt(rv_lanes_bytes(lanes), SMALL);
    rv_memory_limit_init(&limit, bytes, lanes);
}

static uint64_t n_evicted(void)
{
    return rv_timeline_n_evicted(rv_lanes_get(lanes, 0)->timeline);
}

static void end(void)
{
    rv_memory_limit_fini(&limit);
    rv_lanes_destroy(lanes);
}

Test(memory_limit, lanes_evict_calls_beyond_the_limit_but_keep_a_quarter_of_it, .timeout = 60)
{
    begin(SMALL);
    rv_memory_limit_check(&limit);
    cr_assert_gt(n_evicted(), 0);
    cr_assert_leq(rv_lanes_bytes(lanes), SMALL);
    cr_assert_geq(rv_lanes_bytes(lanes), SMALL / 8);
    end();
}

Test(memory_limit, lanes_evict_nothing_while_there_is_room, .timeout = 60)
{
    begin(UINT64_C(1) << 40);
    rv_memory_limit_check(&limit);
    cr_assert_eq(n_evicted(), 0);
    end();
}

Test(memory_limit, lanes_are_checked_once_many_spans_were_added, .timeout = 60)
{
    begin(SMALL);
    rv_memory_limit_count(&limit, SMALL_CHECKED);
    cr_assert_eq(n_evicted(), 0);
    rv_memory_limit_count(&limit, 1);
    cr_assert_gt(n_evicted(), 0);
    end();
}

Test(memory_limit, small_limits_still_have_room_for_open_calls_and_for_the_pages_of_a_window, .timeout = 60)
{
    cr_assert_eq(rv_memory_limit_open_calls(1 << 20), 1 << 21);
    cr_assert_eq(rv_memory_limit_open_calls(UINT64_C(1) << 36), 1 << 26);
    cr_assert_eq(rv_memory_limit_pages(1 << 20, true), 32 << 20);
    cr_assert_eq(rv_memory_limit_pages(1 << 30, true), 1 << 29);
    cr_assert_eq(rv_memory_limit_pages(1 << 20, false), 1 << 20);
    cr_assert_eq(rv_memory_limit_ranges(1 << 25), 1 << 22);
    cr_assert_eq(rv_memory_limit_ranges(UINT64_MAX), 1 << 26);
}
