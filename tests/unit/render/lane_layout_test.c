#include <criterion/criterion.h>
#include <math.h>

#include "base/vec.h"
#include "render/lane_layout.h"

#define ROOM 760.0f
#define HIDDEN_MOST 1.6f /* lanes that a stack hides */

static void make(struct rv_lane_layout *layout, uint32_t n_lanes, uint32_t depth, enum rv_view_mode look)
{
    struct rv_view view = {.from_ns = 0, .to_ns = 1000, .n_lanes = n_lanes};
    view.lanes = rv_alloc(n_lanes, sizeof *view.lanes);
    for (uint32_t i = 0; i < n_lanes; i++)
        view.lanes[i] = (struct rv_view_lane){.lane_idx = i, .max_depth = depth};
    rv_lane_layout_take(layout, &view, rv_view_mode_get(look));
    rv_lane_layout_place(layout, &view, &(struct rv_lane_layout_params){.look = rv_view_mode_get(look), .room = ROOM});
    free(view.lanes);
}

Test(lane_layout, few_lanes_of_a_flat_look_are_spread_over_most_of_the_room, .timeout = 60)
{
    static const struct {
        enum rv_view_mode look;
        uint32_t n_lanes, depth;
    } rows[] = {{RV_VIEW_MODE_FLAME, 3, 2},  {RV_VIEW_MODE_FLAME, 4, 3}, {RV_VIEW_MODE_FLAME, 6, 2},
                {RV_VIEW_MODE_FLAME, 3, 14}, {RV_VIEW_MODE_TOP, 4, 9},   {RV_VIEW_MODE_TOP, 7, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rv_lane_layout layout = {0};
        make(&layout, rows[i].n_lanes, rows[i].depth, rows[i].look);
        const float used = ROOM - layout.lanes[rows[i].n_lanes - 1].y / RV_LANE_LAYOUT_POINT;
        cr_assert_eq(layout.scroll_range[1] - layout.scroll_range[0], 0.0f);
        cr_assert(used >= 0.7f * ROOM && used <= ROOM, "%zu: %g points", i, (double)used);
        rv_lane_layout_fini(&layout);
    }
}

Test(lane_layout, a_stack_hides_not_many_of_the_lanes_behind_it, .timeout = 60)
{
    static const uint32_t counts[] = {4, 12, 24, 60};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct rv_lane_layout layout = {0};
        make(&layout, counts[i], 10, RV_VIEW_MODE_ALIGNED);
        const float pitch = layout.lanes[0].z - layout.lanes[1].z, top = rv_lane_layout_lane_top(&layout.lanes[0]);
        cr_assert(top <= HIDDEN_MOST * pitch, "%u lanes: %g high, %g apart", counts[i], (double)top, (double)pitch);
        rv_lane_layout_fini(&layout);
    }
}

/* A thread that has waited in its calls all the time, besides others that ran. */
static struct rv_lane_layout layout;
static struct rv_view_lane lanes[3];
static struct rv_box boxes[3];
static struct rv_lane_note waited;
static struct rv_view view;

static void show_waiter(uint32_t depth, uint64_t waited_until_ns, enum rv_view_mode look)
{
    view = (struct rv_view){.from_ns = 0,
                            .to_ns = 1000000,
                            .lanes = lanes,
                            .n_lanes = 3,
                            .boxes = boxes,
                            .n_boxes = 3,
                            .notes = &waited,
                            .n_notes = 1};
    waited = (struct rv_lane_note){.end_ns = waited_until_ns, .kind = RV_NOTE_BLOCKED};
    for (uint32_t i = 0; i < 3; i++) {
        boxes[i] = (struct rv_box){.duration_ns = 1000000, .count = 1, .coverage = RV_BOX_EXACT};
        lanes[i] = (struct rv_view_lane){
            .lane_idx = i, .first_box = i, .n_boxes = 1, .n_notes = i == 1, .n_members = 1, .max_depth = depth};
    }
    rv_lane_layout_take(&layout, &view, rv_view_mode_get(look));
    rv_lane_layout_place(&layout, &view, &(struct rv_lane_layout_params){.look = rv_view_mode_get(look), .room = ROOM});
}

static float height_of(uint32_t lane)
{
    return rv_lane_layout_lane_top(&layout.lanes[lane]) / RV_LANE_LAYOUT_POINT;
}

Test(lane_layout, a_lane_that_only_waits_is_low_until_it_runs, .timeout = 60)
{
    static const uint32_t depths[] = {1, 2, 3, 20};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        show_waiter(depths[i], 1000000, RV_VIEW_MODE_FLAME);
        cr_assert_leq(height_of(1), fmaxf(3.0f * 14.0f, 4.0f * (float)depths[i]) + 0.1f, "%u deep: %g points",
                      depths[i], (double)height_of(1));
        cr_assert_lt(height_of(1), 0.7f * height_of(0));
        cr_assert_eq(height_of(2), height_of(0));
        show_waiter(depths[i], 990000, RV_VIEW_MODE_FLAME);
        cr_assert_eq(height_of(1), height_of(0), "it has run");
        show_waiter(depths[i], 1000000, RV_VIEW_MODE_FLAME);
        cr_assert_eq(height_of(1), height_of(0), "it keeps its room");
        rv_lane_layout_fini(&layout);
    }
}

Test(lane_layout, rows_of_one_or_two_calls_that_wait_can_be_read, .timeout = 60)
{
    show_waiter(2, 1000000, RV_VIEW_MODE_FLAME);
    cr_assert_eq(layout.lanes[1].n_rows, 1, "no more than its calls have");
    cr_assert_geq(layout.lanes[1].row_height, 13.9f * RV_LANE_LAYOUT_POINT);
    rv_lane_layout_fini(&layout);
}

Test(lane_layout, lanes_behind_each_other_are_as_before_where_one_waits, .timeout = 60)
{
    show_waiter(2, 1000000, RV_VIEW_MODE_3D);
    cr_assert_eq(layout.lanes[1].n_rows, layout.lanes[0].n_rows);
    cr_assert_float_eq(layout.lanes[1].row_height, layout.lanes[0].row_height, 1e-6f);
    rv_lane_layout_fini(&layout);
}
