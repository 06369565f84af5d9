#include "render/flat_labels.h"

#include <math.h>

#include "model/short_name.h"

#define ROW_MIN 11.5f /* points of a row that carries text */
#define ROW_LARGE 18.0f
#define WIDTH_MIN 26.0f
#define PADDING 3.0f
#define CAP_SMALL 8.0f
#define CAP_TEXT 9.5f
#define AXIS_BASELINE 17.0f /* below the lanes */
#define BASE_INDENT 14.0f
#define CAPTION_BYTES 160
#define PLATE_MARGIN 2.0f
#define SHARE_MIN 0.5f /* of a row: least height of a box that carries text */

struct row { /* a box with its lane and row */
    size_t lane;
    const struct rv_box *box;
    struct rv_overlay_area area;
    double from, per_point; /* its begin, and a point's width, as shares of the window */
};

static void add_caption(struct rv_overlay *overlay, const struct rv_scene_labels_content *content,
                        const struct row *row)
{
    const struct rv_overlay_area area = row->area;
    char full[512], caption[CAPTION_BYTES];
    enum rv_font font = area.height >= ROW_LARGE - 1.0f ? RV_FONT_TEXT : RV_FONT_SMALL;
    float cap = font == RV_FONT_TEXT ? CAP_TEXT : CAP_SMALL;
    rv_scene_labels_name(content, row->box->id, full, sizeof full);
    const struct rv_text_glyphs_font face = {rv_overlay_atlas(overlay), font};
    const struct rv_short_name_room room = rv_text_glyphs_room(&face, area.width - 2.0f * PADDING);
    if (!rv_short_name_fit(full, &room, caption, sizeof caption))
        return;
    float at[2] = {area.x + PADDING, floorf(area.y + 0.5f * (area.height + cap))};
    const float width = rv_overlay_text_width(overlay, font, caption) + 2.0f * PADDING;
    const bool is_hollow = rv_off_cpu_touches(&content->picture->off_cpu, row->lane, row->from,
                                              row->from + row->per_point * (double)width);
    if (is_hollow) /* a name may reach over several changes */
        rv_overlay_rectangle(
            overlay, (struct rv_overlay_area){area.x, at[1] - cap - PLATE_MARGIN, width, cap + 2.0f * PLATE_MARGIN},
            0.0f, rv_theme_rgba(content->theme->background, RV_SCENE_LABELS_HOLLOW_PLATE));
    rv_overlay_text(overlay, font, at, caption,
                    is_hollow ? rv_scene_labels_hollow_colour(content, row->box)
                              : rv_scene_labels_colour(content, row->box, row->lane));
}

/* False when it has no text: too narrow, too low or out of sight. */
static bool place_row(const struct rv_pass *pass, const struct rv_scene_labels_content *content, float scale,
                      struct row *row)
{
    const struct rv_lane_layout *layout = pass->layout;
    const struct rv_lane_layout_lane *lane = &layout->lanes[row->lane];
    const struct rv_box_colors *colors = content->picture->colors;
    const struct rv_box *box = row->box;
    float height = lane->row_height / RV_LANE_LAYOUT_POINT;
    float left = fmaxf(0.0f, (float)rv_lane_layout_x(layout, box->start_ns));
    float right = fminf(layout->width, (float)rv_lane_layout_x(layout, rv_box_end_ns(box)));
    vec2 px, end_px;
    if (height < ROW_MIN || (right - left) < WIDTH_MIN * scale * pass->camera->pixel)
        return false;
    uint32_t colour_idx = rv_box_colors_index(colors, box, content->picture->view->lanes[row->lane].thread);
    float share = layout->box_share * rv_box_colors_height(colors, colour_idx);
    float foot = rv_lane_layout_row_y(lane, box->depth), y = foot + share * lane->row_height;
    if (share < SHARE_MIN || y > layout->top || foot < -RV_LANE_LAYOUT_POINT ||
        !rv_camera_project(pass->camera, (vec3){left, y, lane->z}, px) ||
        !rv_camera_project(pass->camera, (vec3){right, y, lane->z}, end_px))
        return false;
    row->area = (struct rv_overlay_area){px[0] / scale, px[1] / scale, (end_px[0] - px[0]) / scale, share * height};
    row->from = (double)(left / layout->width);
    row->per_point = (double)((right - left) / layout->width / row->area.width);
    return true;
}

void rv_flat_labels_add_names(struct rv_overlay *overlay, const struct rv_pass *pass,
                              const struct rv_scene_labels_content *content, float scale)
{
    const struct rv_frame_data *picture = content->picture;
    const struct rv_view *view = rv_frame_data_content(picture);
    for (size_t i = 0; i < picture->n_wide && picture->wide[i].lane < pass->layout->n_lanes; i++) {
        struct row row = {.lane = picture->wide[i].lane, .box = &view->boxes[picture->wide[i].box]};
        if (place_row(pass, content, scale, &row))
            add_caption(overlay, content, &row);
    }
}

/* Points from one mark to the next. */
static float tick_distance(const struct rv_pass *pass, const struct rv_time_axis *ticks, float z, float scale)
{
    vec2 px[2];
    for (size_t i = 0; i < 2; i++)
        if (ticks->n < 2 ||
            !rv_camera_project(pass->camera,
                               (vec3){(float)rv_lane_layout_x(pass->layout, ticks->items[i].time_ns), 0.0f, z}, px[i]))
            return INFINITY;
    return (px[1][0] - px[0][0]) / scale;
}

static float widest_label(struct rv_overlay *overlay, const struct rv_time_axis *ticks)
{
    float widest = 0.0f;
    for (size_t i = 0; i < ticks->n; i++)
        widest = fmaxf(widest, rv_overlay_text_width(overlay, RV_FONT_SMALL, ticks->items[i].text));
    return widest;
}

void rv_flat_labels_add_axis(struct rv_overlay *overlay, const struct rv_pass *pass, const struct rv_time_axis *ticks,
                             float scale)
{
    vec2 px;
    float z = pass->layout->is_flat ? 0.0f : pass->layout->z_front;
    const unsigned every =
        rv_time_axis_label_every(widest_label(overlay, ticks) + BASE_INDENT, tick_distance(pass, ticks, z, scale));
    uint32_t rgba = rv_theme_rgba(pass->theme->tick, 1.0f);
    const float base_end = 2.0f * BASE_INDENT + rv_overlay_text_width(overlay, RV_FONT_SMALL, ticks->base);
    for (size_t i = 0; i < ticks->n; i++) {
        const struct rv_tick *tick = &ticks->items[i];
        if (!rv_camera_project(pass->camera, (vec3){(float)rv_lane_layout_x(pass->layout, tick->time_ns), 0.0f, z}, px))
            continue;
        float x = px[0] / scale;
        struct rv_overlay_area mark = {floorf(x), px[1] / scale, 1.0f, 4.0f};
        rv_overlay_rectangle(overlay, mark, 0.0f, rgba);
        if (tick->number % every)
            continue;
        const float left = floorf(x - 0.5f * rv_overlay_text_width(overlay, RV_FONT_SMALL, tick->text));
        if (left >= base_end || !*ticks->base)
            rv_overlay_text(overlay, RV_FONT_SMALL, (float[2]){left, px[1] / scale + AXIS_BASELINE}, tick->text, rgba);
    }
    if (rv_camera_project(pass->camera, (vec3){0.0f, 0.0f, z}, px))
        rv_overlay_text(overlay, RV_FONT_SMALL, (float[2]){BASE_INDENT, px[1] / scale + AXIS_BASELINE}, ticks->base,
                        rv_theme_rgba(pass->theme->now, 1.0f));
}
