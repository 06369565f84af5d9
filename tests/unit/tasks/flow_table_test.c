#include "tasks/flow_table.h"

#include <criterion/criterion.h>

enum { REQUEST = 7, MESSAGE = 8, JOB = 9 };

static struct rv_lanes *lanes;
static struct rv_flows *flows;

static void setup(void)
{
    lanes = rv_lanes_create();
    flows = rv_flows_create();
    for (uint32_t i = 0; i < 4; i++) /* two of each process */
        rv_lanes_add(lanes,
                     &(struct rv_lane_identity){.tid = 100 + i, .process_key = i / 2, .name = "", .process_name = ""});
}

static void teardown(void)
{
    rv_flows_destroy(flows);
    rv_lanes_destroy(lanes);
}

TestSuite(tasks_flow_table, .init = setup, .fini = teardown, .timeout = 60);

static void add(enum rv_step_kind kind, uint64_t id, uint32_t name, uint64_t at_ns, uint32_t lane)
{
    rv_flows_add(flows, &(struct rv_flow_step){
                            .at_ns = at_ns, .until_ns = at_ns, .id = id, .name = name, .lane = lane, .kind = kind});
}

static void add_turn(enum rv_step_kind kind, uint64_t id, uint32_t name, const uint64_t ns[2], uint32_t lane)
{
    const size_t number = rv_flows_add(
        flows, &(struct rv_flow_step){
                   .at_ns = ns[0], .until_ns = UINT64_MAX, .id = id, .name = name, .lane = lane, .kind = kind});
    rv_flows_leave(flows, number, ns[1]);
}

Test(tasks_flow_table, steps_of_lanes_that_come_in_any_order_are_a_flow_by_time)
{
    add(RV_STEP_FLOW_END, 1, REQUEST, 90, 3);
    add(RV_STEP_FLOW, 1, REQUEST, 50, 2);
    add(RV_STEP_FLOW_BEGIN, 1, REQUEST, 10, 0);
    add(RV_STEP_FLOW_BEGIN, 1, MESSAGE, 20, 0);
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    cr_assert_eq(table->n_flows, 2);
    const struct rv_flow *flow = &table->flows[0];
    cr_assert_eq(flow->name, REQUEST);
    cr_assert(flow->has_begin && flow->has_end && !flow->is_task);
    cr_assert_eq(flow->n, 3);
    cr_assert_eq(flow->begin_ns, 10);
    cr_assert_eq(flow->end_ns, 90);
    cr_assert_eq(table->steps[flow->first + 1].lane, 2);
    cr_assert(table->flows[1].has_begin && !table->flows[1].has_end);
    rv_flow_table_release(table);
}

Test(tasks_flow_table, an_id_is_another_flow_after_its_end_and_where_it_begins_again)
{
    add(RV_STEP_FLOW_END, 1, REQUEST, 5, 0);
    add(RV_STEP_FLOW_BEGIN, 1, REQUEST, 10, 0);
    add(RV_STEP_FLOW_END, 1, REQUEST, 20, 1);
    add(RV_STEP_FLOW, 1, REQUEST, 30, 1);
    add(RV_STEP_FLOW_BEGIN, 1, REQUEST, 40, 0);
    add(RV_STEP_FLOW_BEGIN, 1, REQUEST, 50, 0);
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    const uint64_t begins[] = {5, 10, 30, 40, 50};
    cr_assert_eq(table->n_flows, 5);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(table->flows[i].begin_ns, begins[i]);
    cr_assert(!table->flows[0].has_begin && !table->flows[2].has_begin);
    cr_assert(table->flows[1].has_begin && table->flows[1].has_end);
    rv_flow_table_release(table);
}

Test(tasks_flow_table, a_task_is_of_its_process_and_lasts_until_its_last_turn)
{
    add_turn(RV_STEP_TASK_BEGIN, 1, JOB, (const uint64_t[]){10, 20}, 0);
    add_turn(RV_STEP_TASK_SWITCH, 1, 0, (const uint64_t[]){30, 45}, 1);
    add_turn(RV_STEP_TASK_BEGIN, 1, JOB, (const uint64_t[]){12, 13}, 2);
    add(RV_STEP_TASK_END, 1, 0, 45, 1);
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    cr_assert_eq(table->n_flows, 2);
    cr_assert_eq(table->flows[0].name, JOB);
    cr_assert(table->flows[0].is_task && table->flows[0].has_end);
    cr_assert_eq(table->flows[0].on_ns, 25);
    cr_assert_eq(table->flows[0].end_ns, 45);
    cr_assert_eq(table->flows[1].on_ns, 1);
    cr_assert(!table->flows[1].has_end);
    rv_flow_table_release(table);
}

Test(tasks_flow_table, steps_are_found_by_lane_and_time)
{
    for (uint64_t i = 0; i < 100; i++)
        add(RV_STEP_FLOW, i % 7, REQUEST, 10 * (i + 1), (uint32_t)i % 4);
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    for (uint32_t lane = 0; lane < 4; lane++)
        for (uint64_t at_ns = 0; at_ns < 1100; at_ns += 5) {
            size_t n_before = 0;
            for (size_t i = 0; i < table->n_steps; i++)
                n_before +=
                    table->steps[i].lane < lane || (table->steps[i].lane == lane && table->steps[i].at_ns < at_ns);
            cr_assert_eq(rv_flow_table_find(table, lane, at_ns), n_before);
        }
    for (size_t i = 0; i < table->n_steps; i++)
        cr_assert_eq(table->flows[table->flow_of[i]].id, table->steps[i].id);
    rv_flow_table_release(rv_flow_table_hold(table));
    rv_flow_table_release(table);
}

Test(tasks_flow_table, the_task_of_a_lane_is_current_from_the_begin_of_a_turn_up_to_its_end)
{
    add_turn(RV_STEP_TASK_BEGIN, 1, JOB, (const uint64_t[]){10, 20}, 0);
    add_turn(RV_STEP_TASK_BEGIN, 2, JOB, (const uint64_t[]){20, 30}, 0);
    add(RV_STEP_FLOW_BEGIN, 5, REQUEST, 15, 0);
    add(RV_STEP_TASK_END, 1, 0, 25, 0);
    add_turn(RV_STEP_TASK_SWITCH, 1, 0, (const uint64_t[]){40, 50}, 1);
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    const uint64_t ids[] = {0, 1, 1, 2, 2, 0, 0};
    for (uint64_t i = 0; i < 7; i++) {
        const struct rv_flow *task = rv_flow_table_task(table, 0, 5 * (i + 1));
        cr_assert_eq(task ? task->id : 0, ids[i], "at %d", (int)(5 * (i + 1)));
    }
    cr_assert_null(rv_flow_table_task(table, 1, 39));
    cr_assert_not_null(rv_flow_table_task(table, 1, 40));
    rv_flow_table_release(table);
}

Test(tasks_flow_table, steps_beyond_the_most_are_counted)
{
    for (uint64_t i = 0; i < RV_FLOWS_MOST + 3; i++)
        add(RV_STEP_FLOW_BEGIN, i, REQUEST, i, 0);
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    cr_assert_eq(table->n_flows, RV_FLOWS_MOST);
    cr_assert_eq(table->n_more, 3);
    rv_flow_table_release(table);
}
