#include "render/note_labels.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "base/units.h"
#include "model/mark_names.h"
#include "model/short_name.h"
#include "render/mark_runs.h"
#include "render/note_shapes.h"

#define RISE 26.0f /* of a tag's text above what it is about */
#define HEIGHT 16.0f
#define ASCENT 12.0f
#define LOWER (RISE + ASCENT - HEIGHT) /* in flat looks a tag stands on its lane: there is no more room */
#define WALL_LOWER 18.0f               /* on the wall, off the calls before it */
#define PADDING 4.0f
#define TEXT_BYTES 96
#define NAME_BYTES 46
#define GRAPH_INDENT 6.0f
#define TICKS_AROUND 3.0f /* points: they are thin */
#define PAUSES_MAX 128u   /* with a label: more than there is room for */
#define BOXES_BACK 64u    /* boxes among which a call that began earlier is sought */

struct tags {
    struct rv_overlay *overlay;
    const struct rv_scene_frame *frame;
    const struct rv_camera *camera;
    const struct rv_lane_layout *layout;
    struct rv_note_labels_places *places;
};

static bool to_points(const struct tags *tags, const vec3 point, vec2 out)
{
    if (!rv_camera_project(tags->camera, point, out))
        return false;
    glm_vec2_scale(out, 1.0f / (float)tags->frame->scale, out);
    return true;
}

static void name_of(const struct tags *tags, uint32_t id, char out[NAME_BYTES + 8])
{
    rv_short_name_cut_words(rv_subroutines_get(tags->frame->subroutines, id).name, NAME_BYTES, out);
}

static void note_text(const struct rv_lane_note *note, char out[TEXT_BYTES])
{
    char time[32];
    if (rv_note_is(note, RV_NOTE_FORM_LOSS)) {
        snprintf(out, TEXT_BYTES, "lost %" PRIu32, note->id);
        return;
    }
    rv_units_format_ns(time, sizeof time, rv_note_covered_ns(note));
    const int n =
        snprintf(out, TEXT_BYTES, note->end_ns == UINT64_MAX ? "%s" : "%s %s", rv_note_facts[note->kind].words, time);
    if (note->n_more)
        snprintf(out + n, TEXT_BYTES - (size_t)n, " (%" PRIu32 ")", note->n_more + 1);
}

/* The most frequent name, with the number of marks if all have it, else of those that have not. */
static void marks_text(const struct tags *tags, const struct rv_mark_names *names, char out[TEXT_BYTES])
{
    char name[NAME_BYTES + 8];
    const struct rv_mark_name *first = &names->items[0];
    if (first->id == RV_NOTE_SEVERAL) {
        snprintf(out, TEXT_BYTES, "%" PRIu64 " marks", names->n_marks);
        return;
    }
    name_of(tags, first->id, name);
    if (first->n < names->n_marks)
        snprintf(out, TEXT_BYTES, "%s +%" PRIu64, name, names->n_marks - first->n);
    else if (first->n > 1)
        snprintf(out, TEXT_BYTES, "%s x%" PRIu64, name, first->n);
    else
        snprintf(out, TEXT_BYTES, "%s", name);
}

/* Has it been scrolled up, with its foot? */
static bool is_above(const struct rv_lane_layout *layout, size_t lane)
{
    return layout->is_flat && layout->lanes[lane].y >= layout->top;
}

/* The lane for a pause's label: the process's farthest back, in flat views its topmost in sight. */
static size_t host_of(const struct tags *tags, size_t lane)
{
    const struct rv_view *view = tags->frame->view;
    const struct rv_lane_layout *layout = tags->layout;
    size_t host = lane;
    for (size_t i = 0; i < view->n_lanes && i < layout->n_lanes; i++)
        if (view->lanes[i].process == view->lanes[lane].process &&
            (!layout->is_flat || (!is_above(layout, i) && (i < host || is_above(layout, host)))))
            host = i;
    return host;
}

