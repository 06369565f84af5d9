#include "render/scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "render/arcs.h"
#include "render/boxes.h"
#include "render/caller_labels.h"
#include "render/collections.h"
#include "render/fit.h"
#include "render/flat_labels.h"
#include "render/ground.h"
#include "render/lane_labels.h"
#include "render/scene_labels.h"
#include "render/note_labels.h"
#include "render/hovered_outline.h"
#include "render/framebuffer.h"

#define TICKS_PER_1000_POINTS 8
#define MARGIN 28.0f /* points around the picture */
#define MARGIN_BOTTOM 20.0f
#define MARGIN_AXIS 32.0f
#define HAZE_DEPTH 65.0f
#define CAPTION_X 16.0f /* points, from the panels */
#define CAPTION_Y 10.0f
#define CAPTION_PADDING 8.0f
#define CAPTION_HEIGHT 23.0f
#define CAPTION_BASE 16.0f

static const struct rv_view NOTHING;

struct rv_scene {
    struct rv_lane_layout layout, stage_from;
    const struct rv_view_mode_params *look;
    bool is_settled;
    struct rv_camera camera;
    struct rv_time_axis ticks;
    struct rv_lane_labels_folds folds;   /* of the last frame drawn, */
    struct rv_note_labels_places notes;  /* likewise, */
    double scale;                        /* in its points */
    const struct rv_frame_data *picture; /* the picture shown */
    struct rv_frame_data own;
    struct rv_framebuffer target;
    struct rv_ground *ground;
    struct rv_boxes *boxes;
    struct rv_arcs *arcs;
    struct rv_scene_labels *labels;
    struct rv_overlay *overlay;
    struct rv_text_glyphs *atlas;
};

static bool has_version_33(void)
{
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    return major > 3 || (major == 3 && minor >= 3);
}

static int create_passes(struct rv_scene *scene)
{
    int err = rv_ground_create(&scene->ground);
    if (!err)
        err = rv_boxes_create(&scene->boxes);
    if (!err)
        err = rv_arcs_create(&scene->arcs);
    if (!err)
        err = rv_scene_labels_create(&scene->labels, scene->atlas);
    return err ? err : rv_overlay_create(&scene->overlay, scene->atlas);
}

void rv_scene_show(struct rv_scene *scene, const struct rv_frame_data *picture)
{
    scene->picture = picture;
}

void rv_scene_compose(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    rv_frame_data_compose(&scene->own,
                          &(struct rv_frame_data_params){.view = frame->view,
                                                         .subroutines = frame->subroutines,
                                                         .has_leaves = rv_view_mode_get(frame->look)->has_leaves,
                                                         .width_px = frame->width_px,
                                                         .scheme = frame->scheme,
                                                         .diff = frame->diff,
                                                         .arcs = frame->arcs});
    scene->picture = &scene->own;
}

int rv_scene_create(struct rv_scene **scene)
{
    *scene = NULL;
    if (!has_version_33())
        return rv_err(ENOTSUP, "OpenGL 3.3 is needed, this is %s", (const char *)glGetString(GL_VERSION));
    struct rv_scene *made = rv_alloc(1, sizeof *made);
    rv_scene_compose(made, &(struct rv_scene_frame){.view = &NOTHING});
    made->atlas = rv_text_glyphs_create();
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
    rv_arcs_destroy(scene->arcs);
    rv_scene_labels_destroy(scene->labels);
    rv_overlay_destroy(scene->overlay);
    rv_framebuffer_fini(&scene->target);
    rv_text_glyphs_destroy(scene->atlas);
    rv_frame_data_fini(&scene->own);
    rv_lane_layout_fini(&scene->layout);
    rv_lane_layout_fini(&scene->stage_from);
    free(scene);
}

