#include "render/lane_labels.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "glyphs/clusters.h"

#define NAME_PADDING 8.0f
#define NAME_GAP 8.0f /* between a name's plate and its lane */
#define NAME_HEIGHT 21.0f
#define NAME_WIDTH_MAX 220.0f
#define NAME_TAIL 12u    /* bytes kept at the end of a long name */
#define NAME_ROOM 15.0f  /* names nearer than this to the last one are omitted */
#define SIGN_WIDTH 14.0f /* before a name: its lanes can be collapsed or expanded */
#define NAME_Y 0.15f     /* world height at which a name points */
#define GAP 14.0f
#define PROCESS_BYTES 48
#define PROCESS_NAME_BYTES 24u
#define PROCESS_DROP 20.0f /* distance of the process's name below the lane's */
#define PROCESS_ROOM 36.0f
#define BRACKET_GAP 4.0f
#define BRACKET_WIDTH 2.0f
#define SCROLLBAR_GAP 6.0f
#define SCROLLBAR_WIDTH 6.0f
#define INSTEAD_WIDTH 720.0f /* of a text instead of a picture, at most */
#define INSTEAD_MARGIN 24.0f
#define INSTEAD_LINE 20.0f
#define INSTEAD_BYTES 512u /* of one of its lines */

static const char *label_of(const struct rv_view_lane *lane)
{
    return lane->label[0] ? lane->label : lane->name;
}

/* With several processes: the second line at a process's first lane, unless it says the same. */
static void process_text(const struct rv_view *view, size_t lane, char *out, size_t out_bytes)
{
    const struct rv_view_lane *shown = &view->lanes[lane];
    const char *name = shown->process_name;
    bool is_first = lane == 0 || view->lanes[lane - 1].process != shown->process;
    out[0] = '\0';
    if (view->n_processes > 1 && is_first && !shown->object &&
        !(shown->group == RV_LANE_GROUP_PROCESS && shown->n_members > 1))
        snprintf(out, out_bytes, "%.*s %u", (int)rv_text_whole(name, strlen(name), PROCESS_NAME_BYTES), name,
                 shown->pid);
    if (strcmp(out, label_of(shown)) == 0)
        out[0] = '\0';
}

static float sign_width(const struct rv_view_lane *lane)
{
    return lane->fold == RV_LANE_FOLD_NONE ? 0.0f : SIGN_WIDTH;
}

float rv_lane_labels_left_margin(const struct rv_overlay *overlay, const struct rv_view *view)
{
    float widest = 0.0f;
    char process[PROCESS_BYTES];
    for (size_t i = 0; i < view->n_lanes; i++) {
        process_text(view, i, process, sizeof process);
        float name = fminf(rv_overlay_text_width(overlay, RV_FONT_BOLD, label_of(&view->lanes[i])), NAME_WIDTH_MAX);
        widest = fmaxf(widest, name + sign_width(&view->lanes[i]));
        widest = fmaxf(widest, rv_overlay_text_width(overlay, RV_FONT_SMALL, process));
    }
    return widest + 2.0f * NAME_PADDING + NAME_GAP + GAP;
}

/* The whole name if it fits, else without its middle: thread names often differ in their ends. */
static void fit_name(const struct rv_overlay *overlay, const char *name, char *out, size_t out_bytes)
{
    const char *end = name + strlen(name), *begins[RV_LANE_NAME_BYTES], *tail = name;
    size_t n_head = 0;
    for (; end - tail > NAME_TAIL && n_head < RV_LANE_NAME_BYTES; tail = rv_cluster_next(tail, end))
        begins[n_head++] = tail;
    snprintf(out, out_bytes, "%s", name);
    while (n_head > 0 && rv_overlay_text_width(overlay, RV_FONT_BOLD, out) > NAME_WIDTH_MAX) {
        n_head--;
        snprintf(out, out_bytes, "%.*s…%s", (int)(begins[n_head] - name), name, tail);
    }
}

/* The begin of a text that fits, at least a word, up to a line's end. Returns the rest. */
static const char *take_line(const struct rv_overlay *overlay, const char *text, float width, char line[INSTEAD_BYTES])
{
    size_t n = 0;
    while (text[n] && text[n] != '\n') {
        const size_t end = n + strspn(text + n, " ") + strcspn(text + n + strspn(text + n, " "), " \n");
        if (end >= INSTEAD_BYTES)
            break;
        snprintf(line, INSTEAD_BYTES, "%.*s", (int)end, text);
        if (n && rv_overlay_text_width(overlay, RV_FONT_TEXT, line) > width)
            break;
        n = end;
    }
    n = n ? n : strnlen(text, INSTEAD_BYTES - 1); /* a word longer than a line has room for */
    snprintf(line, INSTEAD_BYTES, "%.*s", (int)n, text);
    return text + n + strspn(text + n, " \n");
}

