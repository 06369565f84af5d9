#include "viewer/call_flow.h"

#include <criterion/criterion.h>

enum { REQUEST = 7, ACCEPT = 20, WORK, ANSWER };

static struct rv_lanes *lanes;
static struct rv_flows *flows;

static void setup(void)
{
    lanes = rv_lanes_create();
    flows = rv_flows_create();
    for (uint32_t i = 0; i < 2; i++)
        rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 100 + i, .name = "", .process_name = ""});
}

static void teardown(void)
{
    rv_flows_destroy(flows);
    rv_lanes_destroy(lanes);
}

TestSuite(viewer_call_flow, .init = setup, .fini = teardown, .timeout = 60);

static void add(enum rv_step_kind kind, uint64_t at_ns, uint32_t lane, uint32_t call)
{
    rv_flows_add(flows, &(struct rv_flow_step){.at_ns = at_ns,
                                               .until_ns = at_ns,
                                               .id = at_ns / 1000,
                                               .name = REQUEST,
                                               .lane = lane,
                                               .call = call,
                                               .kind = kind});
}

/* Of the call of this subroutine, from 100 on, for 100 ns. */
static struct rv_call_flow find(const struct rv_flow_table *table, uint32_t id, uint32_t lane, uint16_t coverage)
{
    const struct rv_box box = {.start_ns = 100, .duration_ns = 100, .id = id, .coverage = coverage};
    struct rv_call_flow found;
    rv_call_flow_find(&found, table, &box, lane);
    return found;
}

Test(viewer_call_flow, a_call_has_the_flow_that_it_tells_with_the_steps_before_and_after)
{
    add(RV_STEP_FLOW_BEGIN, 50, 0, ACCEPT);
    add(RV_STEP_FLOW, 150, 1, WORK);
    add(RV_STEP_FLOW_END, 300, 0, ANSWER);
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    const struct rv_call_flow found = find(table, WORK, 1, RV_BOX_EXACT);
    cr_assert(found.is_on && found.has_from && found.has_to && !found.is_task && found.n_more == 0);
    cr_assert_eq(found.name, REQUEST);
    cr_assert_eq(found.from.call, ACCEPT);
    cr_assert_eq(found.to.call, ANSWER);
    cr_assert_eq(found.begin.at_ns, 50);
    cr_assert_not(find(table, ANSWER, 1, RV_BOX_EXACT).is_on, "another call of the same time");
    cr_assert_not(find(table, WORK, 0, RV_BOX_EXACT).is_on, "another lane");
    cr_assert_not(find(table, WORK, 1, 100).is_on, "a cell");
    cr_assert_not(find(NULL, WORK, 1, RV_BOX_EXACT).is_on, "flows are not known");
    rv_flow_table_release(table);
}

Test(viewer_call_flow, further_steps_in_a_call_are_counted)
{
    for (uint64_t i = 0; i < 5; i++)
        add(RV_STEP_FLOW_BEGIN, 110 + i, 0, ACCEPT);
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    const struct rv_call_flow found = find(table, ACCEPT, 0, RV_BOX_EXACT);
    cr_assert_eq(found.n_more, 4);
    cr_assert(!found.has_from && !found.has_to);
    rv_flow_table_release(table);
}
