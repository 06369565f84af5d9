#include "viewer/call_cursor.h"

#include <criterion/criterion.h>
#include <string.h>

#define EXACT 65535u

/* Two threads; of the first, a call that makes two others, the second of which makes some that are folded; a third. */
static struct rv_box boxes[] = {
    {.start_ns = 1000, .duration_ns = 800, .id = 1, .count = 1, .coverage = EXACT},
    {.start_ns = 1000, .duration_ns = 200, .id = 2, .count = 1, .depth = 1, .coverage = EXACT},
    {.start_ns = 1280, .duration_ns = 100, .id = 4, .count = 17, .depth = 2, .coverage = 30000},
    {.start_ns = 1300, .duration_ns = 400, .id = 3, .count = 1, .depth = 1, .coverage = EXACT},
    {.start_ns = 1900, .duration_ns = 100, .id = 1, .count = 1, .coverage = EXACT},
    {.start_ns = 500, .duration_ns = 2000, .id = 5, .count = 1, .coverage = EXACT},
    {.start_ns = 1350, .duration_ns = 1000, .id = 6, .count = 1, .depth = 1, .coverage = EXACT},
};
static struct rv_view_lane lanes[] = {{.lane_idx = 4, .n_boxes = 5, .name = "front", .n_members = 1},
                                      {.lane_idx = 9, .first_box = 5, .name = "idle", .n_members = 1},
                                      {.lane_idx = 7, .first_box = 5, .n_boxes = 2, .name = "back", .n_members = 1}};
static struct rv_view view = {
    .from_ns = 900, .to_ns = 2200, .is_made = true, .lanes = lanes, .n_lanes = 3, .boxes = boxes, .n_boxes = 7};
static struct rv_viewer viewer;

static void press(enum rv_action action)
{
    viewer.view = &view;
    cr_assert(rv_viewer_call_cursor_act(&viewer, &(struct rv_act){.action = action}));
}

static uint32_t pinned(void)
{
    cr_assert(viewer.pointer.hover.is_pinned);
    return viewer.pointer.hover.box_idx;
}

TestSuite(call_cursor, .timeout = 60);

Test(call_cursor, with_none_pinned_the_call_in_the_middle_of_the_first_thread_is)
{
    press(RV_ACTION_PIN_CALLER);
    cr_assert_eq(pinned(), 0);
    cr_assert_eq(viewer.pointer.hover.lane_idx, 4);
}

Test(call_cursor, it_goes_to_callees_and_callers_and_along_their_row)
{
    static const struct {
        enum rv_action action;
        uint32_t box;
    } steps[] = {{RV_ACTION_PIN_NEXT, 0},     {RV_ACTION_PIN_CALLEE, 3},  {RV_ACTION_PIN_CALLEE, 2},
                 {RV_ACTION_PIN_CALLEE, 2},   {RV_ACTION_PIN_CALLER, 3},  {RV_ACTION_PIN_PREVIOUS, 1},
                 {RV_ACTION_PIN_PREVIOUS, 1}, {RV_ACTION_PIN_NEXT, 3},    {RV_ACTION_PIN_CALLER, 0},
                 {RV_ACTION_PIN_CALLER, 0},   {RV_ACTION_PIN_NEXT, 4},    {RV_ACTION_PIN_NEXT, 4},
                 {RV_ACTION_PIN_CALLEE, 4},   {RV_ACTION_PIN_PREVIOUS, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        press(steps[i].action);
        cr_assert_eq(pinned(), steps[i].box, "step %zu: box %u", i, pinned());
    }
}

Test(call_cursor, it_goes_to_other_threads_at_that_time_over_those_without_calls)
{
    press(RV_ACTION_PIN_CALLEE);
    press(RV_ACTION_PIN_CALLEE);
    cr_assert_eq(pinned(), 3);
    press(RV_ACTION_PIN_BEHIND);
    cr_assert_eq(pinned(), 6);
    cr_assert_eq(viewer.pointer.hover.lane_idx, 7);
    press(RV_ACTION_PIN_BEHIND);
    cr_assert_eq(pinned(), 6, "there is none behind");
    press(RV_ACTION_PIN_IN_FRONT);
    cr_assert_eq(pinned(), 0, "at the middle of what is in view of it there is no deeper one");
    press(RV_ACTION_PIN_IN_FRONT);
    cr_assert_eq(pinned(), 0);
}

Test(call_cursor, a_pinned_call_that_is_not_in_view_comes_back_into_it)
{
    viewer.lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(viewer.lanes, &(struct rv_lane_identity){.pid = 1});
    rv_pointer_pin_box(&viewer.pointer,
                       &(struct rv_box){.start_ns = 90000, .duration_ns = 50, .id = 8, .count = 1, .coverage = EXACT},
                       lane);
    rv_time_window_set(&viewer.time_window, view.from_ns, view.to_ns);
    press(RV_ACTION_PIN_NEXT);
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer.time_window, &from_ns, &to_ns);
    cr_assert(from_ns <= 90000 && to_ns >= 90050);
    cr_assert_eq(viewer.pointer.hover.box.id, 8);
    rv_lanes_destroy(viewer.lanes);
}