/* Of a note that belongs at a lane. */
static void foot_of(const struct tags *tags, size_t lane, const struct rv_lane_note *note, vec3 out)
{
    const struct rv_lane_layout *layout = tags->layout;
    const struct rv_lane_layout_lane *stand = &layout->lanes[lane];
    out[0] = fmaxf(0.0f, (float)rv_lane_layout_x(layout, note->start_ns));
    out[1] = stand->y + rv_lane_layout_lane_top(stand);
    if (layout->is_flat && !is_above(layout, lane)) /* its top may be out of sight */
        out[1] = fminf(out[1], layout->top);
    out[2] = stand->z;
    if (rv_note_is(note, RV_NOTE_FORM_PAUSE) && !layout->is_flat && lane + 1 == layout->n_lanes) { /* on the wall */
        out[1] = layout->top;
        out[2] = layout->z_back;
    }
}

/* A line down to the floor, to show the tag's time. */
static void add_stem(const struct tags *tags, vec3 foot, float x, float y, uint32_t rgba)
{
    vec2 floor_at = {x, y + RISE};
    if (!tags->layout->is_flat)
        (void)to_points(tags, (vec3){foot[0], 0.0f, foot[2]}, floor_at);
    rv_overlay_line(tags->overlay, (float[2]){x, y}, floor_at, 1.0f, rgba);
}

/* Panels would be in front of it; flat views end before them. */
static float right_of(const struct tags *tags)
{
    vec2 end;
    const struct rv_scene_frame *frame = tags->frame;
    const float panels = (float)(frame->width_px / frame->scale) - frame->insets.right;
    const bool is_seen = tags->layout->is_flat && to_points(tags, (vec3){tags->layout->width, 0.0f, 0.0f}, end);
    return is_seen ? fminf(end[0], panels) : panels;
}

struct rows { /* of a lane, in a range of time */
    double from_ns, to_ns;
    float from, to, most; /* depths; deeper calls are in the last row */
};

static bool has_calls(const struct rv_view *view, size_t lane, const struct rows *rows)
{
    const struct rv_view_lane *shown = &view->lanes[lane];
    const struct rv_box *boxes = view->boxes + shown->first_box;
    if (rows->to_ns < 0.0 || rows->from > rows->most + 1.0f)
        return false;
    size_t i =
        rv_bisect_count(boxes, shown->n_boxes, sizeof *boxes, offsetof(struct rv_box, start_ns), (uint64_t)rows->to_ns);
    for (const size_t least = i > BOXES_BACK ? i - BOXES_BACK : 0; i > least; i--) {
        const float depth = fminf((float)boxes[i - 1].depth, rows->most);
        if ((double)rv_box_end_ns(&boxes[i - 1]) >= rows->from_ns && depth <= rows->to && depth + 1.0f >= rows->from)
            return true;
    }
    return false;
}

/* Does the tag, which stands above its lane, lie over calls of other lanes? */
static bool hides_calls(const struct tags *tags, size_t lane, const vec3 foot, const struct rv_overlay_area *plate)
{
    const struct rv_lane_layout *layout = tags->layout;
    const double ns_per_x = (double)(layout->to_ns - layout->from_ns) / (double)layout->width;
    const double at_ns = (double)layout->from_ns + (double)foot[0] * ns_per_x;
    for (size_t i = 0; !layout->is_flat && i < layout->n_lanes && i < tags->frame->view->n_lanes; i++) {
        const struct rv_lane_layout_lane *stand = &layout->lanes[i];
        vec2 low, high, beside;
        if (i == lane || !to_points(tags, (vec3){foot[0], 0.0f, stand->z}, low) || low[1] < plate->y ||
            !to_points(tags, (vec3){foot[0], stand->row_height, stand->z}, high) ||
            !to_points(tags, (vec3){foot[0] + 1.0f, 0.0f, stand->z}, beside))
            continue;
        const double ns_per_point = ns_per_x / (double)(beside[0] - low[0]);
        const double from_ns = at_ns + (double)(plate->x - low[0]) * ns_per_point;
        const float row = low[1] - high[1];
        const struct rows rows = {from_ns, from_ns + (double)plate->width * ns_per_point,
                                  (low[1] - plate->y - plate->height) / row, (low[1] - plate->y) / row,
                                  (float)stand->n_rows - 1.0f};
        if (has_calls(tags->frame->view, i, &rows))
            return true;
    }
    return false;
}

