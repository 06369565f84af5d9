#include "render/ground.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "render/ground_mesh.h"
#include "render/note_shapes.h"
#include "render/critical_path_ribbon.h"
#include "render/shader.h"
#include "render/vertex_ring.h"

/* Heights of the layers: tiny, they only determine the order. */
#define Y_FLOOR -0.06f
#define Y_PLATE -0.02f
#define Y_SHADOW -0.015f
#define Y_LINE 0.001f
#define Y_NOW 0.006f
#define Y_SELECTED 0.008f

#define FLOOR_MARGIN 0.25f
#define SHADOW_BEHIND 0.79f /* of a plate */
#define SHADOW_BEFORE 0.34f
#define WALL_ROWS 5 /* rows between two lines on the wall */

/* Flat: z of the layers behind the boxes, and world margins. */
#define Z_PLATE -1.0f
#define Z_LINE -0.9f
#define LINE_HALF_PX 0.5f
#define PLATE_RISE 0.06f

struct rv_ground {
    GLuint program, bare_program, vertex_array;
    struct rv_vertex_ring upload;
    struct rv_ground_mesh mesh;
    size_t n_opaque; /* leading vertices, which are not blended */
};

int rv_ground_create(struct rv_ground **ground)
{
    *ground = rv_alloc(1, sizeof **ground);
    (*ground)->program = rv_shader_create("ground", NULL);
    (*ground)->bare_program = rv_shader_create("ground", "BARE");
    glGenVertexArrays(1, &(*ground)->vertex_array);
    glBindVertexArray((*ground)->vertex_array);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glEnableVertexAttribArray(2);
    return (*ground)->program && (*ground)->bare_program ? 0 : -ENOTSUP;
}

void rv_ground_destroy(struct rv_ground *ground)
{
    if (!ground)
        return;
    rv_vertex_ring_fini(&ground->upload);
    glDeleteVertexArrays(1, &ground->vertex_array);
    glDeleteProgram(ground->program);
    glDeleteProgram(ground->bare_program);
    rv_ground_mesh_fini(&ground->mesh);
    free(ground);
}

static void add_flat(struct rv_ground_mesh *mesh, float y, struct rv_ground_mesh_area area, uint32_t rgba)
{
    area.rgba0 = area.rgba1 = rgba;
    rv_ground_mesh_add_floor(mesh, y, &area);
}

static void add_floor(struct rv_ground_mesh *mesh, const struct rv_theme *theme, const struct rv_lane_layout *layout)
{
    struct rv_ground_mesh_area all = {
        -FLOOR_MARGIN, layout->width + FLOOR_MARGIN, layout->z_front, layout->z_back, 0, 0};
    add_flat(mesh, Y_FLOOR, all, rv_theme_rgba(theme->floor, 1.0f));
}

static float front_of(const struct rv_lane_layout_lane *lane)
{
    return lane->z + lane->half_thickness + RV_LANE_LAYOUT_PLATE_MARGIN;
}

static float back_of(const struct rv_lane_layout_lane *lane)
{
    return lane->z - lane->half_thickness - RV_LANE_LAYOUT_PLATE_MARGIN;
}

static void add_plate(struct rv_ground_mesh *mesh, const struct rv_theme *theme, const struct rv_lane_layout *layout,
                      size_t lane)
{
    const struct rv_lane_layout_lane *shown = &layout->lanes[lane];
    struct rv_ground_mesh_area r = {.x0 = 0.0f, .x1 = layout->width, .a0 = front_of(shown), .a1 = back_of(shown)};
    add_flat(mesh, Y_PLATE, r, rv_theme_rgba(theme->plate, 1.0f));
}

