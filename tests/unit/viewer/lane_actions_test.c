#include "viewer/lane_actions.h"

#include <criterion/criterion.h>
#include <stdio.h>

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
    static const enum rv_action actions[] = {RV_ACTION_HIDE_LANE,        RV_ACTION_COLLAPSE_LANE,
                                             RV_ACTION_COLLAPSE_PROCESS, RV_ACTION_COLLAPSE_GROUP,
                                             RV_ACTION_PIN_LANE,         RV_ACTION_LANE_BACK};
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

/* The view that is made for the viewer, with one lane a row. */
static void look(struct rv_view *view)
{
    struct rv_view_params params = {.to_ns = 1000, .width_px = 100, .lane_order = &viewer.lane_order};
    rv_viewer_apply(&viewer, &params);
    rv_view_update(view, viewer.lanes, &params);
    viewer.view = view;
}

static bool has_lane(const struct rv_view *view, uint32_t lane_idx)
{
    bool is_there = false;
    for (size_t i = 0; i < view->n_lanes; i++)
        is_there |= view->lanes[i].lane_idx == lane_idx;
    return is_there;
}

/* The next picture, drawn. */
static void draw(struct rv_view *view)
{
    look(view);
    rv_viewer_drawn_rows(&viewer, viewer.look.row_scale);
}

Test(lane_actions, a_lane_of_a_collapsed_process_is_scrolled_to_once_it_is_drawn)
{
    enum { N = 100, AT = 80 };
    struct rv_view view = {0};
    for (uint32_t i = 4; i < N; i++)
        rv_lanes_add(viewer.lanes, &(struct rv_lane_identity){
                                       .pid = 11, .tid = i, .thread = i, .process_key = 11, .process_name = "prog"});
    rv_lane_choices_update(&viewer.lane_order, viewer.lanes);
    for (enum rv_view_mode mode = RV_VIEW_MODE_3D; mode <= RV_VIEW_MODE_FLAME; mode++) {
        viewer.look.shown = mode;
        act(RV_ACTION_COLLAPSE_ALL, 0);
        draw(&view);
        cr_assert_eq(view.n_lanes, 2);
        act(RV_ACTION_SHOW_LANE, AT + 1);
        rv_viewer_drawn_rows(&viewer, viewer.look.row_scale);
        cr_assert(viewer.look.awaited.is_on, "the picture before");
        for (unsigned i = 0; i < 3 && viewer.look.awaited.is_on; i++)
            draw(&view);
        cr_assert(has_lane(&view, AT) && !viewer.look.awaited.is_on, "view %d", (int)mode);
    }
    act(RV_ACTION_COLLAPSE_ALL, 0);
    draw(&view);
    act(RV_ACTION_SHOW_LANE, AT + 1);
    act(RV_ACTION_COLLAPSE_ALL, 0);
    draw(&view);
    cr_assert_not(viewer.look.awaited.is_on, "it does not come any more");
    rv_view_fini(&view);
}

Test(lane_actions, of_too_many_lanes_behind_each_other_all_can_be_gone_to)
{
    enum { N = 60 };
    const uint32_t most = rv_view_mode_get(RV_VIEW_MODE_3D)->most_lanes;
    struct rv_view view = {0};
    for (uint32_t i = 4; i < N; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%c%c", 'a' + (int)(i % 26), 'a' + (int)(i / 26));
        rv_lanes_add(viewer.lanes, &(struct rv_lane_identity){
                                       .pid = 10, .tid = i, .process_key = 10, .process_name = "prog", .name = name});
    }
    rv_lane_choices_update(&viewer.lane_order, viewer.lanes);
    viewer.look.shown = RV_VIEW_MODE_3D;
    look(&view);
    cr_assert_eq(view.n_lanes, most);
    cr_assert_eq(view.n_behind, N - most);
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_PAGE_DOWN});
    look(&view);
    cr_assert_eq(view.n_in_front, N - most, "as far as there are lanes");
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_SCROLL, .amount = -36.0});
    look(&view);
    cr_assert_eq(view.n_behind, 3);
    for (uint32_t i = 0; i < N; i++) {
        act(RV_ACTION_SHOW_LANE, i + 1);
        look(&view);
        cr_assert(has_lane(&view, i), "lane %u", i);
    }
    viewer.look.shown = RV_VIEW_MODE_FLAME;
    look(&view);
    cr_assert_eq(view.n_lanes, N, "those below each other are scrolled");
    rv_view_fini(&view);
}