struct tag {
    size_t lane;
    const char *text;
    enum rv_note_form form; /* how it looks */
};

static void keep_place(const struct tags *tags, const struct rv_note_labels_place *place)
{
    if (tags->places->n < RV_NOTE_LABELS_PLACES_MAX)
        tags->places->items[tags->places->n++] = *place;
}

/* notes: found where it is drawn; NULL: none. */
static void add_text(const struct tags *tags, vec3 foot, const struct tag *tag, const struct rv_scene_notes *notes)
{
    vec2 at;
    const struct rv_theme_tag *look = &rv_overlay_theme(tags->overlay)->tags[tag->form];
    if (tags->layout->is_flat && (foot[1] < 0.0f || foot[1] > tags->layout->top + RV_LANE_LAYOUT_POINT))
        return;
    if (!to_points(tags, foot, at))
        return;
    if (tags->layout->is_flat)
        at[1] += LOWER;
    else if (foot[2] <= tags->layout->z_back)
        at[1] += WALL_LOWER;
    float width = rv_overlay_text_width(tags->overlay, RV_FONT_SMALL, tag->text);
    float y = fmaxf(floorf(at[1] - RISE), tags->frame->insets.top + ASCENT);
    struct rv_overlay_area plate = {at[0] - PADDING, y - ASCENT, width + 2.0f * PADDING, HEIGHT};
    plate.x = fminf(plate.x, right_of(tags) - plate.width);
    if ((tag->form != RV_NOTE_FORM_LOSS && hides_calls(tags, tag->lane, foot, &plate)) ||
        !rv_overlay_claim(tags->overlay, plate))
        return;
    if (notes)
        keep_place(tags, &(struct rv_note_labels_place){plate, *notes, false});
    add_stem(tags, foot, at[0], y, rv_theme_rgba(look->text, 0.5f));
    rv_overlay_rectangle(tags->overlay, plate, 3.0f, rv_theme_rgba(look->plate, 0.92f));
    rv_overlay_text(tags->overlay, RV_FONT_SMALL, (float[2]){plate.x + PADDING, y}, tag->text,
                    rv_theme_rgba(look->text, 1.0f));
}

static void add_tag(const struct tags *tags, size_t lane, const struct rv_lane_note *note)
{
    char text[TEXT_BYTES];
    vec3 foot;
    const enum rv_note_form form = rv_note_facts[note->kind].form;
    const bool is_pause = form == RV_NOTE_FORM_PAUSE;
    const struct rv_scene_notes notes = {form, (uint32_t)lane, note->start_ns, note->end_ns, false};
    const size_t at = is_pause ? host_of(tags, lane) : lane;
    foot_of(tags, at, note, foot);
    note_text(note, text);
    add_text(tags, foot, &(struct tag){at, text, form}, is_pause ? &notes : NULL);
}

/* At the begin of the window, since it began before. */
static void add_coarse(const struct tags *tags, size_t lane)
{
    vec3 foot;
    const struct rv_view_lane *shown = &tags->frame->view->lanes[lane];
    if (!shown->released_ns && !shown->merged_ns)
        return;
    foot_of(tags, lane, &(struct rv_lane_note){.kind = RV_NOTE_LOST, .start_ns = tags->layout->from_ns}, foot);
    add_text(tags, foot,
             &(struct tag){lane, shown->released_ns ? "detail released" : "states merged", RV_NOTE_FORM_MARK}, NULL);
}

static bool is_in_window(const struct tags *tags, const struct rv_lane_note *note)
{
    return note->end_ns >= tags->layout->from_ns && note->start_ns <= tags->layout->to_ns;
}

static void add_losses(const struct tags *tags, size_t lane)
{
    const struct rv_view_lane *shown = &tags->frame->view->lanes[lane];
    for (size_t i = shown->first_note; i < (size_t)shown->first_note + shown->n_notes; i++) {
        const struct rv_lane_note *note = &tags->frame->view->notes[i];
        if (rv_note_is(note, RV_NOTE_FORM_LOSS) && is_in_window(tags, note))
            add_tag(tags, lane, note);
    }
}

struct pauses {
    struct pause {
        size_t lane;
        const struct rv_lane_note *note;
    } items[PAUSES_MAX]; /* the longest, longest first */
    size_t n;
};