/* Layout and camera of one view. */
static void fit(struct rv_scene *scene, const struct rv_scene_frame *frame, enum rv_view_mode look,
                struct rv_lane_layout *layout, struct rv_camera *camera)
{
    float scale = (float)frame->scale;
    const struct rv_scene_insets *insets = &frame->insets;
    struct rv_camera_params params = {
        .look = rv_view_mode_get(look),
        .orbit = {frame->orbit[0], frame->orbit[1]},
        .scale = frame->scale,
        .width_px = frame->width_px,
        .height_px = frame->height_px,
        .left_px = floorf(fminf(scale * (insets->left + rv_lane_labels_left_margin(scene->overlay, frame->view)),
                                0.4f * (float)frame->width_px)),
        .right_px = scale * (insets->right + MARGIN),
        .clear_px = scale * insets->right_bottom,
        .clear_right_px = scale * MARGIN,
        .top_px = scale * (insets->top + MARGIN),
        .bottom_px = floorf(
            scale * (insets->bottom + (rv_view_mode_get(look)->field_of_view <= 0.0f ? MARGIN_AXIS : MARGIN_BOTTOM))),
    };
    float room = ((float)frame->height_px - params.top_px - params.bottom_px) / scale;
    const struct rv_lane_layout_params lanes = {.look = params.look,
                                                .room = fmaxf(room, 1.0f),
                                                .scroll = (float)frame->scroll,
                                                .row_scale = (float)frame->row_scale};
    rv_fit_lanes(layout, camera, frame->view, &lanes, &params);
}

static const struct rv_theme *theme_of(const struct rv_scene_frame *frame)
{
    return rv_theme_get(frame->theme);
}

static void place(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    float passed = (float)fmin(fmax(frame->passed, 0.0), 1.0), share = passed * passed * (3.0f - 2.0f * passed);
    scene->look = rv_view_mode_get(frame->look);
    scene->is_settled = frame->look == frame->look_from || passed >= 1.0f;
    rv_overlay_begin(scene->overlay, (int[2]){frame->width_px, frame->height_px}, frame->scale, theme_of(frame));
    fit(scene, frame, frame->look, &scene->layout, &scene->camera);
    if (!scene->is_settled) {
        struct rv_camera from;
        fit(scene, frame, frame->look_from, &scene->stage_from, &from);
        rv_lane_layout_mix(&scene->layout, &scene->stage_from, share);
        rv_camera_mix(&scene->camera, &from, share);
    }
    double points = frame->width_px / frame->scale;
    struct rv_time_axis_params ticks = {
        .from_ns = scene->layout.from_ns,
        .to_ns = scene->layout.to_ns,
        .zero_ns = frame->counts_from_start ? 0
                   : frame->is_live         ? frame->now_ns
                                            : frame->origin_ns,
        .is_live = frame->is_live,
        .n_wanted = (unsigned)(points * TICKS_PER_1000_POINTS / 1000.0) + 1,
    };
    rv_time_axis_make(&scene->ticks, &ticks);
}

/* False when there is no area to draw to. */
static bool complete_frame(const struct rv_scene *scene, struct rv_scene_frame *frame)
{
    frame->view = scene->picture->view;
    if (!(frame->scale > 0.0))
        frame->scale = 1.0;
    return frame->width_px > 0 && frame->height_px > 0;
}

void rv_scene_place(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    struct rv_scene_frame shown = *frame;
    if (complete_frame(scene, &shown))
        place(scene, &shown);
}

bool rv_scene_pick(const struct rv_scene *scene, double x_px, double y_px, struct rv_pick_hit *hit)
{
    struct rv_pick_params params = {&scene->layout, &scene->camera, {x_px, y_px}};
    if (!scene->camera.width_px || !rv_pick_at(&scene->picture->pick, &params, hit))
        return false;
    if (scene->picture->has_leaves)
        hit->box = scene->picture->leaves.sources[hit->box];
    return true;
}

bool rv_scene_pick_arc(const struct rv_scene *scene, double x_px, double y_px, size_t *arc)
{
    return scene->camera.width_px &&
           rv_arc_list_pick(&scene->picture->arcs, &scene->layout, &scene->camera, (double[2]){x_px, y_px}, arc);
}

size_t rv_scene_lane_at(const struct rv_scene *scene, double x_px, double y_px)
{
    struct rv_pick_hit hit;
    if (rv_scene_pick(scene, x_px, y_px, &hit))
        return hit.lane;
    float x;
    return scene->camera.width_px ? rv_camera_lane_at(&scene->camera, &scene->layout, (double[2]){x_px, y_px}, &x)
                                  : scene->layout.n_lanes;
}

static bool is_in(const struct rv_scene *scene, const struct rv_overlay_area *area, double x_px, double y_px)
{
    const float x = (float)(x_px / scene->scale), y = (float)(y_px / scene->scale);
    return x >= area->x && x < area->x + area->width && y >= area->y && y < area->y + area->height;
}

