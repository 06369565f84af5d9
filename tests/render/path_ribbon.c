/*
 * The ribbon of a critical path lies at the feet of the lanes that the path is on, while it is there and no longer, in
 * every view; calls beside the path are drawn dimmed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "model/lanes.h"
#include "render/theme.h"

#define FROM_NS 1000000000u
#define HALF_NS 50000000u
#define REACH_PX 14 /* below a lane's foot */
#define NEAR 40     /* difference of a colour's parts from those of the ground */

enum { N_LANES = 3, N_LOOKS = RV_VIEW_MODE_CALLS };

struct fixture {
    struct canvas canvas;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    const struct rv_lit_path *path;
    struct rv_view view;
    int n_wrong;
};

/* Each lane has a call in the first half and one in the second one. */
static void add_calls(struct fixture *fixture)
{
    fixture->lanes = rv_lanes_create();
    fixture->subroutines = rv_subroutines_create();
    rv_subroutines_define(fixture->subroutines, 1, "shop", "sell", "", 1);
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_lane *lane = rv_lanes_add(
            fixture->lanes, &(struct rv_lane_identity){.pid = 1, .tid = i + 1, .thread = i, .name = "thread"});
        for (uint64_t half = 0; half < 2; half++)
            rv_timeline_add(lane->timeline,
                            &(struct rv_span){.start = FROM_NS + half * HALF_NS + 1000,
                                              .end = FROM_NS + (half + 1) * HALF_NS - 1000,
                                              .id = 1},
                            1);
        lane->last_ns = FROM_NS + 2 * HALF_NS;
    }
}

/* In the first half on the first lane, in the second one on the second one. */
static void add_path(struct fixture *fixture)
{
    struct rv_critical_path_step *steps = calloc(2, sizeof *steps);
    steps[0] = (struct rv_critical_path_step){.from_ns = FROM_NS, .to_ns = FROM_NS + HALF_NS, .thread = 0};
    steps[1] =
        (struct rv_critical_path_step){.from_ns = FROM_NS + HALF_NS, .to_ns = FROM_NS + 2 * HALF_NS, .thread = 1};
    fixture->path = rv_lit_path_create(steps, 2);
}

static void draw(struct fixture *fixture, enum rv_view_mode look, const struct rv_lit_path *path)
{
    rv_view_update(&fixture->view, fixture->lanes,
                   &(struct rv_view_params){.from_ns = FROM_NS,
                                            .to_ns = FROM_NS + 2 * HALF_NS,
                                            .width_px = (uint32_t)fixture->canvas.width_px,
                                            .path = path});
    canvas_draw(&fixture->canvas, (struct rv_scene_frame){.view = &fixture->view,
                                                          .subroutines = fixture->subroutines,
                                                          .origin_ns = FROM_NS,
                                                          .look = look,
                                                          .look_from = look});
}

static void check(struct fixture *fixture, bool is_right, enum rv_view_mode look, const char *what)
{
    if (is_right)
        return;
    fixture->n_wrong++;
    fprintf(stderr, "%s: %s\n", rv_view_mode_get(look)->name, what);
}

static bool is_ribbon(const uint8_t *rgba)
{
    const struct rv_color path = rv_theme_color(rv_theme_get(RV_COLOR_DARK)->path);
    return abs(rgba[0] - path.r) < NEAR && abs(rgba[1] - path.g) < NEAR && abs(rgba[2] - path.b) < NEAR;
}

/* Is the ribbon at this lane's foot in the middle of this half of the window? */
static bool has_ribbon(const struct fixture *fixture, uint32_t lane, uint64_t half)
{
    float at[2];
    bool has = false;
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){FROM_NS + half * HALF_NS + HALF_NS / 2, lane, 0},
                     at);
    for (int y = 0; y < REACH_PX; y++)
        has |= is_ribbon(canvas_pixel(&fixture->canvas, (int)at[0], (int)at[1] + y));
    return has;
}

static int light_of_call(const struct fixture *fixture, uint32_t lane, uint64_t half)
{
    float low[2], high[2];
    const uint64_t at_ns = FROM_NS + half * HALF_NS + HALF_NS * 9 / 10; /* beside its name */
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){at_ns, lane, 0}, low);
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){at_ns, lane, 1}, high);
    const uint8_t *rgba =
        canvas_pixel(&fixture->canvas, (int)(0.5f * (low[0] + high[0])), (int)(0.5f * (low[1] + high[1])));
    return rgba[0] + rgba[1] + rgba[2];
}

static void check_look(struct fixture *fixture, enum rv_view_mode look)
{
    int bare[N_LANES][2];
    draw(fixture, look, NULL);
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        for (uint64_t half = 0; half < 2; half++) {
            bare[lane][half] = light_of_call(fixture, lane, half);
            check(fixture, !has_ribbon(fixture, lane, half), look, "a ribbon without a path");
        }
    draw(fixture, look, fixture->path);
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        for (uint64_t half = 0; half < 2; half++) {
            const bool is_on = lane == half;
            check(fixture, has_ribbon(fixture, lane, half) == is_on, look,
                  is_on ? "no ribbon on the path" : "a ribbon beside the path");
            check(fixture, (light_of_call(fixture, lane, half) == bare[lane][half]) == is_on, look,
                  is_on ? "a call on the path is dimmed" : "a call beside the path is as bright as before");
        }
}

int main(void)
{
    static struct fixture fixture;
    canvas_init(&fixture.canvas, 1200, 600);
    add_calls(&fixture);
    add_path(&fixture);
    for (int look = 0; look < N_LOOKS; look++)
        check_look(&fixture, (enum rv_view_mode)look);
    rv_view_fini(&fixture.view);
    rv_lit_path_release(fixture.path);
    rv_subroutines_destroy(fixture.subroutines);
    rv_lanes_destroy(fixture.lanes);
    canvas_fini(&fixture.canvas);
    return fixture.n_wrong != 0;
}