static void keep_pause(struct pauses *pauses, struct pause pause)
{
    const uint64_t covered_ns = rv_note_covered_ns(pause.note);
    size_t at = pauses->n;
    for (; at && rv_note_covered_ns(pauses->items[at - 1].note) < covered_ns; at--)
        if (at < PAUSES_MAX)
            pauses->items[at] = pauses->items[at - 1];
    if (at < PAUSES_MAX)
        pauses->items[at] = pause;
    pauses->n += pauses->n < PAUSES_MAX;
}

/* Where labels of short pauses would take the room, long ones have theirs. */
static void add_pauses(const struct tags *tags, size_t n_lanes)
{
    const struct rv_view *view = tags->frame->view;
    struct pauses pauses;
    pauses.n = 0;
    for (size_t lane = 0; lane < n_lanes; lane++)
        for (size_t i = 0; i < view->lanes[lane].n_notes; i++) {
            const struct rv_lane_note *note = &view->notes[view->lanes[lane].first_note + i];
            if (rv_note_is(note, RV_NOTE_FORM_PAUSE) && is_in_window(tags, note))
                keep_pause(&pauses, (struct pause){lane, note});
        }
    for (size_t i = 0; i < pauses.n; i++)
        add_tag(tags, pauses.items[i].lane, pauses.items[i].note);
}

/* One tag for the marks among notes, if there are any. */
static void add_marks_tag(const struct tags *tags, size_t lane, const struct rv_lane_note *notes, size_t n)
{
    const struct rv_scene_notes marks = {RV_NOTE_FORM_MARK, (uint32_t)lane, notes[0].start_ns, notes[n - 1].start_ns,
                                         false};
    struct rv_mark_names names;
    char text[TEXT_BYTES];
    vec3 foot;
    rv_mark_names_count(&names, notes, n, marks.from_ns, marks.to_ns);
    if (!names.n)
        return;
    marks_text(tags, &names, text);
    foot_of(tags, lane, notes, foot);
    add_text(tags, foot, &(struct tag){lane, text, RV_NOTE_FORM_MARK}, &marks);
}

/* The marks of a dense run have one tag. */
static void add_marks(const struct tags *tags, size_t lane)
{
    const struct rv_view *view = tags->frame->view;
    struct rv_mark_run run;
    size_t at = view->lanes[lane].first_note;
    while (rv_mark_runs_next(view, tags->layout, lane, &at, &run)) {
        if (run.is_dense)
            add_marks_tag(tags, lane, &view->notes[run.first], run.end - run.first);
        for (size_t i = run.first; i < run.end && !run.is_dense; i++)
            add_marks_tag(tags, lane, &view->notes[i], 1);
    }
}

/* Those of dense marks: a little more than is drawn of them. */
static void keep_ticks(const struct tags *tags, const struct rv_scene_notes *marks)
{
    const bool is_flat = tags->layout->is_flat;
    vec3 low, high;
    vec2 corners[4];
    rv_note_shapes_ticks(tags->layout, marks->lane, (uint64_t[2]){marks->from_ns, marks->to_ns}, low, high);
    if (is_flat && (low[1] < 0.0f || low[1] > tags->layout->top))
        return;
    for (int i = 0; i < 4; i++)
        if (!to_points(tags, (vec3){i % 2 ? high[0] : low[0], i / 2 ? high[1] : low[1], i / 2 ? high[2] : low[2]},
                       corners[i]))
            return;
    struct rv_overlay_area area = {corners[0][0], corners[0][1], 0.0f, 0.0f};
    float right = area.x, bottom = area.y;
    for (int i = 1; i < 4; i++) {
        area.x = fminf(area.x, corners[i][0]);
        area.y = fminf(area.y, corners[i][1]);
        right = fmaxf(right, corners[i][0]);
        bottom = fmaxf(bottom, corners[i][1]);
    }
    area.x -= TICKS_AROUND;
    area.y -= TICKS_AROUND;
    area.width = right + TICKS_AROUND - area.x;
    area.height = bottom + TICKS_AROUND - area.y;
    keep_place(tags, &(struct rv_note_labels_place){area, *marks, !is_flat});
}