/* A plate's shadow ends at the next plate. */
static void add_shadow(struct rv_ground_mesh *mesh, const struct rv_theme *theme, const struct rv_lane_layout *layout,
                       size_t lane)
{
    const struct rv_lane_layout_lane *shown = &layout->lanes[lane];
    float front = front_of(shown), back = back_of(shown), behind = back - SHADOW_BEHIND, before = front + SHADOW_BEFORE;
    if (lane + 1 < layout->n_lanes)
        behind = fmaxf(behind, fminf(front_of(shown + 1), back));
    if (lane > 0)
        before = fminf(before, fmaxf(back_of(shown - 1), front));
    uint32_t none = rv_theme_rgba(theme->shadow, 0.0f);
    struct rv_ground_mesh_area r = {0.0f, layout->width, back, behind, rv_theme_rgba(theme->shadow, 0.75f), none};
    rv_ground_mesh_add_floor(mesh, Y_SHADOW, &r);
    r = (struct rv_ground_mesh_area){0.0f, layout->width, front, before, rv_theme_rgba(theme->shadow, 0.5f), none};
    rv_ground_mesh_add_floor(mesh, Y_SHADOW, &r);
    r = (struct rv_ground_mesh_area){.x0 = 0.0f, .x1 = layout->width, .a0 = front + 0.03f, .a1 = front - 0.03f};
    add_flat(mesh, 0.0f, r, rv_theme_rgba(theme->plate_rim, 1.0f));
}

/* Calls that are close to each other stand on the floor. */
static bool has_plate(const struct rv_pass *pass, size_t lane)
{
    const struct rv_lane_layout_lane *shown = &pass->layout->lanes[lane];
    return !pass->look->has_rows || lane + 1 == pass->layout->n_lanes || back_of(shown) > front_of(shown + 1);
}

static void add_wall(struct rv_ground_mesh *mesh, const struct rv_theme *theme, const struct rv_lane_layout *layout)
{
    float height = layout->top * RV_LANE_LAYOUT_WALL_SHARE, z = layout->z_back;
    struct rv_ground_mesh_area all = {
        -FLOOR_MARGIN, layout->width + FLOOR_MARGIN,     Y_FLOOR,
        height,        rv_theme_rgba(theme->wall, 1.0f), rv_theme_rgba(theme->wall, 0.0f)};
    rv_ground_mesh_add_wall(mesh, z, &all);
    uint32_t rgba = rv_theme_rgba(theme->grid, 0.35f);
    float step = WALL_ROWS * layout->row;
    for (float y = step; y < height; y += step)
        rv_ground_mesh_add_wall(mesh, z,
                                &(struct rv_ground_mesh_area){0.0f, layout->width, y - 0.012f, y + 0.012f, rgba, rgba});
}

static void add_ticks(struct rv_ground_mesh *mesh, const struct rv_theme *theme, const struct rv_lane_layout *layout,
                      const struct rv_time_axis *ticks)
{
    uint32_t rgba = rv_theme_rgba(theme->grid, 0.55f), faded = rv_theme_rgba(theme->grid, 0.0f);
    float height = layout->top * RV_LANE_LAYOUT_WALL_SHARE;
    for (size_t i = 0; i < ticks->n; i++) {
        float x = (float)rv_lane_layout_x(layout, ticks->items[i].time_ns);
        struct rv_ground_mesh_area r = {
            .x0 = x - 0.015f, .x1 = x + 0.015f, .a0 = layout->z_front, .a1 = layout->z_back};
        add_flat(mesh, Y_LINE, r, rgba);
        rv_ground_mesh_add_wall(mesh, layout->z_back,
                                &(struct rv_ground_mesh_area){x - 0.012f, x + 0.012f, 0.0f, height, rgba, faded});
    }
}

static void add_now(struct rv_ground_mesh *mesh, const struct rv_theme *theme, const struct rv_lane_layout *layout,
                    uint64_t now_ns)
{
    float x = (float)rv_lane_layout_x(layout, now_ns);
    if (x < 0.0f || x > layout->width * 1.001f)
        return;
    struct rv_ground_mesh_area r = {.x0 = x - 0.03f, .x1 = x + 0.03f, .a0 = layout->z_front, .a1 = layout->z_back};
    add_flat(mesh, Y_NOW, r, rv_theme_rgba(theme->now, 0.9f));
}

