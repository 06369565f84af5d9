#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "render/camera.h"

#define ROOM 800.0f
#define FROM_NS 18000000000000u
#define TO_NS (FROM_NS + 10000u)

static float scroll, row_scale; /* of the stages made */

/* depths: one lane each, ended by 0. */
static void make_stage(struct rv_lane_layout *layout, const uint32_t *depths, enum rv_view_mode look)
{
    struct rv_view view = {.from_ns = FROM_NS, .to_ns = TO_NS};
    while (depths[view.n_lanes])
        view.n_lanes++;
    view.lanes = rv_alloc(view.n_lanes, sizeof *view.lanes);
    for (uint32_t i = 0; i < view.n_lanes; i++) {
        view.lanes[i].lane_idx = i;
        view.lanes[i].max_depth = depths[i];
    }
    rv_lane_layout_take(layout, &view, rv_view_mode_get(look));
    rv_lane_layout_place(layout, &view,
                         &(struct rv_lane_layout_params){
                             .look = rv_view_mode_get(look), .room = ROOM, .scroll = scroll, .row_scale = row_scale});
    free(view.lanes);
}

static const uint32_t depth_sets[][9] = {
    {1, 0}, {16, 0}, {3, 14, 15, 15, 14, 12, 4, 0}, {100000, 2, 0}, {1, 1, 1, 1, 1, 1, 1, 200, 0},
};
static const struct rv_camera_params params_sets[] = {{NULL, 1.0, 1600, 900, 128, 40, 64, 30},
                                                      {NULL, 1.0, 640, 360, 100, 20, 50, 20},
                                                      {NULL, 1.0, 500, 1400, 100, 20, 50, 20},
                                                      {NULL, 1.0, 3000, 500, 100, 20, 50, 20}};

#define N_DEPTHS (sizeof depth_sets / sizeof *depth_sets)
#define N_PARAMS (sizeof params_sets / sizeof *params_sets)

static void assert_inside(const struct rv_camera *camera, const struct rv_camera_params *params, const vec3 point)
{
    vec2 px;
    cr_assert(rv_camera_project(camera, point, px));
    cr_assert(px[0] >= params->left_px - 0.5f && px[0] <= (float)params->width_px - params->right_px + 0.5f, "x %g",
              (double)px[0]);
    cr_assert(px[1] >= params->top_px - 0.5f && px[1] <= (float)params->height_px - params->bottom_px + 0.5f, "y %g",
              (double)px[1]);
}

static void fit(struct rv_camera *camera, const struct rv_lane_layout *layout, enum rv_view_mode look)
{
    struct rv_camera_params params = params_sets[0];
    params.look = rv_view_mode_get(look);
    rv_camera_fit(camera, layout, &params);
}

Test(camera, every_corner_of_every_lane_is_inside_the_margins, .timeout = 60)
{
    for (size_t i = 0; i < N_DEPTHS; i++)
        for (size_t k = 0; k < 2 * N_PARAMS; k++) {
            size_t j = k / 2;
            enum rv_view_mode look = k % 2 ? RV_VIEW_MODE_3D : RV_VIEW_MODE_ALIGNED;
            struct rv_lane_layout layout = {0};
            struct rv_camera camera;
            make_stage(&layout, depth_sets[i], look);
            struct rv_camera_params params = params_sets[j];
            params.look = rv_view_mode_get(look);
            rv_camera_fit(&camera, &layout, &params);
            for (size_t lane = 0; lane < layout.n_lanes; lane++)
                for (int corner = 0; corner < 4; corner++) {
                    float z = layout.lanes[lane].z + layout.lanes[lane].half_thickness;
                    vec3 point = {corner & 1 ? layout.width : 0.0f,
                                  corner & 2 ? rv_lane_layout_lane_top(&layout.lanes[lane]) : 0.0f, z};
                    assert_inside(&camera, &params_sets[j], point);
                }
            rv_lane_layout_fini(&layout);
        }
}

