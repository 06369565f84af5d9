#include "render/bookmark_flags.h"

#include <math.h>
#include <stdio.h>

#define RISE 30.0f /* points from the foot to the flag's text, in views without the line */
#define PLATE_HEIGHT 15.0f
#define BASELINE 11.0f
#define PADDING 5.0f

static void add_flag(struct rv_overlay *overlay, const vec2 foot, float top, size_t number)
{
    char text[24];
    const struct rv_theme_tag *look = &rv_overlay_theme(overlay)->flag;
    snprintf(text, sizeof text, "%zu", number);
    float width = rv_overlay_text_width(overlay, RV_FONT_SMALL, text) + 2.0f * PADDING, x = floorf(foot[0]);
    struct rv_overlay_area stem = {x, top, 1.0f, foot[1] - top}, plate = {x, top, floorf(width), PLATE_HEIGHT};
    rv_overlay_rectangle(overlay, stem, 0.0f, rv_theme_rgba(look->plate, 0.8f));
    rv_overlay_rectangle(overlay, plate, 2.0f, rv_theme_rgba(look->plate, 1.0f));
    rv_overlay_text(overlay, RV_FONT_SMALL, (float[2]){x + PADDING, top + BASELINE}, text,
                    rv_theme_rgba(look->text, 1.0f));
}

void rv_bookmark_flags_add(struct rv_overlay *overlay, const struct rv_camera *camera,
                           const struct rv_lane_layout *layout, const struct rv_bookmark_flags *flags, float scale)
{
    for (size_t i = 0; i < flags->n; i++) {
        uint64_t ns = flags->times_ns[i];
        float x = (float)rv_lane_layout_x(layout, ns);
        vec2 foot, head;
        if (ns < layout->from_ns || ns > layout->to_ns ||
            !rv_camera_project(camera, (vec3){x, 0.0f, layout->z_front}, foot) ||
            !rv_camera_project(camera, (vec3){x, layout->top, layout->z_front}, head))
            continue;
        glm_vec2_scale(foot, 1.0f / scale, foot);
        float top = layout->is_flat ? head[1] / scale : foot[1] - RISE;
        add_flag(overlay, foot, floorf(top), i + 1);
    }
}