/* A band across the floor and up the wall, with its edges. */
static void add_selected(struct rv_ground_mesh *mesh, const struct rv_theme *theme, const struct rv_lane_layout *layout,
                         const struct rv_range_ns *range)
{
    float x[2], height = layout->top * RV_LANE_LAYOUT_WALL_SHARE;
    if (!rv_selected_range_extent(layout, range, x))
        return;
    uint32_t tint = rv_theme_rgba(theme->accent, 0.16f), faded = rv_theme_rgba(theme->accent, 0.05f);
    uint32_t edge = rv_theme_rgba(theme->accent, 0.8f), edge_faded = rv_theme_rgba(theme->accent, 0.3f);
    struct rv_ground_mesh_area r = {.x0 = x[0], .x1 = x[1], .a0 = layout->z_front, .a1 = layout->z_back};
    add_flat(mesh, Y_SELECTED, r, tint);
    rv_ground_mesh_add_wall(mesh, layout->z_back, &(struct rv_ground_mesh_area){x[0], x[1], 0.0f, height, tint, faded});
    for (int i = 0; i < 2; i++) {
        r.x0 = x[i] - 0.02f;
        r.x1 = x[i] + 0.02f;
        add_flat(mesh, Y_SELECTED, r, edge);
        rv_ground_mesh_add_wall(mesh, layout->z_back,
                                &(struct rv_ground_mesh_area){r.x0, r.x1, 0.0f, height, edge, edge_faded});
    }
}

static void add_flat_plate(struct rv_ground_mesh *mesh, const struct rv_theme *theme,
                           const struct rv_lane_layout *layout, size_t lane)
{
    const struct rv_lane_layout_lane *shown = &layout->lanes[lane];
    uint32_t plate = rv_theme_rgba(theme->floor, 1.0f);
    float top = shown->y + rv_lane_layout_lane_top(shown) + PLATE_RISE;
    rv_ground_mesh_add_wall(mesh, Z_PLATE,
                            &(struct rv_ground_mesh_area){0.0f, layout->width, shown->y, top, plate, plate});
}

/* A line at the foot of the plate. */
static void add_flat_foot(struct rv_ground_mesh *mesh, const struct rv_theme *theme,
                          const struct rv_lane_layout *layout, size_t lane)
{
    uint32_t rim = rv_theme_rgba(theme->plate_rim, 0.8f);
    float y = layout->lanes[lane].y;
    rv_ground_mesh_add_wall(
        mesh, Z_PLATE,
        &(struct rv_ground_mesh_area){0.0f, layout->width, y - 2.0f * RV_LANE_LAYOUT_POINT, y, rim, rim});
}

static void add_flat_line(struct rv_ground_mesh *mesh, const struct rv_pass *pass, uint64_t time_ns, uint32_t rgba)
{
    float x = (float)rv_lane_layout_x(pass->layout, time_ns), half = LINE_HALF_PX * pass->camera->pixel;
    rv_ground_mesh_add_wall(mesh, Z_LINE,
                            &(struct rv_ground_mesh_area){x - half, x + half, 0.0f, pass->layout->top, rgba, rgba});
}