Test(call_cursor, where_the_window_ends_it_moves_on_and_the_next_press_finds_the_call)
{
    viewer.live_edge.first_ns = 500;
    viewer.live_edge.last_ns = 4000;
    rv_time_window_set(&viewer.time_window, view.from_ns, view.to_ns);
    press(RV_ACTION_PIN_CALLER);
    press(RV_ACTION_PIN_NEXT);
    cr_assert_eq(pinned(), 4);
    press(RV_ACTION_PIN_NEXT);
    cr_assert_eq(pinned(), 4);
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer.time_window, &from_ns, &to_ns);
    cr_assert_eq(from_ns, view.from_ns + (view.to_ns - view.from_ns) / 2);
    press(RV_ACTION_PIN_NEXT);
    rv_time_window_get(&viewer.time_window, &from_ns, &to_ns);
    cr_assert_eq(from_ns, view.from_ns + (view.to_ns - view.from_ns) / 2, "not again before the next picture");
    struct rv_box later[] = {{.start_ns = 3000, .duration_ns = 100, .id = 9, .count = 1, .coverage = EXACT}};
    struct rv_view_lane lane = {.lane_idx = 4, .n_boxes = 1, .name = "front", .n_members = 1};
    struct rv_view next = {
        .from_ns = 2500, .to_ns = 3800, .is_made = true, .lanes = &lane, .n_lanes = 1, .boxes = later, .n_boxes = 1};
    viewer.view = &next;
    (void)rv_viewer_call_cursor_act(&viewer, &(struct rv_act){.action = RV_ACTION_PIN_NEXT});
    cr_assert_eq(viewer.pointer.hover.box.id, 9, "what is left behind is gone on from");
}

/* A picture of these lanes, each with a call. */
static void show_lanes(struct rv_view *page, uint32_t first_lane, uint32_t most)
{
    rv_view_update(page, viewer.lanes,
                   &(struct rv_view_params){.to_ns = 3000,
                                            .width_px = 100,
                                            .most_lanes = most,
                                            .first_lane = first_lane,
                                            .lane_order = &viewer.lane_order});
    viewer.view = page;
}

Test(call_cursor, behind_the_last_lane_shown_it_turns_the_page_and_the_next_press_finds_the_call)
{
    enum { N_LANES = 150, MOST = 48, KEPT = 70 };
    viewer.lanes = rv_lanes_create();
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_lane *lane = rv_lanes_add(
            viewer.lanes, &(struct rv_lane_identity){.pid = 1, .tid = 1 + i, .thread = i, .process_key = 1});
        const struct rv_span span = {.start = 1000, .end = 1500, .id = 1};
        rv_timeline_add(lane->timeline, &span, 1);
    }
    rv_lane_choices_update(&viewer.lane_order, viewer.lanes);
    rv_lane_choices_show_all(&viewer.lane_order);
    rv_lane_choices_toggle_pinned(&viewer.lane_order, KEPT);
    bool is_seen[N_LANES] = {false};
    struct rv_view page = {0};
    for (int direction = RV_ACTION_PIN_BEHIND; direction >= RV_ACTION_PIN_IN_FRONT; direction--) {
        const uint32_t last = direction == RV_ACTION_PIN_BEHIND ? N_LANES - 1 : KEPT;
        memset(is_seen, 0, sizeof is_seen);
        is_seen[N_LANES - 1] = direction == RV_ACTION_PIN_IN_FRONT; /* from there */
        for (uint32_t presses = 0; presses < 2 * N_LANES; presses++) {
            show_lanes(&page, (uint32_t)viewer.look.first_lane, MOST);
            (void)rv_viewer_call_cursor_act(&viewer, &(struct rv_act){.action = (enum rv_action)direction});
            is_seen[viewer.pointer.hover.lane_idx] = true;
        }
        cr_assert_eq(viewer.pointer.hover.lane_idx, last, "direction %d, lane %u", direction,
                     viewer.pointer.hover.lane_idx);
        for (uint32_t i = 0; i < N_LANES; i++)
            cr_assert(is_seen[i], "lane %u is skipped", i);
    }
    rv_view_fini(&page);
    rv_lane_choices_fini(&viewer.lane_order);
    rv_lanes_destroy(viewer.lanes);
}

Test(call_cursor, other_actions_are_not_its)
{
    cr_assert_not(rv_viewer_call_cursor_act(&viewer, &(struct rv_act){.action = RV_ACTION_PIN}));
    cr_assert_not(rv_viewer_call_cursor_act(&viewer, &(struct rv_act){.action = RV_ACTION_MENU}));
    cr_assert(rv_viewer_call_cursor_act(&viewer, &(struct rv_act){.action = RV_ACTION_PIN_CALLER}),
              "without a picture");
    cr_assert_not(viewer.pointer.hover.is_pinned);
}
