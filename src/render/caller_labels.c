#include "render/caller_labels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"
#include "model/short_name.h"

#define NAME_WIDTH 150.0f
#define NAME_BYTES 96
#define LINE_BYTES 512
#define ROW_READABLE 8.0f /* points; lower rows show the shape of a stack, not single calls */
#define HEIGHT 20.0f
#define PADDING 8.0f
#define INSET 6.0f

static uint64_t visible_ns(const struct rv_view *view, const struct rv_box *box)
{
    uint64_t end_ns = rv_box_end_ns(box);
    uint64_t from_ns = box->start_ns > view->from_ns ? box->start_ns : view->from_ns;
    uint64_t to_ns = end_ns < view->to_ns ? end_ns : view->to_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static const struct rv_box *find_longest(const struct rv_view *view, const struct rv_view_lane *lane, uint32_t depth)
{
    const struct rv_box *longest = NULL;
    for (size_t i = lane->first_box; i < (size_t)lane->first_box + lane->n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i];
        if (box->depth == depth && (!longest || visible_ns(view, box) > visible_ns(view, longest)))
            longest = box;
    }
    return longest;
}

bool rv_callers_find(const struct rv_view *view, const struct rv_view_lane *lane, uint32_t depth,
                     struct rv_callers *out)
{
    const struct rv_box *call = find_longest(view, lane, depth);
    *out = (struct rv_callers){.nearest_depth = UINT32_MAX};
    for (size_t i = lane->first_box; call && i < (size_t)lane->first_box + lane->n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i];
        bool is_caller = box->coverage == RV_BOX_EXACT && box->depth < depth && box->start_ns <= call->start_ns &&
                         rv_box_end_ns(box) >= rv_box_end_ns(call);
        if (is_caller && box->depth == out->n_outermost && out->n_outermost < RV_CALLER_LABELS_OUTERMOST)
            out->outermost[out->n_outermost++] = box->id;
        if (is_caller && (out->nearest_depth == UINT32_MAX || box->depth > out->nearest_depth)) {
            out->nearest = box->id;
            out->nearest_depth = box->depth;
        }
    }
    return call;
}

static void append_name(const struct rv_scene_labels_content *content, struct rv_text_glyphs *atlas, uint32_t id,
                        char line[LINE_BYTES])
{
    const struct rv_text_glyphs_font font = {atlas, RV_FONT_SMALL};
    const struct rv_short_name_room room = rv_text_glyphs_room(&font, NAME_WIDTH);
    char full[512], name[NAME_BYTES] = "";
    rv_scene_labels_name(content, id, full, sizeof full);
    (void)rv_short_name_fit(full, &room, name, sizeof name);
    rv_text_append(line, LINE_BYTES, name, SIZE_MAX);
}

/* "4,936 rows below: main > run > ... > recurse" */
static void write_line(const struct rv_scene_labels_content *content, struct rv_text_glyphs *atlas,
                       const struct rv_callers *callers, uint32_t n_rows, char line[LINE_BYTES])
{
    (void)snprintf(line, LINE_BYTES, "%" PRIu32 " %s below", n_rows, rv_units_word(n_rows, "row", "rows"));
    for (uint32_t i = 0; i < callers->n_outermost; i++) {
        rv_text_append(line, LINE_BYTES, i ? " \u2192 " : ": ", SIZE_MAX);
        append_name(content, atlas, callers->outermost[i], line);
    }
    if (callers->nearest_depth == UINT32_MAX || callers->nearest_depth < callers->n_outermost)
        return;
    bool is_next = callers->nearest_depth == callers->n_outermost;
    rv_text_append(line, LINE_BYTES, is_next ? " \u2192 " : " \u2192 \u2026 \u2192 ", SIZE_MAX);
    append_name(content, atlas, callers->nearest, line);
}

/* The lowest row that is wholly in sight; 0: the lane's foot is, or it is not taller than the picture. */
static uint32_t lowest_row(const struct rv_lane_layout *layout, const struct rv_lane_layout_lane *lane)
{
    float height = rv_lane_layout_lane_top(lane);
    bool is_tall = height > layout->top && lane->row_height >= ROW_READABLE * RV_LANE_LAYOUT_POINT;
    return is_tall && lane->y < 0.0f && lane->y + height > 0.0f ? (uint32_t)ceilf(-lane->y / lane->row_height) : 0;
}

void rv_caller_labels_add(struct rv_overlay *overlay, const struct rv_pass *pass,
                          const struct rv_scene_labels_content *content, float scale)
{
    const struct rv_view *view = rv_frame_data_content(content->picture);
    const struct rv_lane_layout *layout = pass->layout;
    for (size_t i = 0; i < view->n_lanes && i < layout->n_lanes; i++) {
        struct rv_callers callers;
        char line[LINE_BYTES];
        vec2 px;
        uint32_t depth = lowest_row(layout, &layout->lanes[i]);
        if (!depth || !rv_camera_project(pass->camera, (vec3){0.0f, 0.0f, layout->lanes[i].z}, px))
            continue;
        (void)rv_callers_find(view, &view->lanes[i], depth, &callers);
        write_line(content, rv_overlay_atlas(overlay), &callers, depth, line);
        float width = rv_overlay_text_width(overlay, RV_FONT_SMALL, line) + 2.0f * PADDING;
        struct rv_overlay_area plate = {floorf(px[0] / scale + INSET), floorf(px[1] / scale - HEIGHT - INSET), width,
                                        HEIGHT};
        rv_overlay_rectangle(overlay, plate, 4.0f, rv_theme_rgba(content->theme->panel, 0.92f));
        rv_overlay_text(overlay, RV_FONT_SMALL, (float[2]){plate.x + PADDING, plate.y + 14.0f}, line,
                        rv_theme_rgba(content->theme->text_strong, 1.0f));
    }
}