static void keep_lane_ticks(const struct tags *tags, size_t lane)
{
    const struct rv_view *view = tags->frame->view;
    struct rv_mark_run run;
    size_t at = view->lanes[lane].first_note;
    while (rv_mark_runs_next(view, tags->layout, lane, &at, &run))
        if (run.is_dense)
            keep_ticks(tags, &(struct rv_scene_notes){.form = RV_NOTE_FORM_MARK,
                                                      .lane = (uint32_t)lane,
                                                      .from_ns = view->notes[run.first].start_ns,
                                                      .to_ns = view->notes[run.end - 1].start_ns});
}

/* "12.5 M": as many digits as are read at a glance. */
static void format_value(char *out, size_t out_bytes, double value)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    size_t unit = 0;
    for (; fabs(value) >= 999.95 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000.0;
    snprintf(out, out_bytes, "%.4g%s", value, units[unit]);
}

/* A graph's name and range, at its beginning. */
static void add_range(const struct tags *tags, size_t lane, uint32_t which)
{
    const struct rv_lane_layout_lane *stand = &tags->layout->lanes[lane];
    const struct rv_theme_tag *look = &rv_overlay_theme(tags->overlay)->tags[RV_NOTE_FORM_VALUE];
    float base, peak, low, high;
    char name[NAME_BYTES + 8], lowest[16], highest[16], text[TEXT_BYTES];
    vec2 foot, top;
    if (!rv_note_shapes_range(tags->frame->view, lane, stand->graph_ids[which], &low, &high))
        return;
    rv_lane_layout_graph(tags->layout, stand, which, &base, &peak);
    bool is_flat = tags->layout->is_flat;
    if (is_flat && (base < 0.0f || peak > tags->layout->top))
        return;
    if (!to_points(tags, (vec3){0.0f, is_flat ? base : 0.0f, is_flat ? 0.0f : base}, foot) ||
        !to_points(tags, (vec3){0.0f, is_flat ? peak : 0.0f, is_flat ? 0.0f : peak}, top))
        return;
    name_of(tags, stand->graph_ids[which], name);
    format_value(lowest, sizeof lowest, (double)low);
    format_value(highest, sizeof highest, (double)high);
    snprintf(text, sizeof text, "%s %s to %s", name, lowest, highest);
    float x = floorf(foot[0] + GRAPH_INDENT), y = floorf(0.5f * (foot[1] + top[1]) + PADDING);
    float width = rv_overlay_text_width(tags->overlay, RV_FONT_SMALL, text);
    struct rv_overlay_area plate = {x, y - ASCENT, width + 2.0f * PADDING, HEIGHT};
    if (!rv_overlay_claim(tags->overlay, plate))
        return;
    rv_overlay_rectangle(tags->overlay, plate, 3.0f, rv_theme_rgba(look->plate, 0.85f));
    rv_overlay_text(tags->overlay, RV_FONT_SMALL, (float[2]){x + PADDING, y}, text, rv_theme_rgba(look->text, 1.0f));
}

void rv_note_labels_add(struct rv_overlay *overlay, const struct rv_scene_frame *frame, const struct rv_camera *camera,
                        const struct rv_lane_layout *layout, struct rv_note_labels_places *places)
{
    const struct tags tags = {.overlay = overlay, .frame = frame, .camera = camera, .layout = layout, .places = places};
    places->n = 0;
    size_t n_lanes = frame->view->n_lanes < layout->n_lanes ? frame->view->n_lanes : layout->n_lanes;
    for (size_t lane = 0; lane < n_lanes; lane++)
        for (uint32_t i = 0; i < layout->lanes[lane].n_graphs; i++)
            add_range(&tags, lane, i);
    for (size_t lane = 0; lane < n_lanes; lane++)
        add_coarse(&tags, lane);
    for (size_t lane = 0; lane < n_lanes; lane++)
        add_losses(&tags, lane);
    add_pauses(&tags, n_lanes);
    for (size_t lane = 0; lane < n_lanes; lane++)
        add_marks(&tags, lane);
    for (size_t lane = 0; lane < n_lanes; lane++)
        keep_lane_ticks(&tags, lane);
}
