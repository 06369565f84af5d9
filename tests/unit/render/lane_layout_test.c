#include <criterion/criterion.h>

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
        cr_assert_eq(layout.scroll_max, 0.0f);
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
