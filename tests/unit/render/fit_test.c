#include <criterion/criterion.h>

#include "base/vec.h"
#include "render/fit.h"

#define SLACK_PX 1.0f
#define FILLED 0.88f /* of the room, since sizes go in steps of a twelfth */

struct stage {
    struct rv_lane_layout layout;
    struct rv_camera camera;
    struct rv_camera_params params;
};

static void make(struct stage *stage, uint32_t n_lanes, uint32_t depth)
{
    struct rv_view view = {.from_ns = 0, .to_ns = 1000, .n_lanes = n_lanes};
    view.lanes = rv_alloc(n_lanes, sizeof *view.lanes);
    for (uint32_t i = 0; i < n_lanes; i++)
        view.lanes[i] = (struct rv_view_lane){.lane_idx = i, .max_depth = depth};
    rv_fit_lanes(&stage->layout, &stage->camera, &view, &(struct rv_lane_layout_params){.look = stage->params.look},
                 &stage->params);
    free(view.lanes);
}

static struct rv_camera_params window(enum rv_view_mode look, int width_px, int height_px)
{
    return (struct rv_camera_params){.look = rv_view_mode_get(look),
                                     .scale = 1.0,
                                     .width_px = width_px,
                                     .height_px = height_px,
                                     .left_px = 130,
                                     .right_px = 268,
                                     .top_px = 62,
                                     .bottom_px = 110};
}

struct area {
    float left, right, top, bottom;
};

static void add_point(struct area *area, const struct rv_camera *camera, const vec3 point)
{
    vec2 px;
    cr_assert(rv_camera_project(camera, point, px));
    area->left = fminf(area->left, px[0]);
    area->right = fmaxf(area->right, px[0]);
    area->top = fminf(area->top, px[1]);
    area->bottom = fmaxf(area->bottom, px[1]);
}

/* What the floor and the lanes on it take of the window. */
static struct area seen(const struct stage *stage)
{
    struct area area = {1e9f, -1e9f, 1e9f, -1e9f};
    for (size_t i = 0; i < stage->layout.n_lanes; i++) {
        const struct rv_lane_layout_lane *lane = &stage->layout.lanes[i];
        for (int corner = 0; corner < 8; corner++)
            add_point(&area, &stage->camera,
                      (vec3){corner & 1 ? stage->layout.width : 0.0f, corner & 2 ? rv_lane_layout_lane_top(lane) : 0.0f,
                             lane->z + (corner & 4 ? lane->half_thickness : -lane->half_thickness)});
    }
    add_point(&area, &stage->camera, (vec3){0.0f, 0.0f, stage->layout.z_front + 0.75f});
    add_point(&area, &stage->camera, (vec3){stage->layout.width + 1.3f, 0.0f, stage->layout.z_front + 0.375f});
    add_point(&area, &stage->camera, (vec3){0.0f, 0.55f * stage->layout.top, stage->layout.z_back});
    return area;
}

Test(fit, few_and_many_shallow_and_deep_lanes_fill_the_room, .timeout = 60)
{
    static const struct {
        uint32_t n_lanes, depth;
    } rows[] = {{1, 8}, {1, 40}, {1, 5000}, {2, 10}, {4, 5}, {4, 20}, {8, 12}, {16, 3}, {16, 20}, {130, 1}, {130, 12}};
    static const int sizes[][2] = {{1280, 720}, {1600, 900}, {1920, 1080}, {3840, 2160}};
    for (size_t i = 0; i < 2 * 4 * sizeof rows / sizeof *rows; i++) {
        const int *size = sizes[i / 2 % 4];
        struct stage stage = {.params = window(i % 2 ? RV_VIEW_MODE_ALIGNED : RV_VIEW_MODE_3D, size[0], size[1])};
        make(&stage, rows[i / 8].n_lanes, rows[i / 8].depth);
        const struct rv_camera_params *params = &stage.params;
        const struct area area = seen(&stage);
        const float width = (float)params->width_px - params->left_px - params->right_px;
        const float height = (float)params->height_px - params->top_px - params->bottom_px;
        cr_expect(area.right - area.left >= FILLED * width && area.right - area.left <= width + SLACK_PX &&
                      area.bottom - area.top >= FILLED * height && area.bottom - area.top <= height + SLACK_PX,
                  "%u lanes, depth %u, %s, %d x %d: %g x %g of %g x %g", rows[i / 8].n_lanes, rows[i / 8].depth,
                  params->look->name, size[0], size[1], (double)(area.right - area.left),
                  (double)(area.bottom - area.top), (double)width, (double)height);
        rv_lane_layout_fini(&stage.layout);
    }
}

