#include "render/debugger_marks.h"

#include <math.h>

#define LINE_WIDTH 2.0f
#define TAG_HEIGHT 17.0f
#define TAG_BASELINE 12.5f
#define TAG_PADDING 6.0f
#define TAG_GAP 5.0f /* between the outline and its tag */
#define SIGN_WIDTH 8.0f
#define SIGN_HEIGHT 8.0f
#define BAR_WIDTH 3.0f

static const char TAG_TEXT[] = "stopped";

bool rv_debugger_marks_has(const struct rv_debugger_marks *stops, uint32_t lane_idx)
{
    for (size_t i = 0; i < stops->n; i++)
        if (stops->lanes[i] == lane_idx)
            return true;
    return false;
}

void rv_debugger_marks_add_sign(struct rv_overlay *overlay, float x, float y, uint32_t rgba)
{
    rv_overlay_rectangle(overlay, (struct rv_overlay_area){x, y, BAR_WIDTH, SIGN_HEIGHT}, 1.0f, rgba);
    rv_overlay_rectangle(overlay, (struct rv_overlay_area){x + SIGN_WIDTH - BAR_WIDTH, y, BAR_WIDTH, SIGN_HEIGHT}, 1.0f,
                         rgba);
}

/* The innermost open call that is shown; NULL if none. */
static const struct rv_box *find_innermost(const struct rv_view *view, const struct rv_view_lane *lane)
{
    const struct rv_box *innermost = NULL;
    for (size_t i = lane->first_box; i < (size_t)lane->first_box + lane->n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i];
        if (box->flags & RV_SPAN_OPEN && (!innermost || box->depth >= innermost->depth))
            innermost = box;
    }
    return innermost;
}

/* The corners of its front, from the lower left on; false if partly behind the eye or out of sight. */
static bool find_corners(const struct rv_camera *camera, const struct rv_lane_layout *layout,
                         const struct rv_lane_layout_lane *lane, const struct rv_box *box, float scale, vec2 corners[4])
{
    uint32_t depth = box->depth < lane->n_rows ? box->depth : lane->n_rows ? lane->n_rows - 1 : 0;
    float x[2] = {fmaxf((float)rv_lane_layout_x(layout, box->start_ns), 0.0f),
                  fminf((float)rv_lane_layout_x(layout, rv_box_end_ns(box)), layout->width)};
    float y[2] = {rv_lane_layout_row_y(lane, depth),
                  rv_lane_layout_row_y(lane, depth) + layout->box_share * lane->row_height};
    float z = lane->z + rv_lane_layout_thickness(lane, depth);
    if (x[1] <= x[0] || (layout->is_flat && (y[0] < 0.0f || y[1] > layout->top)))
        return false;
    for (int i = 0; i < 4; i++) {
        if (!rv_camera_project(camera, (vec3){x[i == 1 || i == 2], y[i >= 2], z}, corners[i]))
            return false;
        glm_vec2_scale(corners[i], 1.0f / scale, corners[i]);
    }
    return true;
}

/* At the end of its upper edge. */
static void add_tag(struct rv_overlay *overlay, const float at[2])
{
    const struct rv_theme *theme = rv_overlay_theme(overlay);
    uint32_t ink = rv_theme_rgba(theme->background, 1.0f);
    float width = rv_overlay_text_width(overlay, RV_FONT_BOLD, TAG_TEXT) + SIGN_WIDTH + 3.0f * TAG_PADDING;
    float x = floorf(at[0] - width), y = floorf(at[1] - TAG_HEIGHT - TAG_GAP);
    rv_overlay_rectangle(overlay, (struct rv_overlay_area){x, y, width, TAG_HEIGHT}, 4.0f,
                         rv_theme_rgba(theme->accent, 1.0f));
    rv_debugger_marks_add_sign(overlay, x + TAG_PADDING, y + 0.5f * (TAG_HEIGHT - SIGN_HEIGHT), ink);
    rv_overlay_text(overlay, RV_FONT_BOLD, (float[2]){x + 2.0f * TAG_PADDING + SIGN_WIDTH, y + TAG_BASELINE}, TAG_TEXT,
                    ink);
}

void rv_debugger_marks_add(struct rv_overlay *overlay, const struct rv_camera *camera,
                           const struct rv_lane_layout *layout, const struct rv_view *view,
                           const struct rv_debugger_marks *stops, float scale)
{
    uint32_t rgba = rv_theme_rgba(rv_overlay_theme(overlay)->accent, 1.0f);
    for (size_t i = 0; stops->n && i < view->n_lanes && i < layout->n_lanes; i++) {
        const struct rv_view_lane *lane = &view->lanes[i];
        const struct rv_box *box = rv_debugger_marks_has(stops, lane->lane_idx) ? find_innermost(view, lane) : NULL;
        vec2 corners[4];
        if (!box || !find_corners(camera, layout, &layout->lanes[i], box, scale, corners))
            continue;
        for (int j = 0; j < 4; j++)
            rv_overlay_line(overlay, corners[j], corners[(j + 1) % 4], LINE_WIDTH, rgba);
        add_tag(overlay, corners[2]);
    }
}