Test(camera, the_time_under_a_projected_point_is_its_time, .timeout = 60)
{
    for (size_t i = 0; i < N_DEPTHS * RV_VIEW_MODE_COUNT; i++) {
        struct rv_lane_layout layout = {0};
        struct rv_camera camera;
        enum rv_view_mode look = (enum rv_view_mode)(i % RV_VIEW_MODE_COUNT);
        make_stage(&layout, depth_sets[i / RV_VIEW_MODE_COUNT], look);
        fit(&camera, &layout, look);
        const struct rv_lane_layout_lane *front = &layout.lanes[0];
        for (uint64_t time_ns = FROM_NS; time_ns <= TO_NS; time_ns += 500) {
            vec3 point = {(float)rv_lane_layout_x(&layout, time_ns), front->y + 0.5f * rv_lane_layout_lane_top(front),
                          front->z + front->half_thickness};
            vec2 px;
            cr_assert(rv_camera_project(&camera, point, px));
            double x = rv_camera_x_at(&camera, &layout, (double)px[0], (double)px[1]);
            double off_px = fabs(x - (double)point[0]) / (double)layout.width * 1600.0;
            cr_assert_lt(off_px, 1.0, "set %zu: %g px off", i, off_px);
        }
        rv_lane_layout_fini(&layout);
    }
}

Test(camera, its_matrix_agrees_with_its_projection, .timeout = 60)
{
    struct rv_lane_layout layout = {0};
    struct rv_camera camera;
    make_stage(&layout, depth_sets[2], RV_VIEW_MODE_3D);
    fit(&camera, &layout, RV_VIEW_MODE_3D);
    for (float x = 0.0f; x <= layout.width; x += 2.0f)
        for (size_t lane = 0; lane < layout.n_lanes; lane++) {
            vec4 clip, point = {x, 1.0f, layout.lanes[lane].z, 1.0f};
            vec2 px;
            glm_mat4_mulv(camera.view_projection, point, clip);
            cr_assert(rv_camera_project(&camera, point, px));
            cr_assert_float_eq((double)px[0], (double)((clip[0] / clip[3] + 1.0f) * 800.0f), 0.05);
            cr_assert_float_eq((double)px[1], (double)((1.0f - clip[1] / clip[3]) * 450.0f), 0.05);
            cr_assert(fabsf(clip[2]) < clip[3], "outside the clip range");
        }
    rv_lane_layout_fini(&layout);
}

Test(camera, an_instant_is_one_vertical_line_but_in_perspective, .timeout = 60)
{
    for (int look = RV_VIEW_MODE_ALIGNED; look < RV_VIEW_MODE_COUNT; look++) {
        struct rv_lane_layout layout = {0};
        struct rv_camera camera;
        if (rv_view_mode_get((enum rv_view_mode)look)->field_of_view > 0.0f)
            continue;
        make_stage(&layout, depth_sets[2], (enum rv_view_mode)look);
        fit(&camera, &layout, (enum rv_view_mode)look);
        vec2 first, px;
        for (size_t lane = 0; lane < layout.n_lanes; lane++) {
            vec3 point = {10.0f, layout.lanes[lane].y, layout.lanes[lane].z};
            cr_assert(rv_camera_project(&camera, point, lane ? px : first));
            cr_assert(lane == 0 || fabsf(px[0] - first[0]) < 0.01f, "%s",
                      rv_view_mode_get((enum rv_view_mode)look)->name);
        }
        rv_lane_layout_fini(&layout);
    }
}

Test(lane_layout, flat_lanes_are_stacked_on_whole_points_inside_the_room, .timeout = 60)
{
    for (int look = RV_VIEW_MODE_FLAME; look <= RV_VIEW_MODE_TOP; look++) {
        struct rv_lane_layout layout = {0};
        make_stage(&layout, (const uint32_t[]){5, 3, 12, 4, 0}, (enum rv_view_mode)look);
        for (size_t i = 0; i < layout.n_lanes; i++) {
            const struct rv_lane_layout_lane *lane = &layout.lanes[i];
            float y = lane->y / RV_LANE_LAYOUT_POINT, row = lane->row_height / RV_LANE_LAYOUT_POINT;
            cr_assert(row >= 14.0f && fabsf(y - roundf(y)) < 1e-3f && fabsf(row - roundf(row)) < 1e-3f);
            cr_assert(lane->y >= 0.0f && lane->y + rv_lane_layout_lane_top(lane) <= ROOM * RV_LANE_LAYOUT_POINT);
            cr_assert(i == 0 || lane->y + rv_lane_layout_lane_top(lane) < layout.lanes[i - 1].y);
        }
        rv_lane_layout_fini(&layout);
    }
}