size_t rv_scene_fold_at(const struct rv_scene *scene, double x_px, double y_px)
{
    for (size_t i = 0; i < scene->folds.n; i++)
        if (is_in(scene, &scene->folds.items[i].area, x_px, y_px))
            return scene->folds.items[i].lane;
    return scene->layout.n_lanes;
}

/* Boxes are before it. */
static bool stripe_at(const struct rv_scene *scene, const double px[2], struct rv_scene_notes *notes)
{
    float x;
    uint32_t of_lane;
    struct rv_pick_hit hit;
    const struct rv_view *view = scene->picture->view;
    const size_t lane = scene->camera.width_px ? rv_camera_ground_at(&scene->camera, &scene->layout, px, &x)
                                               : scene->layout.n_lanes;
    if (lane >= scene->layout.n_lanes || lane >= view->n_lanes || rv_scene_pick(scene, px[0], px[1], &hit))
        return false;
    const struct rv_lane_note *found = rv_collections_at(view, &scene->layout, lane, x, &of_lane);
    if (found)
        *notes = (struct rv_scene_notes){RV_NOTE_FORM_PAUSE, of_lane, found->start_ns, found->end_ns, true};
    return found != NULL;
}

bool rv_scene_notes_at(const struct rv_scene *scene, double x_px, double y_px, struct rv_scene_notes *notes)
{
    struct rv_pick_hit hit;
    for (size_t i = 0; i < scene->notes.n; i++) {
        const struct rv_note_labels_place *place = &scene->notes.items[i];
        if (!is_in(scene, &place->area, x_px, y_px) || (place->is_on_floor && rv_scene_pick(scene, x_px, y_px, &hit)))
            continue;
        *notes = place->notes;
        return true;
    }
    return stripe_at(scene, (double[2]){x_px, y_px}, notes);
}

static struct rv_pass make_pass(const struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    vec3 front = {0.5f * scene->layout.width, 0.0f, scene->layout.z_front};
    float distance = rv_camera_distance(&scene->camera, front);
    return (struct rv_pass){&scene->camera,  &scene->layout,    scene->look,
                            theme_of(frame), scene->is_settled, {distance, 1.0f / HAZE_DEPTH}};
}