static void add_instead(struct rv_overlay *overlay, const struct rv_scene_frame *frame)
{
    const char *text = frame->caption          ? frame->caption
                       : frame->view->n_hidden ? "all threads are hidden; Shift+H shows them"
                       : frame->is_live        ? "waiting for the first event"
                                               : "no events";
    const float width = (float)(frame->width_px / frame->scale), height = (float)(frame->height_px / frame->scale);
    float y = 0.5f * height;
    while (*text && y < height) {
        char line[INSTEAD_BYTES];
        text = take_line(overlay, text, fminf(width - 2.0f * INSTEAD_MARGIN, INSTEAD_WIDTH), line);
        const float x = 0.5f * (width - rv_overlay_text_width(overlay, RV_FONT_TEXT, line));
        rv_overlay_text(overlay, RV_FONT_TEXT, (float[2]){x, y}, line,
                        rv_theme_rgba(rv_overlay_theme(overlay)->text, 1.0f));
        y += INSTEAD_LINE;
    }
}

struct names {
    struct rv_overlay *overlay;
    const struct rv_theme *theme;
    const struct rv_scene_frame *frame;
    const struct rv_camera *camera;
    const struct rv_lane_layout *layout;
    struct rv_lane_labels_folds *folds;
    float last_y;
};

/* Where a lane's name points to: in flat views the middle of what is in sight; false if that is too little. */
static bool name_foot(const struct rv_lane_layout *layout, const struct rv_lane_layout_lane *stand, vec3 out)
{
    float low = fmaxf(stand->y, 0.0f), high = fminf(stand->y + rv_lane_layout_lane_top(stand), layout->top);
    bool is_whole = low == stand->y && high < layout->top;
    out[0] = 0.0f;
    out[1] = layout->is_flat ? 0.5f * (low + high) : stand->y + NAME_Y;
    out[2] = stand->z;
    return !layout->is_flat || is_whole || high - low >= 0.5f * NAME_HEIGHT * RV_LANE_LAYOUT_POINT;
}

/* Position of a lane's name in points; false if out of sight. */
static bool name_place(const struct names *names, size_t lane, vec2 out)
{
    vec3 foot;
    if (!name_foot(names->layout, &names->layout->lanes[lane], foot))
        return false;
    if (!rv_camera_project(names->camera, foot, out))
        return false;
    glm_vec2_scale(out, 1.0f / (float)names->frame->scale, out);
    return true;
}

/* last_y: of the previous name, which lies below in views from above. */
static void add_process(const struct names *names, size_t lane, float right, float y, float last_y)
{
    char text[PROCESS_BYTES];
    vec2 next;
    const struct rv_view *view = names->frame->view;
    process_text(view, lane, text, sizeof text);
    bool has_next = lane + 1 < view->n_lanes && name_place(names, lane + 1, next);
    if (!text[0] || fabsf(last_y - y) < PROCESS_ROOM || (has_next && fabsf(next[1] - y) < PROCESS_ROOM))
        return;
    float width = rv_overlay_text_width(names->overlay, RV_FONT_SMALL, text);
    rv_overlay_text(names->overlay, RV_FONT_SMALL, (float[2]){floorf(right - width), y + PROCESS_DROP}, text,
                    rv_theme_rgba(names->theme->text, 1.0f));
}

/* In front of a name's plate, in the room left of it. */
static void add_stop(const struct names *names, struct rv_overlay_area plate)
{
    uint32_t rgba = rv_theme_rgba(names->theme->accent, 1.0f);
    rv_overlay_line(names->overlay, (float[2]){plate.x, plate.y + plate.height},
                    (float[2]){plate.x + plate.width, plate.y + plate.height}, 2.0f, rgba);
    rv_debugger_marks_add_sign(names->overlay, plate.x - 3.0f, plate.y + 0.5f * (plate.height - 8.0f), rgba);
}

/* At the left of a name's plate. */
static void add_sign(const struct names *names, size_t lane, struct rv_overlay_area plate)
{
    struct rv_lane_labels_folds *folds = names->folds;
    enum rv_lane_fold fold = names->frame->view->lanes[lane].fold;
    if (fold == RV_LANE_FOLD_NONE || folds->n == RV_LANE_LABELS_FOLDS_MAX)
        return;
    plate.width = NAME_PADDING + SIGN_WIDTH;
    folds->items[folds->n++] = (struct rv_lane_labels_fold){plate, (uint32_t)lane};
    rv_overlay_text(names->overlay, RV_FONT_BOLD, (float[2]){plate.x + NAME_PADDING, plate.y + 15.0f},
                    fold == RV_LANE_FOLD_CLOSED ? "\u25b8" : "\u25be", rv_theme_rgba(names->theme->accent, 1.0f));
}

