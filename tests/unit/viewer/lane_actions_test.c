#include "viewer/lane_actions.h"

#include <criterion/criterion.h>

#include "viewer/calls_view.h"
#include "viewer/tasks_view.h"

static struct rv_viewer viewer;

static void begin(void)
{
    struct rv_lanes *lanes = rv_lanes_create();
    for (uint32_t i = 0; i < 4; i++)
        rv_lanes_add(lanes, &(struct rv_lane_identity){
                                .pid = 10 + i / 2, .tid = i, .process_key = 10 + i / 2, .process_name = "prog"});
    viewer = (struct rv_viewer){.lanes = lanes};
    rv_lane_choices_update(&viewer.lane_order, lanes);
}

static void finish(void)
{
    rv_lane_choices_fini(&viewer.lane_order);
    rv_lanes_destroy(viewer.lanes);
}

TestSuite(lane_actions, .init = begin, .fini = finish, .timeout = 60);

static size_t n_shown(void)
{
    uint32_t shown[4];
    return rv_lane_choices_list(&viewer.lane_order, shown);
}

static void act(enum rv_action action, uint32_t idx)
{
    rv_viewer_lanes_act(&viewer, &(struct rv_act){.action = action, .idx = idx});
}

Test(lane_actions, a_group_and_all_processes_are_collapsed_and_expanded)
{
    act(RV_ACTION_COLLAPSE_GROUP, 4);
    cr_assert_eq(n_shown(), 3);
    cr_assert(viewer.is_touched);
    act(RV_ACTION_COLLAPSE_ALL, 0);
    cr_assert_eq(n_shown(), 2);
    act(RV_ACTION_COLLAPSE_GROUP, 1);
    cr_assert_eq(n_shown(), 3);
    act(RV_ACTION_SHOW_ALL_LANES, 0);
    cr_assert_eq(n_shown(), 4);
}

Test(lane_actions, a_lane_of_a_collapsed_process_is_gone_to)
{
    act(RV_ACTION_COLLAPSE_ALL, 0);
    act(RV_ACTION_SHOW_LANE, 4);
    cr_assert_eq(n_shown(), 3);
    act(RV_ACTION_HIDE_LANE, 4);
    cr_assert_eq(n_shown(), 2);
}

Test(lane_actions, without_a_cursor_the_pinned_calls_thread_is_meant)
{
    act(RV_ACTION_HIDE_LANE, 0);
    cr_assert_eq(n_shown(), 4);
    viewer.pointer.hover.is_pinned = true;
    viewer.pointer.hover.lane_idx = 2;
    act(RV_ACTION_HIDE_LANE, 0);
    cr_assert_eq(n_shown(), 3);
    cr_assert(viewer.lane_order.lanes[2].is_hidden);
}

Test(lane_actions, are_nothing_to_rows_of_calls_and_of_tasks)
{
    static const enum rv_action actions[] = {RV_ACTION_HIDE_LANE,      RV_ACTION_COLLAPSE_LANE,
                                             RV_ACTION_COLLAPSE_PROCESS, RV_ACTION_COLLAPSE_GROUP,
                                             RV_ACTION_PIN_LANE,       RV_ACTION_LANE_BACK};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const struct rv_act on_lane = {.action = actions[i], .idx = 1};
        viewer.look.shown = RV_VIEW_MODE_CALLS;
        cr_assert(rv_viewer_calls_view_act(&viewer, &on_lane), "action %zu", i);
        viewer.look.shown = RV_VIEW_MODE_TASKS;
        cr_assert(rv_viewer_tasks_view_act(&viewer, &on_lane), "action %zu", i);
        cr_assert_eq(n_shown(), 4);
    }
    const struct rv_act show_all = {.action = RV_ACTION_SHOW_ALL_LANES};
    cr_assert_not(rv_viewer_tasks_view_act(&viewer, &show_all));
}