static void clear(const struct rv_theme *theme)
{
    float colour[3];
    rv_pass_linear(theme->background, colour);
    glDepthMask(GL_TRUE);
    glClearColor(colour[0], colour[1], colour[2], 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}

/* Clip scrolled lanes at the edges. */
static void clip_to_room(const struct rv_scene *scene)
{
    vec2 low, high;
    if (!scene->is_settled || !scene->layout.is_flat ||
        !rv_camera_project(&scene->camera, (vec3){0.0f, 0.0f, 0.0f}, low) ||
        !rv_camera_project(&scene->camera, (vec3){0.0f, scene->layout.top, 0.0f}, high))
        return;
    int height_px = scene->camera.height_px;
    glScissor(0, height_px - (int)roundf(low[1]), scene->camera.width_px, (int)roundf(low[1] - high[1]));
    glEnable(GL_SCISSOR_TEST);
}

/* The caption takes the place of the picture, which would be an axis without calls. */
static bool has_caption_only(const struct rv_scene_frame *frame)
{
    return frame->caption && !frame->view->n_lanes;
}

static void draw_scene(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    struct rv_pass pass = make_pass(scene, frame);
    struct rv_ground_content ground = {rv_frame_data_content(scene->picture), &scene->ticks, frame->now_ns,
                                       frame->is_live || frame->has_now, frame->selected};
    struct rv_scene_labels_content labels = {scene->picture, &scene->ticks, frame->subroutines, frame->highlight,
                                             pass.theme};
    clear(pass.theme);
    if (has_caption_only(frame))
        return;
    clip_to_room(scene);
    rv_boxes_draw(scene->boxes, &pass, scene->picture, frame->highlight);
    glDepthMask(GL_FALSE);
    glDepthRange(1.0, 1.0); /* behind all boxes: hidden parts are not shaded */
    rv_ground_draw(scene->ground, &pass, &ground);
    glDepthRange(0.0, 1.0);
    rv_ground_draw_ribbon(scene->ground, &pass, ground.view);
    rv_arcs_draw(scene->arcs, &pass, &scene->picture->arcs, frame->arc ? frame->arc - 1 : RV_ARCS_NONE,
                 (float)frame->scale);
    glDisable(GL_SCISSOR_TEST);
    rv_scene_labels_draw(scene->labels, &pass, &labels);
    glDepthMask(GL_TRUE);
    clip_to_room(scene);
    rv_boxes_draw_cells(scene->boxes, &pass, scene->picture, frame->highlight);
    glDisable(GL_SCISSOR_TEST);
    rv_scene_labels_draw_before(scene->labels, &pass);
}

static void add_flat_text(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    if (scene->look->field_of_view > 0.0f || !scene->is_settled || has_caption_only(frame))
        return;
    struct rv_pass pass = make_pass(scene, frame);
    struct rv_scene_labels_content labels = {scene->picture, &scene->ticks, frame->subroutines, frame->highlight,
                                             pass.theme};
    if (scene->look->is_flat) {
        rv_flat_labels_add_names(scene->overlay, &pass, &labels, (float)frame->scale);
        rv_caller_labels_add(scene->overlay, &pass, &labels, (float)frame->scale);
    }
    rv_flat_labels_add_axis(scene->overlay, &pass, &scene->ticks, (float)frame->scale);
}

static void add_caption(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    if (!frame->caption || !frame->view->n_lanes)
        return;
    float width = rv_overlay_text_width(scene->overlay, RV_FONT_BOLD, frame->caption);
    struct rv_overlay_area plate = {frame->insets.left + CAPTION_X, frame->insets.top + CAPTION_Y,
                                    width + 2.0f * CAPTION_PADDING, CAPTION_HEIGHT};
    rv_overlay_rectangle(scene->overlay, plate, 5.0f, rv_theme_rgba(theme_of(frame)->panel, 0.82f));
    rv_overlay_text(scene->overlay, RV_FONT_BOLD, (float[2]){plate.x + CAPTION_PADDING, plate.y + CAPTION_BASE},
                    frame->caption, rv_theme_rgba(theme_of(frame)->text_strong, 1.0f));
}

/* Of a call with several boxes, the first is highlighted as the box, the others as of its subroutine. */
static void point_out_leaf(const struct rv_scene *scene, struct rv_scene_frame *frame, struct rv_highlight *leaf)
{
    const struct rv_leaf_view *leaves = &scene->picture->leaves;
    if (!frame->highlight || !scene->picture->has_leaves)
        return;
    *leaf = (struct rv_highlight){frame->highlight->id, UINT32_MAX, frame->highlight->is_pinned};
    for (size_t i = 0; leaf->box == UINT32_MAX && i < leaves->view.n_boxes; i++)
        if (leaves->sources[i] == frame->highlight->box)
            leaf->box = (uint32_t)i;
    frame->highlight = leaf;
}

const struct rv_frame_data *rv_scene_picture(const struct rv_scene *scene)
{
    return scene->picture;
}

/* Beside the panels, which would be in front of it. */
static void add_tooltip(struct rv_scene *scene, const struct rv_scene_frame *shown)
{
    const struct rv_scene_insets *insets = &shown->insets;
    const float end[2] = {(float)(shown->width_px / shown->scale) - insets->right,
                          (float)(shown->height_px / shown->scale) - insets->bottom};
    rv_tooltip_add(scene->overlay, scene->picture->colors, shown->tooltip, end, insets->top);
}

void rv_scene_draw(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    struct rv_scene_frame shown = *frame;
    if (!complete_frame(scene, &shown))
        return;
    struct rv_highlight leaf;
    GLint framebuffer = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
    if (rv_framebuffer_resize(&scene->target, shown.width_px, shown.height_px, shown.samples))
        return;
    rv_text_glyphs_begin(scene->atlas, shown.text_ns);
    place(scene, &shown);
    point_out_leaf(scene, &shown, &leaf);
    const struct rv_highlight *outlined = shown.highlight && !shown.highlight->is_pinned ? shown.highlight : NULL;
    if (outlined)
        shown.highlight = NULL;
    rv_framebuffer_begin(&scene->target);
    draw_scene(scene, &shown);
    rv_framebuffer_resolve(&scene->target);
    add_flat_text(scene, &shown);
    rv_lane_labels_add_lanes(scene->overlay, &shown, &scene->camera, &scene->layout, &scene->folds);
    scene->scale = shown.scale;
    add_caption(scene, &shown);
    rv_note_labels_add(scene->overlay, &shown, &scene->camera, &scene->layout, &scene->notes);
    rv_debugger_marks_add(scene->overlay, &scene->camera, &scene->layout, shown.view, &shown.stops, (float)shown.scale);
    rv_bookmark_flags_add(scene->overlay, &scene->camera, &scene->layout, &shown.flags, (float)shown.scale);
    rv_selected_range_add(scene->overlay, &scene->camera, &scene->layout, &shown.selected, (float)shown.scale);
    if (outlined)
        rv_outline_add(scene->overlay, &scene->camera, &scene->layout, scene->picture, outlined->box,
                       (float)shown.scale);
    if (shown.collection)
        rv_outline_add_collection(scene->overlay, &scene->camera, &scene->layout, &shown);
    if (shown.tooltip)
        add_tooltip(scene, &shown);
    rv_overlay_draw(scene->overlay);
    rv_framebuffer_copy(&scene->target, (GLuint)framebuffer);
}

bool rv_scene_lacks_text(const struct rv_scene *scene)
{
    return rv_text_glyphs_is_late(scene->atlas);
}

bool rv_scene_draw_again(const struct rv_scene *scene, int width_px, int height_px)
{
    const struct rv_framebuffer *target = &scene->target;
    GLint framebuffer = 0;
    if (!target->drawn || target->width_px != width_px || target->height_px != height_px)
        return false;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
    glDisable(GL_FRAMEBUFFER_SRGB);
    rv_framebuffer_copy(target, (GLuint)framebuffer);
    return true;
}

void rv_scene_draw_ids(struct rv_scene *scene, const struct rv_scene_frame *frame)
{
    rv_scene_place(scene, frame);
    struct rv_pass pass = make_pass(scene, frame);
    glViewport(0, 0, frame->width_px, frame->height_px);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glDisable(GL_BLEND);
    glDisable(GL_DITHER);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    rv_boxes_draw_ids(scene->boxes, &pass, scene->picture);
}

double rv_scene_share_at(const struct rv_scene *scene, double x_px, double y_px)
{
    if (!scene->camera.width_px)
        return 0.5;
    return rv_camera_x_at(&scene->camera, &scene->layout, x_px, y_px) / (double)scene->layout.width;
}

bool rv_scene_project(const struct rv_scene *scene, const struct rv_scene_place *spot, float out_px[2])
{
    if (spot->lane >= scene->layout.n_lanes)
        return false;
    const struct rv_lane_layout_lane *lane = &scene->layout.lanes[spot->lane];
    vec3 point = {(float)rv_lane_layout_x(&scene->layout, spot->time_ns), rv_lane_layout_row_y(lane, spot->depth),
                  lane->z + rv_lane_layout_thickness(lane, spot->depth)};
    return rv_camera_project(&scene->camera, point, out_px);
}

double rv_scene_scroll_to(const struct rv_scene *scene, const struct rv_scene_place *spot)
{
    const struct rv_lane_layout *layout = &scene->layout;
    if (!layout->is_flat || spot->lane >= layout->n_lanes)
        return 0.0;
    const struct rv_lane_layout_lane *lane = &layout->lanes[spot->lane];
    float y = rv_lane_layout_row_y(lane, spot->depth < lane->n_rows ? spot->depth : 0);
    if (y >= 0.0f && y + lane->row_height <= layout->top)
        return 0.0;
    return (double)((0.5f * layout->top - y) / RV_LANE_LAYOUT_POINT);
}

double rv_scene_row_height(const struct rv_scene *scene, uint32_t lane)
{
    const struct rv_lane_layout *layout = &scene->layout;
    bool is_there = layout->is_flat && lane < layout->n_lanes;
    return is_there ? (double)(layout->lanes[lane].row_height / RV_LANE_LAYOUT_POINT) : 0.0;
}

double rv_scene_page_height(const struct rv_scene *scene)
{
    return scene->layout.is_flat ? (double)(scene->layout.top / RV_LANE_LAYOUT_POINT) : 0.0;
}

void rv_scene_scroll_range(const struct rv_scene *scene, double range[2])
{
    range[0] = (double)scene->layout.scroll_range[0];
    range[1] = (double)scene->layout.scroll_range[1];
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
