#include "ui/timebar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EDGE 16.0f
#define BUTTONS_Y 5.0f
#define STEP_WIDTH 24.0f
#define PLAY_WIDTH 58.0f
#define GAP 4.0f
#define SPEED_X (EDGE + 2.0f * (STEP_WIDTH + GAP) + PLAY_WIDTH + 8.0f)
#define SPEED_Y 8.0f
#define TEXT_Y 33.0f
#define TRACK_Y 2.0f
#define TRACK_HEIGHT 10.0f
#define LINE_HEIGHT 3.0f
#define HANDLE_WIDTH 7.0f
#define MINUTE_NS UINT64_C(60000000000)
#define HOUR_NS (60 * MINUTE_NS)

struct unit {
    uint64_t ns;
    const char *name;
};

static const struct unit UNITS[] = {{1000000000, " s"}, {1000000, " ms"}, {1000, " us"}, {1, " ns"}};

/* A unit for the whole, and the number of decimals (a multiple of three) that resolves step_ns. */
static const struct unit *choose(uint64_t total_ns, uint64_t step_ns, unsigned *n_digits)
{
    const struct unit *unit = UNITS;
    while (unit->ns > 1 && total_ns < unit->ns)
        unit++;
    *n_digits = unit->ns > 1 ? 3 : 0;
    for (uint64_t told_ns = unit->ns / 1000; told_ns > 1 && told_ns > step_ns; told_ns /= 1000)
        *n_digits += 3;
    return unit;
}

/* In minutes and hours as far as the whole has them. */
static void append_time(char *out, size_t out_bytes, uint64_t ns, const struct unit *unit, unsigned n_digits,
                        uint64_t total_ns)
{
    size_t n = strlen(out);
    uint64_t whole = ns / unit->ns, rest = ns % unit->ns;
    if (total_ns >= HOUR_NS)
        n += (size_t)snprintf(out + n, out_bytes - n, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600,
                              whole / 60 % 60, whole % 60);
    else if (total_ns >= MINUTE_NS)
        n += (size_t)snprintf(out + n, out_bytes - n, "%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
    else
        n += (size_t)snprintf(out + n, out_bytes - n, "%" PRIu64, whole);
    uint64_t part_ns = unit->ns / 1000;
    for (unsigned i = 0; i < n_digits; i += 3, part_ns /= 1000)
        n += (size_t)snprintf(out + n, out_bytes - n, "%s%03" PRIu64, i ? " " : ".", rest / part_ns % 1000);
}

char *rv_timebar_text(const struct rv_timebar *shown, char *out, size_t out_bytes)
{
    uint64_t total_ns = shown->last_ns - shown->first_ns;
    uint64_t at_ns = shown->at_ns > shown->first_ns ? shown->at_ns - shown->first_ns : 0;
    unsigned n_digits;
    const struct unit *unit = choose(total_ns, shown->step_ns, &n_digits);
    out[0] = '\0';
    append_time(out, out_bytes, at_ns, unit, n_digits, total_ns);
    strncat(out, " / ", out_bytes - strlen(out) - 1);
    append_time(out, out_bytes, total_ns, unit, n_digits < 3 ? n_digits : 3, total_ns);
    strncat(out, total_ns >= MINUTE_NS ? "" : unit->name, out_bytes - strlen(out) - 1);
    return out;
}

static void add_buttons(const struct rv_timebar *shown, struct rv_ui_acts *acts)
{
    const char *play = shown->is_playing ? "Pause" : shown->is_live && !shown->is_on ? "Freeze" : "Play";
    rv_imgui_at(EDGE, BUTTONS_Y);
    if (rv_imgui_button("<", STEP_WIDTH, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_STEP_BACK});
    rv_imgui_at(EDGE + STEP_WIDTH + GAP, BUTTONS_Y);
    rv_imgui_push_id(1); /* the same item, whatever its label */
    if (rv_imgui_button(play, PLAY_WIDTH, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_PLAY});
    rv_imgui_pop_id();
    rv_imgui_at(EDGE + STEP_WIDTH + 2.0f * GAP + PLAY_WIDTH, BUTTONS_Y);
    if (rv_imgui_button(">", STEP_WIDTH, false))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_STEP_FORWARD});
}

static void add_texts(const struct rv_ui_style *style, const struct rv_timebar *shown, struct rv_imgui_area panel)
{
    char speed[32], text[128];
    snprintf(speed, sizeof speed, "x%.3g", shown->speed);
    rv_imgui_draw_text((float[2]){panel.x + SPEED_X, panel.y + SPEED_Y}, RV_IMGUI_FONT_TEXT, style->text, speed);
    if (shown->last_ns <= shown->first_ns)
        return;
    rv_timebar_text(shown, text, sizeof text);
    rv_imgui_draw_text((float[2]){panel.x + EDGE, panel.y + TEXT_Y}, RV_IMGUI_FONT_SMALL,
                       shown->is_on ? style->text_strong : style->text, text);
}

static void ask_for_time(const struct rv_timebar *shown, struct rv_imgui_area track, struct rv_ui_acts *acts)
{
    float mouse[2];
    rv_imgui_mouse_at(mouse);
    double share = fmin(fmax((double)((mouse[0] - track.x) / track.width), 0.0), 1.0);
    uint64_t ns = shown->first_ns + (uint64_t)(share * (double)(shown->last_ns - shown->first_ns));
    if (ns != shown->at_ns || !shown->is_on)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_SEEK, .from_ns = ns});
}

/* A line, bright up to the playhead, and the playhead down through the strip. */
static void draw_track(const struct rv_ui_style *style, const struct rv_timebar *shown, struct rv_imgui_area track,
                       struct rv_imgui_area strip)
{
    double share = ((double)shown->at_ns - (double)shown->first_ns) / (double)(shown->last_ns - shown->first_ns);
    float x = floorf(track.x + track.width * (float)fmin(fmax(share, 0.0), 1.0));
    float y = floorf(track.y + 0.5f * (track.height - LINE_HEIGHT));
    rv_imgui_draw_box((struct rv_imgui_area){track.x, y, track.width, LINE_HEIGHT}, 0.0f, style->line);
    rv_imgui_draw_box((struct rv_imgui_area){track.x, y, x - track.x, LINE_HEIGHT}, 0.0f, style->text_faint);
    uint32_t rgba = shown->is_on ? style->accent : style->text_faint;
    rv_imgui_draw_box((struct rv_imgui_area){x - floorf(0.5f * HANDLE_WIDTH), track.y, HANDLE_WIDTH, track.height},
                      2.0f, rgba);
    if (shown->is_on)
        rv_imgui_draw_box((struct rv_imgui_area){x, strip.y, 1.0f, strip.height}, 0.0f, rgba);
}

void rv_timebar_show(const struct rv_ui_style *style, const struct rv_timebar *shown,
                     const struct rv_timebar_place *place, struct rv_ui_acts *acts)
{
    struct rv_imgui_area track;
    add_buttons(shown, acts);
    add_texts(style, shown, place->panel);
    if (shown->last_ns <= shown->first_ns)
        return;
    rv_imgui_at(place->strip.x - place->panel.x, TRACK_Y);
    rv_imgui_touch("track", place->strip.width, TRACK_HEIGHT, &track);
    draw_track(style, shown, track, place->strip);
    if (rv_imgui_is_held())
        ask_for_time(shown, track, acts);
}
