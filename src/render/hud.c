#include "render/hud.h"

#include <stdio.h>
#include <string.h>

#include "render/theme.h"

#define NAME_PADDING 8.0f
#define NAME_GAP 8.0f /* between a name's plate and its lane */
#define NAME_HEIGHT 21.0f
#define NAME_WIDTH_MAX 220.0f
#define NAME_TAIL 12u   /* bytes of a long name that stay at its end */
#define NAME_ROOM 15.0f /* names nearer than this to the last one are left out */
#define NAME_Y 0.15f    /* world height at which a name points */
#define GAP 14.0f

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

float rv_hud_left_margin(const struct rv_overlay *overlay, const struct rv_view *view)
{
    float widest = 0.0f;
    for (size_t i = 0; i < view->n_lanes; i++)
        widest = fmaxf(widest, rv_overlay_text_width(overlay, RV_FONT_BOLD, view->lanes[i].name));
    return fminf(widest, NAME_WIDTH_MAX) + 2.0f * NAME_PADDING + NAME_GAP + GAP;
}

/* Whole when it fits, else without its middle: the end of a thread's name tells it from the others. */
static void fit_name(const struct rv_overlay *overlay, const char *name, char *out, size_t out_bytes)
{
    size_t n_bytes = strlen(name), head = n_bytes > NAME_TAIL ? n_bytes - NAME_TAIL : 0;
    const char *tail = name + head;
    while (is_inside_character(*tail))
        tail++;
    snprintf(out, out_bytes, "%s", name);
    while (head > 0 && rv_overlay_text_width(overlay, RV_FONT_BOLD, out) > NAME_WIDTH_MAX) {
        head--;
        while (head > 0 && is_inside_character(name[head]))
            head--;
        snprintf(out, out_bytes, "%.*s…%s", (int)head, name, tail);
    }
}

static void add_waiting(struct rv_overlay *overlay, const struct rv_scene_frame *frame)
{
    const char *text = "waiting for the first event";
    float x = 0.5f * ((float)(frame->width_px / frame->scale) - rv_overlay_text_width(overlay, RV_FONT_TEXT, text));
    float y = 0.5f * (float)(frame->height_px / frame->scale);
    rv_overlay_text(overlay, RV_FONT_TEXT, (float[2]){x, y}, text, rv_theme_rgba(RV_THEME_TEXT, 1.0f));
}

void rv_hud_add_lanes(struct rv_overlay *overlay, const struct rv_scene_frame *frame, const struct rv_camera *camera,
                      const struct rv_stage *stage)
{
    float scale = (float)frame->scale, last_y = 1e9f;
    if (!frame->view->n_lanes)
        add_waiting(overlay, frame);
    for (size_t i = 0; i < frame->view->n_lanes && i < stage->n_lanes; i++) {
        vec2 px;
        const struct rv_stage_lane *lane = &stage->lanes[i];
        float height = stage->is_flat ? 0.5f * rv_stage_lane_top(lane) : NAME_Y;
        vec3 foot = {0.0f, lane->y + height, lane->z};
        if (stage->is_flat && (foot[1] < 0.0f || foot[1] > stage->top))
            continue;
        if (!rv_camera_project(camera, foot, px) || fabsf(last_y - px[1] / scale) < NAME_ROOM)
            continue;
        char name[RV_LANE_NAME_BYTES + 4];
        fit_name(overlay, frame->view->lanes[i].name, name, sizeof name);
        float width = rv_overlay_text_width(overlay, RV_FONT_BOLD, name) + 2.0f * NAME_PADDING;
        float x = floorf(px[0] / scale - width - NAME_GAP), y = floorf(px[1] / scale);
        last_y = y;
        struct rv_overlay_area area = {x, y - 11.0f, width, NAME_HEIGHT};
        rv_overlay_rectangle(overlay, area, 5.0f, rv_theme_rgba(RV_THEME_PANEL, 0.82f));
        rv_overlay_text(overlay, RV_FONT_BOLD, (float[2]){x + NAME_PADDING, y + 4.0f}, name,
                        rv_theme_rgba(RV_THEME_LANE, 1.0f));
    }
}
