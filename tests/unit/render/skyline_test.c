#include "render/skyline.h"

#include <criterion/criterion.h>

#define END_NS 1024u /* a column each */

static struct rv_box boxes[16];
static struct rv_view_lane view_lanes[2];
static struct rv_view view = {.from_ns = 0, .to_ns = END_NS, .boxes = boxes, .lanes = view_lanes, .n_lanes = 2};
static struct rv_lane_layout layout;
static struct rv_camera camera;
static struct rv_skyline skyline;

static void begin(void)
{
    const struct rv_view_mode_params *look = rv_view_mode_get(RV_VIEW_MODE_ALIGNED);
    for (uint32_t i = 0; i < 2; i++)
        view_lanes[i] = (struct rv_view_lane){.lane_idx = i, .max_depth = 12, .n_members = 1};
    rv_lane_layout_take(&layout, &view, look);
    rv_lane_layout_place(&layout, &view, &(struct rv_lane_layout_params){.look = look});
    rv_camera_fit(&camera, &layout,
                  &(struct rv_camera_params){look, 1.0, .width_px = 1024, .height_px = 700, .top_px = 40});
    rv_skyline_begin(&skyline, &layout, &camera, 40.0f * layout.width / END_NS);
}

static void finish(void)
{
    rv_lane_layout_fini(&layout);
}

TestSuite(skyline, .init = begin, .fini = finish, .timeout = 60);

/* In the lane in front. */
static void add(uint64_t start_ns, uint64_t end_ns, uint32_t depth)
{
    boxes[view_lanes[0].n_boxes++] =
        (struct rv_box){.start_ns = start_ns, .duration_ns = end_ns - start_ns, .depth = depth};
}

/* What of 100 .. 200 at this depth of the lane behind is in sight. */
static float narrow(enum rv_skyline_kind kind, uint32_t depth, float part_ns[2])
{
    const struct rv_lane_layout_lane *lane = &layout.lanes[1];
    const float ns = layout.width / END_NS, yz[2] = {rv_lane_layout_row_y(lane, depth), lane->z + lane->half_thickness};
    float left = 100.0f * ns, right = 200.0f * ns;
    rv_skyline_add(&skyline, &view, 0);
    const float share = rv_skyline_narrow(&skyline, kind, yz, &left, &right);
    part_ns[0] = left / ns;
    part_ns[1] = right / ns;
    return share;
}

Test(skyline, what_is_low_hides_nothing)
{
    float part_ns[2];
    add(0, END_NS, 0);
    cr_assert_float_eq(narrow(RV_SKYLINE_OF_ALL, 0, part_ns), 1.0f, 0.001f);
    cr_assert_float_eq(part_ns[0], 100.0f, 0.01f);
    cr_assert_float_eq(part_ns[1], 200.0f, 0.01f);
}

Test(skyline, a_tower_hides_what_is_lower_behind_it)
{
    float part_ns[2];
    add(110, 130, 11);
    (void)narrow(RV_SKYLINE_OF_ALL, 0, part_ns);
    cr_assert_float_eq(part_ns[0], 130.0f, 1.01f);
    cr_assert_float_eq(part_ns[1], 200.0f, 0.01f);
    (void)narrow(RV_SKYLINE_OF_ALL, 11, part_ns);
    cr_assert_float_eq(part_ns[0], 100.0f, 0.01f);
}

Test(skyline, narrow_towers_are_told_from_wide_ones)
{
    float part_ns[2];
    for (uint64_t ns = 100; ns < 160; ns += 10)
        add(ns, ns + 4, 11);
    add(160, 210, 11);
    const float share = narrow(RV_SKYLINE_OF_WIDE, 0, part_ns);
    cr_assert_float_eq(share, 0.6f, 0.05f, "%g", (double)share);
    cr_assert_float_eq(part_ns[0], 100.0f, 0.01f);
    cr_assert_float_eq(part_ns[1], 160.0f, 1.01f);
    cr_assert_float_eq(narrow(RV_SKYLINE_OF_ALL, 0, part_ns), 1.0f, 0.001f);
    cr_assert_float_eq(part_ns[1] - part_ns[0], 6.0f, 1.01f);
}

Test(skyline, what_is_hidden_as_a_whole_has_no_part_in_sight)
{
    float part_ns[2];
    add(0, END_NS, 11);
    cr_assert_eq(narrow(RV_SKYLINE_OF_WIDE, 0, part_ns), 0.0f);
    cr_assert_leq(part_ns[1], part_ns[0]);
}
