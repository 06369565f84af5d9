#include "render/critical_path_ribbon.h"

#include <math.h>

#define Y_RIBBON 0.007f
#define Z_RIBBON -0.6f
#define GAP 0.18f /* 3D: before the lane's front, over its plate's rim */
#define WIDTH 0.28f
#define CROSSING 0.07f       /* half the width of the way to another lane */
#define FLAT_GAP_POINTS 7.0f /* flat: below the lane, and its strip of states */
#define FLAT_WIDTH_POINTS 3.0f
#define FLAT_CROSSING_POINTS 0.8f
#define PALE 0.45f /* share of the strength */

struct ribbon {
    struct rv_ground_mesh *mesh;
    const struct rv_lane_layout *layout;
    uint32_t rgba, pale_rgba;
};

/* Its edges along the lane: z, nearer first; flat: y. */
static void edges_of(const struct ribbon *ribbon, uint32_t idx, float edges[2])
{
    const struct rv_lane_layout_lane *lane = &ribbon->layout->lanes[idx];
    if (ribbon->layout->is_flat) {
        edges[1] = lane->y - FLAT_GAP_POINTS * RV_LANE_LAYOUT_POINT;
        edges[0] = edges[1] - FLAT_WIDTH_POINTS * RV_LANE_LAYOUT_POINT;
        return;
    }
    edges[1] = lane->z + lane->half_thickness + GAP;
    edges[0] = edges[1] + WIDTH;
}

static void lay(const struct ribbon *ribbon, struct rv_ground_mesh_area area, uint32_t rgba)
{
    area.rgba0 = area.rgba1 = rgba;
    if (ribbon->layout->is_flat)
        rv_ground_mesh_add_wall(ribbon->mesh, Z_RIBBON, &area);
    else
        rv_ground_mesh_add_floor(ribbon->mesh, Y_RIBBON, &area);
}

static void add_step(const struct ribbon *ribbon, const struct rv_view_step *step)
{
    const float least = ribbon->layout->is_flat ? RV_LANE_LAYOUT_POINT : 0.02f;
    float edges[2];
    edges_of(ribbon, step->lane, edges);
    const float x0 = fmaxf(0.0f, (float)rv_lane_layout_x(ribbon->layout, step->from_ns));
    const float x1 = fminf(ribbon->layout->width, (float)rv_lane_layout_x(ribbon->layout, step->to_ns));
    lay(ribbon, (struct rv_ground_mesh_area){.x0 = x0, .x1 = fmaxf(x1, x0 + least), .a0 = edges[0], .a1 = edges[1]},
        step->kind == RV_CRITICAL_PATH_RUN ? ribbon->rgba : ribbon->pale_rgba);
}

/* Between the strips of two lanes, which it does not cover: all is translucent. */
static void add_crossing(const struct ribbon *ribbon, const struct rv_view_step *from, const struct rv_view_step *to)
{
    const float x = (float)rv_lane_layout_x(ribbon->layout, to->from_ns);
    const float half = ribbon->layout->is_flat ? FLAT_CROSSING_POINTS * RV_LANE_LAYOUT_POINT : CROSSING;
    float a[2], b[2];
    if (from->lane == to->lane || x < 0.0f || x > ribbon->layout->width)
        return;
    edges_of(ribbon, from->lane, a);
    edges_of(ribbon, to->lane, b);
    const bool is_up = fminf(a[0], a[1]) < fminf(b[0], b[1]);
    const float low = is_up ? fmaxf(a[0], a[1]) : fmaxf(b[0], b[1]);
    const float high = is_up ? fminf(b[0], b[1]) : fminf(a[0], a[1]);
    lay(ribbon, (struct rv_ground_mesh_area){.x0 = x - half, .x1 = x + half, .a0 = low, .a1 = high}, ribbon->rgba);
}

void rv_critical_path_ribbon_add(struct rv_ground_mesh *mesh, const struct rv_lane_layout *layout,
                                 const struct rv_view *view, const struct rv_theme *theme, float strength)
{
    const struct ribbon ribbon = {mesh, layout, rv_theme_rgba(theme->path, strength),
                                  rv_theme_rgba(theme->path, PALE * strength)};
    const struct rv_view_step *before = NULL;
    for (size_t i = 0; i < view->n_steps; i++) {
        if (view->steps[i].lane >= layout->n_lanes)
            continue;
        if (before)
            add_crossing(&ribbon, before, &view->steps[i]);
        add_step(&ribbon, &view->steps[i]);
        before = &view->steps[i];
    }
}
