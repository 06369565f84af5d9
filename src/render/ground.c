#include "render/ground.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/color.h"
#include "render/shader.h"
#include "render/upload.h"
#include "render/theme.h"

/* Heights of the layers, so close that they only fix what lies upon what. */
#define Y_FLOOR -0.06f
#define Y_PLATE -0.02f
#define Y_SHADOW -0.015f
#define Y_LINE 0.001f
#define Y_STRIPE 0.004f
#define Y_NOW 0.006f
#define Y_SELECTED 0.008f

#define PLATE_MARGIN 0.16f
#define FLOOR_MARGIN 0.25f
#define STRIPE_MIN 0.04f
#define WALL_SHARE 0.9f /* of the highest lane */
#define WALL_ROWS 5     /* rows between two lines on the wall */

/* Flat: z of the layers behind the boxes, and world margins. */
#define Z_PLATE -1.0f
#define Z_LINE -0.9f
#define Z_STRIPE -0.8f
#define LINE_HALF_PX 0.5f
#define PLATE_RISE 0.06f

struct vertex {
    float x, y, z;
    uint32_t rgba;
};

struct rv_ground {
    GLuint program, vertex_array;
    struct rv_upload upload;
    struct vertex *vertices;
    size_t n, capacity;
};

struct rectangle {
    float x0, x1;
    float a0, a1;          /* z on the floor, y on the wall */
    uint32_t rgba0, rgba1; /* at a0, a1 */
};

int rv_ground_create(struct rv_ground **ground)
{
    *ground = rv_alloc(1, sizeof **ground);
    (*ground)->program = rv_shader_create("ground");
    glGenVertexArrays(1, &(*ground)->vertex_array);
    glBindVertexArray((*ground)->vertex_array);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    return (*ground)->program ? 0 : -ENOTSUP;
}

void rv_ground_destroy(struct rv_ground *ground)
{
    if (!ground)
        return;
    rv_upload_fini(&ground->upload);
    glDeleteVertexArrays(1, &ground->vertex_array);
    glDeleteProgram(ground->program);
    free(ground->vertices);
    free(ground);
}

static void add_quad(struct rv_ground *ground, const struct vertex corners[4])
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    ground->vertices = rv_vec_reserve(ground->vertices, &ground->capacity, ground->n + 6, sizeof *ground->vertices);
    for (int i = 0; i < 6; i++)
        ground->vertices[ground->n++] = corners[order[i]];
}

static void add_on_floor(struct rv_ground *ground, float y, struct rectangle r)
{
    add_quad(ground, (struct vertex[4]){{r.x0, y, r.a0, r.rgba0},
                                        {r.x1, y, r.a0, r.rgba0},
                                        {r.x1, y, r.a1, r.rgba1},
                                        {r.x0, y, r.a1, r.rgba1}});
}

static void add_on_wall(struct rv_ground *ground, float z, struct rectangle r)
{
    add_quad(ground, (struct vertex[4]){{r.x0, r.a0, z, r.rgba0},
                                        {r.x1, r.a0, z, r.rgba0},
                                        {r.x1, r.a1, z, r.rgba1},
                                        {r.x0, r.a1, z, r.rgba1}});
}

static void add_flat(struct rv_ground *ground, float y, struct rectangle r, uint32_t rgba)
{
    r.rgba0 = r.rgba1 = rgba;
    add_on_floor(ground, y, r);
}

static void add_floor(struct rv_ground *ground, const struct rv_stage *stage)
{
    struct rectangle all = {-FLOOR_MARGIN, stage->width + FLOOR_MARGIN, stage->z_front, stage->z_back, 0, 0};
    add_flat(ground, Y_FLOOR, all, rv_theme_rgba(RV_THEME_FLOOR, 1.0f));
}