static void add_name(struct names *names, size_t lane)
{
    vec2 at;
    char name[RV_LANE_NAME_BYTES + 4];
    if (!name_place(names, lane, at) || fabsf(names->last_y - at[1]) < NAME_ROOM)
        return;
    fit_name(names->overlay, label_of(&names->frame->view->lanes[lane]), name, sizeof name);
    float sign = sign_width(&names->frame->view->lanes[lane]);
    float width = sign + rv_overlay_text_width(names->overlay, RV_FONT_BOLD, name) + 2.0f * NAME_PADDING;
    float x = floorf(at[0] - width - NAME_GAP), y = floorf(at[1]), last_y = names->last_y;
    names->last_y = y;
    struct rv_overlay_area area = {x, y - 11.0f, width, NAME_HEIGHT}, pin = {x + 2.0f, y - 4.0f, 3.0f, 8.0f};
    (void)rv_overlay_claim(names->overlay, area); /* names are not in each other's way */
    rv_overlay_rectangle(names->overlay, area, 5.0f, rv_theme_rgba(names->theme->panel, 0.82f));
    if (rv_debugger_marks_has(&names->frame->stops, names->frame->view->lanes[lane].lane_idx))
        add_stop(names, area);
    else if (names->frame->view->lanes[lane].is_pinned)
        rv_overlay_rectangle(names->overlay, pin, 1.0f, rv_theme_rgba(names->theme->accent, 1.0f));
    rv_overlay_text(names->overlay, RV_FONT_BOLD, (float[2]){x + NAME_PADDING + sign, y + 4.0f}, name,
                    rv_theme_rgba(names->theme->text_strong, 1.0f));
    add_sign(names, lane, area);
    add_process(names, lane, x + width - NAME_PADDING, y, last_y);
}

/* Left of a process's lanes, if there are several processes. */
static void add_bracket(const struct names *names, size_t first, size_t last)
{
    const struct rv_lane_layout_lane *a = &names->layout->lanes[first], *b = &names->layout->lanes[last];
    const struct rv_lane_layout *layout = names->layout;
    float scale = (float)names->frame->scale;
    vec3 from = {0.0f, 0.0f, a->z + a->half_thickness}, to = {0.0f, 0.0f, b->z - b->half_thickness};
    vec2 from_px, to_px;
    if (layout->is_flat) {
        from[1] = fminf(a->y + rv_lane_layout_lane_top(a), layout->top);
        to[1] = fmaxf(b->y, 0.0f);
        if (from[1] <= to[1])
            return;
    }
    if (!rv_camera_project(names->camera, from, from_px) || !rv_camera_project(names->camera, to, to_px))
        return;
    uint32_t rgb = names->frame->view->lanes[first].process % 2 ? names->theme->ready : names->theme->value;
    rv_overlay_line(names->overlay, (float[2]){from_px[0] / scale - BRACKET_GAP, from_px[1] / scale},
                    (float[2]){to_px[0] / scale - BRACKET_GAP, to_px[1] / scale}, BRACKET_WIDTH,
                    rv_theme_rgba(rgb, 0.9f));
}

static void add_brackets(const struct names *names, size_t n_lanes)
{
    const struct rv_view_lane *lanes = names->frame->view->lanes;
    for (size_t first = 0, i = 1; i <= n_lanes; i++)
        if (i == n_lanes || lanes[i].process != lanes[first].process) {
            add_bracket(names, first, i - 1);
            first = i;
        }
}

/* Number of lanes out of sight above or below. */
static size_t n_beyond(const struct rv_lane_layout *layout, bool is_below)
{
    size_t n = 0;
    for (size_t i = 0; i < layout->n_lanes; i++) {
        const struct rv_lane_layout_lane *lane = &layout->lanes[i];
        n += is_below ? lane->y + rv_lane_layout_lane_top(lane) <= 0.0f : lane->y >= layout->top;
    }
    return n;
}