Test(lane_layout, lanes_that_do_not_fit_are_scrolled, .timeout = 60)
{
    struct rv_lane_layout layout = {0};
    make_stage(&layout, (const uint32_t[]){40, 40, 0}, RV_VIEW_MODE_FLAME);
    cr_assert_gt(layout.scroll_range[1], 300.0f);
    cr_assert_lt(layout.lanes[1].y, 0.0f);
    scroll = 1e9f;
    make_stage(&layout, (const uint32_t[]){40, 40, 0}, RV_VIEW_MODE_FLAME);
    cr_assert_float_eq((double)layout.lanes[1].y, 8.0 * (double)RV_LANE_LAYOUT_POINT, 1e-3,
                       "its states are out of sight");
    scroll = 0.0f;
    rv_lane_layout_fini(&layout);
}

static void check_calls(size_t n, uint32_t n_rows)
{
    struct rv_lane_layout layout = {0};
    uint32_t *depths = rv_alloc(n + 1, sizeof *depths);
    for (size_t i = 0; i < n; i++)
        depths[i] = n_rows;
    make_stage(&layout, depths, RV_VIEW_MODE_CALLS);
    for (size_t i = 1; i < n; i++) {
        const struct rv_lane_layout_lane *lane = &layout.lanes[i], *before = lane - 1;
        cr_assert(before->z - before->half_thickness >= lane->z + lane->half_thickness - 1e-4f, "call %zu of %zu", i,
                  n);
        cr_assert_eq(lane->row_height, before->row_height);
        cr_assert(lane->half_thickness > 0.0f);
    }
    cr_assert(n < 2 || layout.lanes[0].z - layout.lanes[1].z > 2.0f * layout.lanes[0].half_thickness,
              "the first call hides the second");
    cr_assert(layout.z_front - layout.z_back < 45.0f);
    free(depths);
    rv_lane_layout_fini(&layout);
}

Test(lane_layout, calls_stand_behind_each_other_the_first_ones_apart, .timeout = 60)
{
    static const size_t numbers[] = {1, 2, 5, 30, 400, 1000};
    static const uint32_t rows[] = {1, 3, 12, 60, 4096};
    for (size_t i = 0; i < 30; i++)
        check_calls(numbers[i % 6], rows[i / 6]);
}

Test(lane_layout, halfway_between_two_looks_is_halfway, .timeout = 60)
{
    struct rv_lane_layout from = {0}, to = {0};
    make_stage(&from, (const uint32_t[]){5, 3, 0}, RV_VIEW_MODE_3D);
    make_stage(&to, (const uint32_t[]){5, 3, 0}, RV_VIEW_MODE_FLAME);
    float middle = 0.5f * (from.lanes[1].y + to.lanes[1].y), end = to.lanes[1].z;
    rv_lane_layout_mix(&to, &from, 0.5f);
    cr_assert_float_eq((double)to.lanes[1].y, (double)middle, 1e-4);
    rv_lane_layout_mix(&to, &from, 0.0f);
    cr_assert_eq(to.lanes[1].z, from.lanes[1].z);
    cr_assert_neq(to.lanes[1].z, end);
    rv_lane_layout_fini(&from);
    rv_lane_layout_fini(&to);
}

Test(lane_layout, rows_keep_their_height_while_depths_vary, .timeout = 60)
{
    struct rv_lane_layout layout = {0};
    make_stage(&layout, (const uint32_t[]){4, 20, 0}, RV_VIEW_MODE_3D);
    float height = layout.lanes[1].row_height, z = layout.lanes[1].z;
    make_stage(&layout, (const uint32_t[]){2, 9, 0}, RV_VIEW_MODE_3D);
    cr_assert_eq(layout.lanes[1].row_height, height);
    cr_assert_eq(layout.lanes[1].z, z);
    make_stage(&layout, (const uint32_t[]){2, 24, 0}, RV_VIEW_MODE_3D);
    cr_assert_eq(layout.lanes[1].row_height, height);
    rv_lane_layout_fini(&layout);
}