static void add_plate(struct rv_ground *ground, const struct rv_stage *stage, const struct rv_stage_lane *lane)
{
    float front = lane->z + lane->half_thickness + PLATE_MARGIN, back = lane->z - lane->half_thickness - PLATE_MARGIN;
    uint32_t none = rv_theme_rgba(RV_THEME_SHADOW, 0.0f);
    struct rectangle r = {.x0 = 0.0f, .x1 = stage->width, .a0 = front, .a1 = back};
    add_flat(ground, Y_PLATE, r, rv_theme_rgba(RV_THEME_PLATE, 1.0f));
    r = (struct rectangle){0.0f, stage->width, back, back - 0.79f, rv_theme_rgba(RV_THEME_SHADOW, 0.75f), none};
    add_on_floor(ground, Y_SHADOW, r);
    r = (struct rectangle){0.0f, stage->width, front, front + 0.34f, rv_theme_rgba(RV_THEME_SHADOW, 0.5f), none};
    add_on_floor(ground, Y_SHADOW, r);
    r = (struct rectangle){.x0 = 0.0f, .x1 = stage->width, .a0 = front + 0.03f, .a1 = front - 0.03f};
    add_flat(ground, 0.0f, r, rv_theme_rgba(RV_THEME_PLATE_RIM, 1.0f));
}

static void add_wall(struct rv_ground *ground, const struct rv_stage *stage)
{
    float height = stage->top * WALL_SHARE, z = stage->z_back;
    struct rectangle all = {-FLOOR_MARGIN, stage->width + FLOOR_MARGIN,        Y_FLOOR,
                            height,        rv_theme_rgba(RV_THEME_WALL, 1.0f), rv_theme_rgba(RV_THEME_WALL, 0.0f)};
    add_on_wall(ground, z, all);
    uint32_t rgba = rv_theme_rgba(RV_THEME_GRID, 0.35f);
    float step = WALL_ROWS * stage->row;
    for (float y = step; y < height; y += step)
        add_on_wall(ground, z, (struct rectangle){0.0f, stage->width, y - 0.012f, y + 0.012f, rgba, rgba});
}

static void add_ticks(struct rv_ground *ground, const struct rv_stage *stage, const struct rv_ticks *ticks)
{
    uint32_t rgba = rv_theme_rgba(RV_THEME_GRID, 0.55f), faded = rv_theme_rgba(RV_THEME_GRID, 0.0f);
    float height = stage->top * WALL_SHARE;
    for (size_t i = 0; i < ticks->n; i++) {
        float x = (float)rv_stage_x(stage, ticks->items[i].time_ns);
        struct rectangle r = {.x0 = x - 0.015f, .x1 = x + 0.015f, .a0 = stage->z_front, .a1 = stage->z_back};
        add_flat(ground, Y_LINE, r, rgba);
        add_on_wall(ground, stage->z_back, (struct rectangle){x - 0.012f, x + 0.012f, 0.0f, height, rgba, faded});
    }
}

/* The visible part of a note, at least STRIPE_MIN wide; false when none is. */
static bool note_stripe(const struct rv_stage *stage, const struct rv_lane_note *note, struct rectangle *out)
{
    if (note->end_ns < stage->from_ns || note->start_ns > stage->to_ns)
        return false;
    out->x0 = fmaxf(0.0f, (float)rv_stage_x(stage, note->start_ns));
    out->x1 = fminf(stage->width, (float)rv_stage_x(stage, note->end_ns));
    out->x1 = fmaxf(out->x1, out->x0 + STRIPE_MIN);
    return true;
}

static void add_collection(struct rv_ground *ground, const struct rv_stage *stage, struct rectangle stripe)
{
    struct rv_color gc = rv_color_gc();
    uint32_t rgb = (uint32_t)gc.r << 16 | (uint32_t)gc.g << 8 | gc.b;
    stripe.a0 = stage->z_front;
    stripe.a1 = stage->z_back;
    add_flat(ground, Y_STRIPE, stripe, rv_theme_rgba(rgb, 0.34f));
    stripe.a0 = 0.0f;
    stripe.a1 = stage->top * WALL_SHARE;
    stripe.rgba0 = rv_theme_rgba(rgb, 0.5f);
    stripe.rgba1 = rv_theme_rgba(rgb, 0.0f);
    add_on_wall(ground, stage->z_back, stripe);
}

