#include "render/scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "render/boxes.h"
#include "render/ground.h"
#include "render/hud.h"
#include "render/labels.h"
#include "render/target.h"
#include "render/theme.h"

#define TICKS_PER_1000_POINTS 8
#define MARGIN 28.0f /* points around the picture */
#define MARGIN_BOTTOM 20.0f
#define HAZE_DEPTH 65.0f

struct rv_scene {
    struct rv_stage stage;
    struct rv_camera camera;
    struct rv_ticks ticks;
    struct rv_pick pick;
    const struct rv_view *placed; /* not indexed yet */
    struct rv_target target;
    struct rv_palette *palette;
    struct rv_ground *ground;
    struct rv_boxes *boxes;
    struct rv_labels *labels;
    struct rv_overlay *overlay;
    GLuint atlas_texture;
};

static bool has_version_33(void)
{
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    return major > 3 || (major == 3 && minor >= 3);
}

static GLuint create_atlas(void)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, rv_font_atlas.width, rv_font_atlas.height, 0, GL_RED, GL_UNSIGNED_BYTE,
                 rv_font_atlas.texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    return texture;
}

static int create_passes(struct rv_scene *scene)
{
    int err = rv_ground_create(&scene->ground);
    if (!err)
        err = rv_boxes_create(&scene->boxes);
    if (!err)
        err = rv_labels_create(&scene->labels, scene->atlas_texture);
    return err ? err : rv_overlay_create(&scene->overlay, scene->atlas_texture);
}

int rv_scene_create(struct rv_scene **scene)
{
    *scene = NULL;
    if (!has_version_33())
        return rv_err(ENOTSUP, "OpenGL 3.3 is needed, this is %s", (const char *)glGetString(GL_VERSION));
    struct rv_scene *made = rv_alloc(1, sizeof *made);
    made->palette = rv_palette_create();
    made->atlas_texture = create_atlas();
    int err = create_passes(made);
    if (err)
        rv_scene_destroy(made);
    else
        *scene = made;
    return err;
}

void rv_scene_destroy(struct rv_scene *scene)
{
    if (!scene)
        return;
    rv_ground_destroy(scene->ground);
    rv_boxes_destroy(scene->boxes);
    rv_labels_destroy(scene->labels);
    rv_overlay_destroy(scene->overlay);
    rv_target_fini(&scene->target);
    glDeleteTextures(1, &scene->atlas_texture);
    rv_palette_destroy(scene->palette);
    rv_pick_fini(&scene->pick);
    rv_stage_fini(&scene->stage);
    free(scene);
}

static void place(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    float scale = (float)frame->scale, bar = frame->status.program ? RV_HUD_BAR_HEIGHT : 0.0f;
    rv_stage_update(&scene->stage, frame->view);
    rv_overlay_begin(scene->overlay, frame->width_px, frame->height_px, frame->scale);
    struct rv_camera_params params = {
        .width_px = frame->width_px,
        .height_px = frame->height_px,
        .left_px = fminf(scale * rv_hud_left_margin(scene->overlay, frame->view), 0.4f * (float)frame->width_px),
        .right_px = scale * MARGIN,
        .top_px = scale * (bar + MARGIN),
        .bottom_px = scale * MARGIN_BOTTOM,
    };
    rv_camera_fit(&scene->camera, &scene->stage, &params);
    double points = frame->width_px / frame->scale;
    struct rv_ticks_params ticks = {
        .from_ns = scene->stage.from_ns,
        .to_ns = scene->stage.to_ns,
        .zero_ns = frame->is_live ? frame->now_ns : frame->origin_ns,
        .is_live = frame->is_live,
        .n_wanted = (unsigned)(points * TICKS_PER_1000_POINTS / 1000.0) + 1,
    };
    rv_ticks_make(&scene->ticks, &ticks);
    scene->placed = frame->view;
}

/* False when there is nothing to draw into. */
static bool complete_frame(struct rv_scene_frame *frame)
{
    if (!(frame->scale > 0.0))
        frame->scale = 1.0;
    return frame->width_px > 0 && frame->height_px > 0;
}

void rv_scene_place(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    struct rv_scene_frame shown = *frame;
    if (complete_frame(&shown))
        place(scene, &shown);
}

bool rv_scene_pick(struct rv_scene *scene, double x_px, double y_px, struct rv_pick_hit *hit)
{
    if (scene->placed)
        rv_pick_update(&scene->pick, scene->placed, &scene->stage, scene->camera.width_px);
    scene->placed = NULL;
    return scene->camera.width_px && rv_pick_at(&scene->pick, &scene->camera, (double[2]){x_px, y_px}, hit);
}

