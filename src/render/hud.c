#include "render/hud.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "render/theme.h"

#define NAME_PADDING 8.0f
#define NAME_GAP 8.0f /* between a name's plate and its lane */
#define NAME_HEIGHT 21.0f
#define NAME_WIDTH_MAX 220.0f
#define NAME_TAIL 12u   /* bytes of a long name that stay at its end */
#define NAME_ROOM 15.0f /* names nearer than this to the last one are left out */
#define NAME_Y 0.15f    /* world height at which a name points */
#define TAG_RISE 26.0f  /* of a tag's text above what it is about */
#define TAG_LOWER 18.0f /* in flat looks, whose margin has less room */
#define TAG_LOST 0x6b1626u
#define TAG_LOST_TEXT 0xffc2ccu
#define TAG_GC 0x7a3606u
#define TAG_GC_TEXT 0xffd9b8u
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

static void note_text(const struct rv_lane_note *note, char *out, size_t out_bytes)
{
    char duration[32];
    rv_units_format_ns(duration, sizeof duration, note->end_ns - note->start_ns);
    if (note->kind == RV_NOTE_LOST)
        snprintf(out, out_bytes, "lost %" PRIu32, note->id);
    else
        snprintf(out, out_bytes, note->end_ns == UINT64_MAX ? "GC" : "GC %s", duration);
}

/* A tag where the note begins, unless the last one reaches as far. Returns where this one ends. */
static float add_tag(struct rv_overlay *overlay, const struct rv_lane_note *note, const vec2 at, float taken)
{
    char text[64];
    note_text(note, text, sizeof text);
    if (at[0] < taken)
        return taken;
    bool is_lost = note->kind == RV_NOTE_LOST;
    float width = rv_overlay_text_width(overlay, RV_FONT_SMALL, text), y = floorf(at[1] - TAG_RISE);
    struct rv_overlay_area stem = {at[0], y, 1.0f, TAG_RISE}, plate = {at[0] - 4.0f, y - 12.0f, width + 8.0f, 16.0f};
    uint32_t plate_rgb = is_lost ? TAG_LOST : TAG_GC, text_rgb = is_lost ? TAG_LOST_TEXT : TAG_GC_TEXT;
    rv_overlay_rectangle(overlay, stem, 0.0f, rv_theme_rgba(text_rgb, 0.5f));
    rv_overlay_rectangle(overlay, plate, 3.0f, rv_theme_rgba(plate_rgb, 0.92f));
    rv_overlay_text(overlay, RV_FONT_SMALL, (float[2]){at[0], y}, text, rv_theme_rgba(text_rgb, 1.0f));
    return at[0] + width + GAP;
}

static void add_lane_tags(struct rv_overlay *overlay, const struct rv_scene_frame *frame,
                          const struct rv_camera *camera, const struct rv_stage *stage, size_t lane)
{
    const struct rv_view_lane *shown = &frame->view->lanes[lane];
    float taken_gc = -1e9f, taken_lost = -1e9f, scale = (float)frame->scale;
    for (size_t i = shown->first_note; i < (size_t)shown->first_note + shown->n_notes; i++) {
        const struct rv_lane_note *note = &frame->view->notes[i];
        bool is_gc = note->kind == RV_NOTE_GC,
             is_outside = note->end_ns < stage->from_ns || note->start_ns > stage->to_ns;
        if (is_outside || (!is_gc && note->kind != RV_NOTE_LOST))
            continue;
        float x = fmaxf(0.0f, (float)rv_stage_x(stage, note->start_ns));
        const struct rv_stage_lane *stand = &stage->lanes[lane];
        float gc_y = stage->is_flat ? stage->top : 0.0f;
        vec3 foot = {x, is_gc ? gc_y : stand->y + rv_stage_lane_top(stand), is_gc ? stage->z_back : stand->z};
        vec2 at;
        if (!rv_camera_project(camera, foot, at))
            continue;
        glm_vec2_scale(at, 1.0f / scale, at);
        at[1] += stage->is_flat ? TAG_LOWER : 0.0f;
        float *taken = is_gc ? &taken_gc : &taken_lost;
        *taken = add_tag(overlay, note, at, *taken);
    }
}

void rv_hud_add_tags(struct rv_overlay *overlay, const struct rv_scene_frame *frame, const struct rv_camera *camera,
                     const struct rv_stage *stage)
{
    for (size_t lane = 0; lane < frame->view->n_lanes && lane < stage->n_lanes; lane++)
        add_lane_tags(overlay, frame, camera, stage, lane);
}