Test(lane_layout, places_are_proportional_to_times, .timeout = 60)
{
    struct rv_lane_layout layout = {0};
    make_stage(&layout, (const uint32_t[]){4, 0}, RV_VIEW_MODE_3D);
    for (uint64_t time_ns = FROM_NS - 3000; time_ns < TO_NS + 3000; time_ns += 97) {
        double passed_ns = rv_lane_layout_x(&layout, time_ns) / (double)layout.width * (double)(TO_NS - FROM_NS);
        double off_ns = passed_ns - ((double)time_ns - (double)FROM_NS);
        cr_assert(off_ns >= -1.0 && off_ns <= 1.0, "off by %g ns", off_ns);
    }
    rv_lane_layout_fini(&layout);
}

Test(camera, a_lane_deeper_than_a_flat_view_is_fitted_until_its_rows_are_scaled, .timeout = 60)
{
    const uint32_t depths[] = {5000, 3, 0};
    struct rv_lane_layout layout = {0};
    make_stage(&layout, depths, RV_VIEW_MODE_FLAME);
    cr_assert_float_eq(layout.scroll_range[1], 0.0f, 1e-3f, "all is in sight");
    cr_assert_lt(rv_lane_layout_lane_top(&layout.lanes[0]), 0.75f * ROOM * RV_LANE_LAYOUT_POINT);
    cr_assert_geq(layout.lanes[1].row_height, 14.0f * RV_LANE_LAYOUT_POINT, "the other one's rows can be read");
    row_scale = 500.0f;
    make_stage(&layout, depths, RV_VIEW_MODE_FLAME);
    cr_assert_gt(layout.lanes[0].row_height, 14.0f * RV_LANE_LAYOUT_POINT);
    cr_assert_gt(layout.scroll_range[1] - layout.scroll_range[0], 5000 * 14.0f);
    scroll = layout.scroll_range[1];
    make_stage(&layout, depths, RV_VIEW_MODE_FLAME);
    cr_assert_geq(layout.lanes[1].y, -1e-3f, "scrolled down, the last lane is in sight");
    row_scale = scroll = 0.0f;
    rv_lane_layout_fini(&layout);
}

/* Points of a lane's foot above the lower edge of what is in sight. */
static float foot(const struct rv_lane_layout *layout, size_t lane)
{
    return layout->lanes[lane].y / RV_LANE_LAYOUT_POINT;
}

Test(camera, a_deep_lane_has_rows_that_can_be_read_and_its_foot_in_sight, .timeout = 60)
{
    struct rv_lane_layout layout = {0};
    const uint32_t *const depths[] = {(const uint32_t[]){90, 0}, (const uint32_t[]){90, 3, 0}};
    for (size_t i = 0; i < 2; i++) {
        make_stage(&layout, depths[i], RV_VIEW_MODE_FLAME);
        cr_assert_geq(layout.lanes[0].row_height, 14.0f * RV_LANE_LAYOUT_POINT);
        cr_assert(foot(&layout, 0) >= 0.0f && foot(&layout, 0) < 14.0f, "%g", (double)foot(&layout, 0));
        const float *range = layout.scroll_range;
        cr_assert_float_eq((double)(range[0] + 90.0f * 14.0f - ROOM), 0.0, 40.0, "up to its tips: %g",
                           (double)range[0]);
        cr_assert((range[1] > 0.0f) == (i == 1), "down to the next lane");
        scroll = -1e9f;
        make_stage(&layout, depths[i], RV_VIEW_MODE_FLAME);
        cr_assert_leq(layout.lanes[0].y + rv_lane_layout_lane_top(&layout.lanes[0]), layout.top + 1e-3f);
        scroll = 0.0f;
    }
    rv_lane_layout_fini(&layout);
}

Test(camera, a_stage_without_height_is_in_the_middle, .timeout = 60)
{
    const struct rv_lane_layout layout = {.width = RV_LANE_LAYOUT_WIDTH, .z_back = -1.0f};
    struct rv_view_mode_params look = *rv_view_mode_get(RV_VIEW_MODE_ALIGNED);
    look.elevation = 0.0f;
    struct rv_camera_params params = params_sets[0];
    params.look = &look;
    struct rv_camera camera;
    rv_camera_fit(&camera, &layout, &params);
    assert_inside(&camera, &params, (vec3){0.5f * layout.width, 0.0f, 0.0f});
}