/* A panel at the upper right: what is beside it is to the left of it, what reaches farther is below it. */
Test(fit, lanes_in_front_reach_below_a_panel_but_none_is_behind_it, .timeout = 60)
{
    static const uint32_t counts[] = {1, 2, 4, 8, 16, 130};
    for (int i = 0; i < 2 * 6 * 4; i++) {
        struct stage stage = {.params = window(RV_VIEW_MODE_3D, i % 2 ? 1280 : 1920, i % 2 ? 720 : 1080)};
        stage.params.clear_px = (float)(100 + 100 * (i / 2 % 4));
        stage.params.clear_right_px = 28.0f;
        make(&stage, counts[i / 8], 6);
        const float beside_px = (float)stage.params.width_px - stage.params.right_px;
        float most_right = 0.0f;
        for (size_t j = 0; j < stage.layout.n_lanes; j++) {
            const struct rv_lane_layout_lane *lane = &stage.layout.lanes[j];
            for (int k = 0; k <= 20; k++) {
                vec2 px;
                cr_assert(rv_camera_project(&stage.camera,
                                            (vec3){stage.layout.width * (float)k / 20.0f, rv_lane_layout_lane_top(lane),
                                                   lane->z - lane->half_thickness},
                                            px));
                cr_assert(px[0] <= beside_px + SLACK_PX || px[1] >= stage.params.clear_px - SLACK_PX,
                          "case %d, lane %zu: %g, %g", i, j, (double)px[0], (double)px[1]);
                most_right = fmaxf(most_right, px[0]);
            }
        }
        cr_assert_leq(most_right, (float)stage.params.width_px - stage.params.clear_right_px + SLACK_PX);
        cr_assert(i / 2 % 4 > 0 || i < 8 || most_right > beside_px + 20.0f, "case %d: %g", i, (double)most_right);
        rv_lane_layout_fini(&stage.layout);
    }
}

Test(fit, rows_keep_their_height_while_one_walks_around_them, .timeout = 60)
{
    struct stage stage = {.params = window(RV_VIEW_MODE_3D, 1280, 720)};
    make(&stage, 4, 8);
    const float row = stage.layout.lanes[0].row_height;
    stage.params.orbit[0] = 0.4f;
    stage.params.orbit[1] = -0.2f;
    make(&stage, 4, 8);
    cr_assert_eq(stage.layout.lanes[0].row_height, row);
    rv_lane_layout_fini(&stage.layout);
}

/* In whatever order views follow each other. */
Test(fit, sizes_do_not_depend_on_those_of_the_picture_before, .timeout = 60)
{
    static const uint32_t views[][2] = {{4, 8}, {4, 8}, {130, 12}, {1, 5000}, {1, 1}, {130, 40}, {2, 10}, {4, 8}};
    struct stage stage = {.params = window(RV_VIEW_MODE_3D, 1280, 720)};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct stage alone = {.params = stage.params};
        make(&alone, views[i][0], views[i][1]);
        rv_lane_layout_fini(&stage.layout);
        stage.layout.fit_step = i ? (int)(i * 13 % 33) : 0;
        make(&stage, views[i][0], views[i][1]);
        cr_assert_eq(stage.layout.row, alone.layout.row, "view %zu", i);
        for (uint32_t j = 0; j < views[i][0]; j++)
            cr_assert_eq(stage.layout.lanes[j].z, alone.layout.lanes[j].z, "view %zu, lane %u", i, j);
        cr_assert_eq(stage.camera.pixel, alone.camera.pixel, "view %zu", i);
        rv_lane_layout_fini(&alone.layout);
    }
    rv_lane_layout_fini(&stage.layout);
}

Test(fit, a_stack_that_grows_moves_the_rows_of_the_others_now_and_then, .timeout = 60)
{
    struct stage stage = {.params = window(RV_VIEW_MODE_3D, 1600, 900)};
    float row = 0.0f;
    int n_moves = 0;
    for (uint32_t depth = 10; depth <= 100; depth++) {
        make(&stage, 4, depth);
        n_moves += stage.layout.row != row;
        row = stage.layout.row;
    }
    cr_assert(n_moves <= 32, "%d moves", n_moves);
    rv_lane_layout_fini(&stage.layout);
}
