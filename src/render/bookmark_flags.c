#include "render/bookmark_flags.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define RISE 30.0f /* points from the foot to the flag's text, in views without the line */
#define PLATE_HEIGHT 15.0f
#define BASELINE 11.0f
#define PADDING 5.0f
#define GAP 4.0f /* points between two flags */
#define TEXT_BYTES (RV_BOOKMARK_NOTE_BYTES + 24u)

static float plate_width(const struct rv_overlay *overlay, const char *text)
{
    return floorf(rv_overlay_text_width(overlay, RV_FONT_SMALL, text) + 2.0f * PADDING);
}

/* "3 note" cut to this width, which has room for the number in any case. Returns the width of its plate. */
static float make_text(const struct rv_overlay *overlay, size_t number, const char *note, float room,
                       char out[TEXT_BYTES])
{
    size_t n_number = (size_t)snprintf(out, TEXT_BYTES, "%zu", number), n = strlen(note);
    float width;
    if (n)
        (void)snprintf(out + n_number, TEXT_BYTES - n_number, " %s", note);
    while ((width = plate_width(overlay, out)) > room && n) {
        n = rv_text_whole(note, n, n - 1);
        out[n_number + (n ? n + 1 : 0)] = '\0';
    }
    return width;
}

static void add_flag(struct rv_overlay *overlay, const vec2 foot, float top, float width, const char *text)
{
    const struct rv_theme_tag *look = &rv_overlay_theme(overlay)->flag;
    float x = floorf(foot[0]);
    struct rv_overlay_area stem = {x, top, 1.0f, foot[1] - top}, plate = {x, top, width, PLATE_HEIGHT};
    rv_overlay_rectangle(overlay, stem, 0.0f, rv_theme_rgba(look->plate, 0.8f));
    rv_overlay_rectangle(overlay, plate, 2.0f, rv_theme_rgba(look->plate, 1.0f));
    rv_overlay_text(overlay, RV_FONT_SMALL, (float[2]){x + PADDING, top + BASELINE}, text,
                    rv_theme_rgba(look->text, 1.0f));
}

/* Points of its foot and head; false when it is not in the picture. */
static bool place(const struct rv_camera *camera, const struct rv_lane_layout *layout, uint64_t ns, float scale,
                  vec2 foot, vec2 head)
{
    float x = (float)rv_lane_layout_x(layout, ns);
    if (ns < layout->from_ns || ns > layout->to_ns ||
        !rv_camera_project(camera, (vec3){x, 0.0f, layout->z_front}, foot) ||
        !rv_camera_project(camera, (vec3){x, layout->top, layout->z_front}, head))
        return false;
    glm_vec2_scale(foot, 1.0f / scale, foot);
    glm_vec2_scale(head, 1.0f / scale, head);
    return true;
}

/* From the last one on, so that a note is cut where the next flag begins. */
void rv_bookmark_flags_add(struct rv_overlay *overlay, const struct rv_camera *camera,
                           const struct rv_lane_layout *layout, const struct rv_bookmark_flags *flags, float scale)
{
    float next_x = INFINITY;
    for (size_t i = flags->n; i-- > 0;) {
        char text[TEXT_BYTES];
        vec2 foot, head;
        if (!place(camera, layout, flags->times_ns[i], scale, foot, head))
            continue;
        float top = layout->is_flat ? head[1] : foot[1] - RISE;
        float width = make_text(overlay, i + 1, flags->notes[i], next_x - foot[0] - GAP, text);
        add_flag(overlay, foot, floorf(top), width, text);
        next_x = foot[0];
    }
}