/* A loss belongs to its lane: a red stripe across the plate and a flag standing behind it. */
static void add_loss(struct rv_ground *ground, const struct rv_stage_lane *lane, struct rectangle stripe)
{
    stripe.a0 = lane->z + lane->half_thickness + 2.0f * PLATE_MARGIN;
    stripe.a1 = lane->z - lane->half_thickness - PLATE_MARGIN;
    add_flat(ground, Y_STRIPE, stripe, rv_theme_rgba(RV_THEME_LOST, 0.75f));
    float z = stripe.a1;
    stripe.a0 = 0.0f;
    stripe.a1 = rv_stage_lane_top(lane);
    stripe.rgba0 = rv_theme_rgba(RV_THEME_LOST, 0.55f);
    stripe.rgba1 = rv_theme_rgba(RV_THEME_LOST, 0.0f);
    add_on_wall(ground, z, stripe);
}

static void add_notes(struct rv_ground *ground, const struct rv_stage *stage, const struct rv_view *view)
{
    for (size_t lane = 0; lane < view->n_lanes && lane < stage->n_lanes; lane++) {
        const struct rv_view_lane *notes = &view->lanes[lane];
        for (size_t i = notes->first_note; i < (size_t)notes->first_note + notes->n_notes; i++) {
            struct rectangle stripe = {0};
            if (!note_stripe(stage, &view->notes[i], &stripe))
                continue;
            if (view->notes[i].kind == RV_NOTE_GC)
                add_collection(ground, stage, stripe);
            else if (view->notes[i].kind == RV_NOTE_LOST)
                add_loss(ground, &stage->lanes[lane], stripe);
        }
    }
}

static void add_now(struct rv_ground *ground, const struct rv_stage *stage, uint64_t now_ns)
{
    float x = (float)rv_stage_x(stage, now_ns);
    if (x < 0.0f || x > stage->width * 1.001f)
        return;
    struct rectangle r = {.x0 = x - 0.03f, .x1 = x + 0.03f, .a0 = stage->z_front, .a1 = stage->z_back};
    add_flat(ground, Y_NOW, r, rv_theme_rgba(RV_THEME_NOW, 0.9f));
}

/* A band across the floor and up the wall, with its edges. */
static void add_selected(struct rv_ground *ground, const struct rv_stage *stage, const struct rv_range_ns *range)
{
    float x[2], height = stage->top * WALL_SHARE;
    if (!rv_selection_extent(stage, range, x))
        return;
    uint32_t tint = rv_theme_rgba(RV_THEME_ACCENT, 0.16f), faded = rv_theme_rgba(RV_THEME_ACCENT, 0.05f);
    uint32_t edge = rv_theme_rgba(RV_THEME_ACCENT, 0.8f), edge_faded = rv_theme_rgba(RV_THEME_ACCENT, 0.3f);
    struct rectangle r = {.x0 = x[0], .x1 = x[1], .a0 = stage->z_front, .a1 = stage->z_back};
    add_flat(ground, Y_SELECTED, r, tint);
    add_on_wall(ground, stage->z_back, (struct rectangle){x[0], x[1], 0.0f, height, tint, faded});
    for (int i = 0; i < 2; i++) {
        r.x0 = x[i] - 0.02f;
        r.x1 = x[i] + 0.02f;
        add_flat(ground, Y_SELECTED, r, edge);
        add_on_wall(ground, stage->z_back, (struct rectangle){r.x0, r.x1, 0.0f, height, edge, edge_faded});
    }
}

/* The lanes' plates, and a line at the foot of each. */
static void add_flat_lanes(struct rv_ground *ground, const struct rv_stage *stage)
{
    uint32_t plate = rv_theme_rgba(RV_THEME_FLOOR, 1.0f), rim = rv_theme_rgba(RV_THEME_PLATE_RIM, 0.8f);
    for (size_t i = 0; i < stage->n_lanes; i++) {
        const struct rv_stage_lane *lane = &stage->lanes[i];
        float top = lane->y + rv_stage_lane_top(lane) + PLATE_RISE;
        add_on_wall(ground, Z_PLATE, (struct rectangle){0.0f, stage->width, lane->y, top, plate, plate});
        add_on_wall(ground, Z_PLATE,
                    (struct rectangle){0.0f, stage->width, lane->y - 2.0f * RV_STAGE_POINT, lane->y, rim, rim});
    }
}

