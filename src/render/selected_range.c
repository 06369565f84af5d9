#include "render/selected_range.h"

#include <math.h>

#include "base/units.h"

#define TINT_ALPHA 0.10f
#define EDGE_ALPHA 0.85f
#define WALL_SHARE 0.7f /* of the wall, below the tag in 3D */
#define TAG_HEIGHT 18.0f
#define TAG_PADDING 7.0f
#define TAG_GAP 4.0f
#define TAG_BASELINE 13.0f

bool rv_selected_range_extent(const struct rv_lane_layout *layout, const struct rv_range_ns *range, float x[2])
{
    if (range->to_ns <= range->from_ns || range->to_ns <= layout->from_ns || range->from_ns >= layout->to_ns)
        return false;
    x[0] = fmaxf(0.0f, (float)rv_lane_layout_x(layout, range->from_ns));
    x[1] = fminf(layout->width, (float)rv_lane_layout_x(layout, range->to_ns));
    return true;
}

/* Drawn over the boxes, which cover the ground. */
static void add_band(struct rv_overlay *overlay, const float low[2], const float high[2])
{
    const struct rv_theme *theme = rv_overlay_theme(overlay);
    uint32_t edge = rv_theme_rgba(theme->accent, EDGE_ALPHA);
    float width = fmaxf(high[0] - low[0], 1.0f), height = low[1] - high[1];
    rv_overlay_rectangle(overlay, (struct rv_overlay_area){low[0], high[1], width, height}, 0.0f,
                         rv_theme_rgba(theme->accent, TINT_ALPHA));
    rv_overlay_rectangle(overlay, (struct rv_overlay_area){floorf(low[0]), high[1], 1.0f, height}, 0.0f, edge);
    rv_overlay_rectangle(overlay, (struct rv_overlay_area){floorf(high[0]), high[1], 1.0f, height}, 0.0f, edge);
}

static void add_tag(struct rv_overlay *overlay, const struct rv_range_ns *range, float middle, float bottom)
{
    char text[32];
    const struct rv_theme *theme = rv_overlay_theme(overlay);
    rv_units_format_ns(text, sizeof text, range->to_ns - range->from_ns);
    float width = rv_overlay_text_width(overlay, RV_FONT_BOLD, text) + 2.0f * TAG_PADDING;
    float x = floorf(middle - 0.5f * width), y = floorf(bottom - TAG_HEIGHT - TAG_GAP);
    rv_overlay_rectangle(overlay, (struct rv_overlay_area){x, y, width, TAG_HEIGHT}, 4.0f,
                         rv_theme_rgba(theme->accent, 1.0f));
    rv_overlay_text(overlay, RV_FONT_BOLD, (float[2]){x + TAG_PADDING, y + TAG_BASELINE}, text,
                    rv_theme_rgba(theme->background, 1.0f));
}

void rv_selected_range_add(struct rv_overlay *overlay, const struct rv_camera *camera,
                           const struct rv_lane_layout *layout, const struct rv_range_ns *range, float scale)
{
    float x[2];
    vec2 low, high;
    float z = layout->is_flat ? 0.0f : layout->z_back, top = layout->is_flat ? layout->top : WALL_SHARE * layout->top;
    if (!rv_selected_range_extent(layout, range, x) || !rv_camera_project(camera, (vec3){x[0], 0.0f, z}, low) ||
        !rv_camera_project(camera, (vec3){x[1], top, z}, high))
        return;
    for (int i = 0; i < 2; i++) {
        low[i] /= scale;
        high[i] /= scale;
    }
    if (layout->is_flat)
        add_band(overlay, low, high);
    add_tag(overlay, range, 0.5f * (low[0] + high[0]), high[1]);
}
