#include "render/hud.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "render/caption.h"
#include "render/theme.h"

#define NAME_PADDING 8.0f
#define NAME_GAP 8.0f /* between a name's plate and its lane */
#define NAME_HEIGHT 21.0f
#define NAME_WIDTH_MAX 220.0f
#define NAME_ROOM 15.0f /* names nearer than this to the last one are left out */
#define NAME_Y 0.15f    /* world height at which a name points */
#define BASELINE 23.0f
#define GAP 14.0f

float rv_hud_left_margin(const struct rv_overlay *overlay, const struct rv_view *view)
{
    float widest = 0.0f;
    for (size_t i = 0; i < view->n_lanes; i++)
        widest = fmaxf(widest, rv_overlay_text_width(overlay, RV_FONT_BOLD, view->lanes[i].name));
    return fminf(widest, NAME_WIDTH_MAX) + 2.0f * NAME_PADDING + NAME_GAP + GAP;
}

/* Whole when it fits, else cut from the left part of its components, else with an ellipsis. */
static void fit_name(const struct rv_overlay *overlay, const char *name, char *out, size_t out_bytes)
{
    float width = rv_overlay_text_width(overlay, RV_FONT_BOLD, name);
    float own_width = rv_font_width(RV_FONT_BOLD, name, strlen(name));
    float room = width > 0.0f ? NAME_WIDTH_MAX * own_width / width : NAME_WIDTH_MAX;
    if (!rv_caption_fit(name, RV_FONT_BOLD, room, out, out_bytes))
        out[0] = '\0';
}

void rv_hud_add_lanes(struct rv_overlay *overlay, const struct rv_scene_frame *frame, const struct rv_camera *camera,
                      const struct rv_stage *stage)
{
    float scale = (float)frame->scale, last_y = 1e9f;
    for (size_t i = 0; i < frame->view->n_lanes && i < stage->n_lanes; i++) {
        vec2 px;
        vec3 foot = {0.0f, NAME_Y, stage->lanes[i].z};
        if (!rv_camera_project(camera, foot, px) || last_y - px[1] / scale < NAME_ROOM)
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

struct state_look {
    const char *text;
    uint32_t plate, dot, letters;
};

static const struct state_look state_looks[] = {
    [RV_SCENE_LIVE] = {"LIVE", 0x12402au, 0x4be08bu, 0x7df0aeu},
    [RV_SCENE_FROZEN] = {"FROZEN", 0x16324fu, 0x6fb8ffu, 0xa9d4ffu},
    [RV_SCENE_ENDED] = {"ENDED", 0x2a303cu, 0x8f9bb0u, 0xb9c4d6u},
};

static float add_state(struct rv_overlay *overlay, enum rv_scene_state state, float x)
{
    const struct state_look *look = &state_looks[state];
    float width = rv_overlay_text_width(overlay, RV_FONT_SMALL, look->text) + 29.0f;
    struct rv_overlay_area plate = {x, 10.0f, width, 15.0f}, dot = {x + 7.0f, 14.5f, 6.0f, 6.0f};
    rv_overlay_rectangle(overlay, plate, 7.5f, rv_theme_rgba(look->plate, 1.0f));
    rv_overlay_rectangle(overlay, dot, 3.0f, rv_theme_rgba(look->dot, 1.0f));
    rv_overlay_text(overlay, RV_FONT_SMALL, (float[2]){x + 18.0f, 22.0f}, look->text,
                    rv_theme_rgba(look->letters, 1.0f));
    return x + width;
}

static void format_rate(char *out, size_t out_bytes, double events_per_s)
{
    if (events_per_s < 0.0)
        out[0] = '\0';
    else if (events_per_s >= 1e6)
        snprintf(out, out_bytes, "%.2f M events/s    ", events_per_s / 1e6);
    else if (events_per_s >= 1e3)
        snprintf(out, out_bytes, "%.1f k events/s    ", events_per_s / 1e3);
    else
        snprintf(out, out_bytes, "%.0f events/s    ", events_per_s);
}

void rv_hud_add_bar(struct rv_overlay *overlay, const struct rv_scene_frame *frame)
{
    const struct rv_scene_status *status = &frame->status;
    if (!status->program)
        return;
    float width = (float)(frame->width_px / frame->scale);
    struct rv_overlay_area bar = {0.0f, 0.0f, width, RV_HUD_BAR_HEIGHT}, rim = {0.0f, RV_HUD_BAR_HEIGHT, width, 1.0f};
    rv_overlay_rectangle(overlay, bar, 0.0f, rv_theme_rgba(RV_THEME_BAR, 0.96f));
    rv_overlay_rectangle(overlay, rim, 0.0f, rv_theme_rgba(RV_THEME_LINE, 1.0f));
    uint32_t text_rgba = rv_theme_rgba(RV_THEME_TEXT, 1.0f);
    char text[256], rate[64];
    float x = rv_overlay_text(overlay, RV_FONT_BOLD, (float[2]){GAP, BASELINE}, "ringviz",
                              rv_theme_rgba(RV_THEME_TEXT_STRONG, 1.0f));
    snprintf(text, sizeof text, "%.120s", status->program);
    if (status->pid)
        snprintf(text, sizeof text, "%.120s   pid %" PRIu32, status->program, status->pid);
    x = rv_overlay_text(overlay, RV_FONT_TEXT, (float[2]){x + GAP, BASELINE}, text, text_rgba);
    x = add_state(overlay, status->state, floorf(x + 1.5f * GAP));
    format_rate(rate, sizeof rate, status->events_per_s);
    snprintf(text, sizeof text, "%sdrops %" PRIu64 "    %zu boxes drawn, %" PRIu64 " calls folded", rate,
             status->n_dropped, frame->view->n_boxes, frame->view->n_folded);
    rv_overlay_text(overlay, RV_FONT_TEXT, (float[2]){x + GAP, BASELINE}, text, text_rgba);
}
