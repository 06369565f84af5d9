#include "export/call_stacks.h"

#include <criterion/criterion.h>

enum { DEEP = 100 };

static void add(struct rv_spool *spool, const struct rv_lane *lane, const struct rv_span *span)
{
    const struct rv_sink sink = rv_spool_sink(spool);
    sink.spans(sink.context, lane, span, 1);
}

Test(call_stacks, a_stack_has_the_calls_open_at_a_time_innermost_first, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_spool *spool = rv_spool_create();
    const struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 1});
    const struct rv_lane *deep = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2});
    add(spool, lane, &(struct rv_span){.start = 20, .end = 30, .id = 3, .depth = 2});
    add(spool, lane, &(struct rv_span){.start = 5, .end = 35, .id = 9, .depth = 2, .flags = RV_SPAN_ORPHAN});
    add(spool, lane, &(struct rv_span){.start = 10, .end = 40, .id = 2, .depth = 1});
    add(spool, lane, &(struct rv_span){.start = 0, .end = 50, .id = 1});
    for (uint32_t i = 0; i < DEEP; i++)
        add(spool, deep, &(struct rv_span){.start = DEEP - i, .end = 200 + i, .id = i, .depth = DEEP - i});
    cr_assert_eq(rv_spool_seal(spool), 0);
    struct rv_call_stack stacks[] = {{.lane_idx = lane->idx, .at_ns = 40}, {.lane_idx = deep->idx, .at_ns = 150},
                                     {.lane_idx = lane->idx, .at_ns = 25}, {.lane_idx = lane->idx, .at_ns = 51},
                                     {.lane_idx = lane->idx, .at_ns = 20}, {.lane_idx = UINT32_MAX, .at_ns = 20}};
    cr_assert_eq(rv_call_stacks_read(spool, stacks, sizeof stacks / sizeof *stacks), 0);
    cr_expect(stacks[0].n == 2 && stacks[0].ids[0] == 2 && stacks[0].ids[1] == 1);
    cr_expect_eq(stacks[1].n, DEEP);
    cr_expect(stacks[1].ids[0] == 0 && stacks[1].ids[RV_CALL_STACK_MOST - 1] == RV_CALL_STACK_MOST - 1);
    cr_expect(stacks[2].n == 3 && stacks[2].ids[0] == 3 && stacks[2].ids[2] == 1);
    cr_expect_eq(stacks[3].n, 0);
    cr_expect_eq(stacks[4].n, 2);
    cr_expect_eq(stacks[5].n, 0);
    rv_spool_destroy(spool);
    rv_lanes_destroy(lanes);
}