static void add_more(const struct names *names, bool is_below, const float at[2])
{
    char text[64];
    size_t n = n_beyond(names->layout, is_below);
    if (n == 0)
        return;
    snprintf(text, sizeof text, "%zu more %s %s", n, rv_units_word(n, "thread", "threads"),
             is_below ? "below" : "above");
    float width = rv_overlay_text_width(names->overlay, RV_FONT_SMALL, text);
    struct rv_overlay_area plate = {floorf(at[0] - width - 14.0f), at[1] - 12.0f, width + 10.0f, 17.0f};
    rv_overlay_rectangle(names->overlay, plate, 4.0f, rv_theme_rgba(names->theme->panel, 0.92f));
    rv_overlay_text(names->overlay, RV_FONT_SMALL, (float[2]){plate.x + 5.0f, at[1]}, text,
                    rv_theme_rgba(names->theme->text_strong, 1.0f));
}

/* Above the farthest lane's name and below the nearest one's: how many lanes are left out there. */
static void add_left_out(const struct names *names, size_t n_lanes)
{
    const struct rv_view *view = names->frame->view;
    for (int is_behind = 0; is_behind < 2; is_behind++) {
        const uint32_t n = is_behind ? view->n_behind : view->n_in_front;
        char text[64];
        vec2 at;
        if (!n || !n_lanes || !name_place(names, is_behind ? n_lanes - 1 : 0, at))
            continue;
        snprintf(text, sizeof text, "%u more %s %s", n, rv_units_word(n, "thread", "threads"),
                 is_behind ? "behind: PageDown" : "in front: PageUp");
        const float width = rv_overlay_text_width(names->overlay, RV_FONT_SMALL, text) + 10.0f;
        const struct rv_overlay_area plate = {fmaxf(floorf(at[0] - width - NAME_GAP), 2.0f),
                                              floorf(at[1] + (is_behind ? -1.5f : 0.7f) * NAME_HEIGHT), width, 17.0f};
        (void)rv_overlay_claim(names->overlay, plate);
        rv_overlay_rectangle(names->overlay, plate, 4.0f, rv_theme_rgba(names->theme->panel, 0.92f));
        rv_overlay_text(names->overlay, RV_FONT_SMALL, (float[2]){plate.x + 5.0f, plate.y + 12.0f}, text,
                        rv_theme_rgba(names->theme->text_strong, 1.0f));
    }
}

/* A flat view whose lanes do not fit shows how many are out of sight. */
static void add_scrollbar(const struct names *names)
{
    const struct rv_lane_layout *layout = names->layout;
    float scale = (float)names->frame->scale, room = layout->top / RV_LANE_LAYOUT_POINT;
    vec2 low, high;
    const float hidden = layout->scroll_range[1] - layout->scroll_range[0];
    if (!layout->is_flat || hidden <= 0.0f || !layout->n_lanes)
        return;
    if (!rv_camera_project(names->camera, (vec3){layout->width, 0.0f, 0.0f}, low) ||
        !rv_camera_project(names->camera, (vec3){layout->width, layout->top, 0.0f}, high))
        return;
    float x = high[0] / scale + SCROLLBAR_GAP, y = high[1] / scale, height = low[1] / scale - y;
    float above = (layout->lanes[0].zone[1] - layout->top) / RV_LANE_LAYOUT_POINT, whole = room + hidden;
    struct rv_overlay_area track = {x, y, SCROLLBAR_WIDTH, height};
    struct rv_overlay_area thumb = {x, y + height * above / whole, SCROLLBAR_WIDTH, height * room / whole};
    rv_overlay_rectangle(names->overlay, track, 3.0f, rv_theme_rgba(names->theme->plate, 0.9f));
    rv_overlay_rectangle(names->overlay, thumb, 3.0f, rv_theme_rgba(names->theme->text, 0.8f));
    add_more(names, false, (float[2]){high[0] / scale, y + 16.0f});
    add_more(names, true, (float[2]){low[0] / scale, y + height - 8.0f});
}

void rv_lane_labels_add_lanes(struct rv_overlay *overlay, const struct rv_scene_frame *frame,
                              const struct rv_camera *camera, const struct rv_lane_layout *layout,
                              struct rv_lane_labels_folds *folds)
{
    struct names names = {overlay, rv_overlay_theme(overlay), frame, camera, layout, folds, .last_y = 1e9f};
    size_t n_lanes = frame->view->n_lanes < layout->n_lanes ? frame->view->n_lanes : layout->n_lanes;
    folds->n = 0;
    if (!n_lanes)
        add_instead(overlay, frame);
    for (size_t i = 0; i < n_lanes; i++)
        add_name(&names, i);
    if (frame->view->n_processes > 1)
        add_brackets(&names, n_lanes);
    add_scrollbar(&names);
    add_left_out(&names, n_lanes);
}