static struct rv_pass make_pass(const struct rv_scene *scene)
{
    vec3 front = {0.5f * scene->stage.width, 0.0f, scene->stage.z_front};
    float distance = glm_vec3_distance((float *)scene->camera.eye, front);
    return (struct rv_pass){&scene->camera, &scene->stage, {distance, distance + HAZE_DEPTH}};
}

static void clear(void)
{
    float colour[3];
    rv_pass_linear(RV_THEME_BACKGROUND, colour);
    glDepthMask(GL_TRUE);
    glClearColor(colour[0], colour[1], colour[2], 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_CULL_FACE);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}

static void draw_scene(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    struct rv_pass pass = make_pass(scene);
    struct rv_ground_content ground = {frame->view, &scene->ticks, frame->now_ns, frame->is_live};
    struct rv_labels_content labels = {frame->view, &scene->ticks, scene->palette, frame->subroutines,
                                       frame->highlight};
    clear();
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    rv_ground_draw(scene->ground, &pass, &ground);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    rv_boxes_draw(scene->boxes, &pass, frame->view, scene->palette, frame->highlight);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    rv_labels_draw(scene->labels, &pass, &labels);
    glDepthMask(GL_TRUE);
}

void rv_scene_draw(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    struct rv_scene_frame shown = *frame;
    if (!complete_frame(&shown))
        return;
    GLint framebuffer = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
    if (rv_target_resize(&scene->target, shown.width_px, shown.height_px, shown.samples))
        return;
    rv_palette_update(scene->palette, shown.view, shown.subroutines);
    place(scene, &shown);
    float points[2] = {(float)(shown.width_px / shown.scale), (float)(shown.height_px / shown.scale)};
    rv_target_begin(&scene->target);
    draw_scene(scene, &shown);
    rv_target_resolve(&scene->target);
    rv_hud_add_lanes(scene->overlay, &shown, &scene->camera, &scene->stage);
    rv_hud_add_tags(scene->overlay, &shown, &scene->camera, &scene->stage);
    rv_hud_add_bar(scene->overlay, &shown);
    if (shown.tooltip)
        rv_tooltip_add(scene->overlay, scene->palette, shown.tooltip, points);
    rv_overlay_draw(scene->overlay);
    rv_target_copy(&scene->target, (GLuint)framebuffer);
}

void rv_scene_draw_ids(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    rv_scene_place(scene, frame);
    struct rv_pass pass = make_pass(scene);
    glViewport(0, 0, frame->width_px, frame->height_px);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glDisable(GL_BLEND);
    glDisable(GL_DITHER);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    rv_boxes_draw_ids(scene->boxes, &pass, frame->view, scene->palette);
}

double rv_scene_share_at(const struct rv_scene *scene, double x_px, double y_px)
{
    if (!scene->camera.width_px)
        return 0.5;
    return rv_camera_x_at(&scene->camera, &scene->stage, x_px, y_px) / (double)scene->stage.width;
}

uint64_t rv_scene_time_at(const struct rv_scene *scene, double x_px, double y_px)
{
    return rv_stage_time(&scene->stage, rv_scene_share_at(scene, x_px, y_px) * (double)scene->stage.width);
}

bool rv_scene_project(const struct rv_scene *scene, const struct rv_scene_place *spot, float out_px[2])
{
    if (spot->lane >= scene->stage.n_lanes)
        return false;
    const struct rv_stage_lane *lane = &scene->stage.lanes[spot->lane];
    vec3 point = {(float)rv_stage_x(&scene->stage, spot->time_ns), (float)spot->depth * lane->row_height,
                  lane->z + rv_stage_thickness(lane, spot->depth)};
    return rv_camera_project(&scene->camera, point, out_px);
}

void rv_scene_read_pixels(int width_px, int height_px, uint8_t *out)
{
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    size_t row_bytes = (size_t)width_px * 4;
    uint8_t *rows = rv_alloc((size_t)height_px, row_bytes);
    glReadPixels(0, 0, width_px, height_px, GL_RGBA, GL_UNSIGNED_BYTE, rows);
    for (int y = 0; y < height_px; y++)
        memcpy(out + (size_t)y * row_bytes, rows + (size_t)(height_px - 1 - y) * row_bytes, row_bytes);
    free(rows);
}