static void add_flat_notes(struct rv_ground *ground, const struct rv_stage *stage, const struct rv_view *view)
{
    struct rv_color gc = rv_color_gc();
    uint32_t gc_rgba = rv_theme_rgba((uint32_t)gc.r << 16 | (uint32_t)gc.g << 8 | gc.b, 0.55f);
    uint32_t lost_rgba = rv_theme_rgba(RV_THEME_LOST, 0.6f);
    for (size_t i = 0; i < view->n_lanes && i < stage->n_lanes; i++) {
        const struct rv_view_lane *notes = &view->lanes[i];
        const struct rv_stage_lane *lane = &stage->lanes[i];
        for (size_t j = notes->first_note; j < (size_t)notes->first_note + notes->n_notes; j++) {
            struct rectangle r = {.a1 = stage->top, .rgba0 = gc_rgba, .rgba1 = gc_rgba};
            bool is_lost = view->notes[j].kind == RV_NOTE_LOST;
            if ((!is_lost && view->notes[j].kind != RV_NOTE_GC) || !note_stripe(stage, &view->notes[j], &r))
                continue;
            if (is_lost) {
                r.a0 = lane->y;
                r.a1 = lane->y + rv_stage_lane_top(lane);
                r.rgba0 = r.rgba1 = lost_rgba;
            }
            add_on_wall(ground, Z_STRIPE, r);
        }
    }
}

static void add_flat_line(struct rv_ground *ground, const struct rv_pass *pass, uint64_t time_ns, uint32_t rgba)
{
    float x = (float)rv_stage_x(pass->stage, time_ns), half = LINE_HALF_PX * pass->camera->pixel;
    add_on_wall(ground, Z_LINE, (struct rectangle){x - half, x + half, 0.0f, pass->stage->top, rgba, rgba});
}

static void build_flat(struct rv_ground *ground, const struct rv_pass *pass, const struct rv_ground_content *content)
{
    ground->n = 0;
    add_flat_lanes(ground, pass->stage);
    for (size_t i = 0; i < content->ticks->n; i++)
        add_flat_line(ground, pass, content->ticks->items[i].time_ns, rv_theme_rgba(RV_THEME_GRID, 0.6f));
    add_flat_notes(ground, pass->stage, content->view);
    if (content->is_live && content->now_ns >= pass->stage->from_ns && content->now_ns <= pass->stage->to_ns)
        add_flat_line(ground, pass, content->now_ns, rv_theme_rgba(RV_THEME_NOW, 0.9f));
}

static void build(struct rv_ground *ground, const struct rv_stage *stage, const struct rv_ground_content *content)
{
    ground->n = 0;
    add_floor(ground, stage);
    add_wall(ground, stage);
    for (size_t i = 0; i < stage->n_lanes; i++)
        add_plate(ground, stage, &stage->lanes[i]);
    add_ticks(ground, stage, content->ticks);
    add_notes(ground, stage, content->view);
    if (content->is_live)
        add_now(ground, stage, content->now_ns);
    add_selected(ground, stage, &content->selected);
}

void rv_ground_draw(struct rv_ground *ground, const struct rv_pass *pass, const struct rv_ground_content *content)
{
    if (pass->look->is_flat)
        build_flat(ground, pass, content);
    else
        build(ground, pass->stage, content);
    rv_pass_begin(pass, ground->program);
    glBindVertexArray(ground->vertex_array);
    size_t offset = rv_upload_push(&ground->upload, ground->vertices, ground->n * sizeof *ground->vertices);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(struct vertex), (const void *)offset);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(struct vertex), (const void *)(offset + 12));
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)ground->n);
    rv_upload_fence(&ground->upload);
}