static void build_flat(struct rv_ground *ground, const struct rv_pass *pass, const struct rv_ground_content *content)
{
    struct rv_ground_mesh *mesh = &ground->mesh;
    const struct rv_lane_layout *layout = pass->layout;
    for (size_t i = 0; i < layout->n_lanes; i++)
        add_flat_plate(mesh, pass->theme, layout, i);
    ground->n_opaque = mesh->n;
    for (size_t i = 0; i < layout->n_lanes; i++)
        add_flat_foot(mesh, pass->theme, layout, i);
    for (size_t i = 0; i < content->ticks->n; i++)
        add_flat_line(mesh, pass, content->ticks->items[i].time_ns, rv_theme_rgba(pass->theme->grid, 0.6f));
    rv_note_shapes_add(mesh, layout, content->view, pass->theme);
    rv_critical_path_ribbon_add(mesh, layout, content->view, pass->theme, RV_CRITICAL_PATH_RIBBON_STRENGTH);
    if (content->has_now && content->now_ns >= layout->from_ns && content->now_ns <= layout->to_ns)
        add_flat_line(mesh, pass, content->now_ns, rv_theme_rgba(pass->theme->now, 0.9f));
}

static void build(struct rv_ground *ground, const struct rv_pass *pass, const struct rv_ground_content *content)
{
    struct rv_ground_mesh *mesh = &ground->mesh;
    const struct rv_theme *theme = pass->theme;
    const struct rv_lane_layout *layout = pass->layout;
    add_floor(mesh, theme, layout);
    for (size_t i = 0; i < layout->n_lanes; i++)
        if (has_plate(pass, i))
            add_plate(mesh, theme, layout, i);
    ground->n_opaque = mesh->n;
    add_wall(mesh, theme, layout);
    for (size_t i = 0; i < layout->n_lanes; i++)
        if (has_plate(pass, i))
            add_shadow(mesh, theme, layout, i);
    add_ticks(mesh, theme, layout, content->ticks);
    if (!pass->look->has_rows)
        rv_note_shapes_add(mesh, layout, content->view, theme);
    rv_critical_path_ribbon_add(mesh, layout, content->view, theme, RV_CRITICAL_PATH_RIBBON_STRENGTH);
    if (content->has_now)
        add_now(mesh, theme, layout, content->now_ns);
    add_selected(mesh, theme, layout, &content->selected);
}

static void upload(struct rv_ground *ground)
{
    const struct rv_ground_mesh *mesh = &ground->mesh;
    GLsizei recorded_step = sizeof *mesh->vertices;
    size_t offset = rv_vertex_ring_push(&ground->upload, mesh->vertices, mesh->n * sizeof *mesh->vertices);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, recorded_step, (const void *)offset);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, recorded_step, (const void *)(offset + 12));
    glVertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, recorded_step, (const void *)(offset + 16));
}

void rv_ground_draw_ribbon(struct rv_ground *ground, const struct rv_pass *pass, const struct rv_view *view)
{
    if (view->n_steps == 0)
        return;
    ground->mesh.n = 0;
    rv_critical_path_ribbon_add(&ground->mesh, pass->layout, view, pass->theme, RV_CRITICAL_PATH_RIBBON_GLOW);
    glBindVertexArray(ground->vertex_array);
    upload(ground);
    rv_pass_begin(pass, ground->program);
    glEnable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)ground->mesh.n);
    glEnable(GL_DEPTH_TEST);
    rv_vertex_ring_fence(&ground->upload);
}

void rv_ground_draw(struct rv_ground *ground, const struct rv_pass *pass, const struct rv_ground_content *content)
{
    ground->mesh.n = 0;
    if (pass->look->is_flat)
        build_flat(ground, pass, content);
    else
        build(ground, pass, content);
    bool is_bare = pass->camera->eye[3] == 0.0f; /* all at equal distance: no haze, and nothing opaque is hatched */
    glBindVertexArray(ground->vertex_array);
    upload(ground);
    rv_pass_begin(pass, is_bare ? ground->bare_program : ground->program);
    glDisable(GL_BLEND);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)ground->n_opaque);
    rv_pass_begin(pass, ground->program);
    glEnable(GL_BLEND);
    glDrawArrays(GL_TRIANGLES, (GLint)ground->n_opaque, (GLsizei)(ground->mesh.n - ground->n_opaque));
    rv_vertex_ring_fence(&ground->upload);
}
