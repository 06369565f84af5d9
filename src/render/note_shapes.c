#include "render/note_shapes.h"

#include <math.h>

#include "model/color.h"
#include "render/collections.h"
#include "render/mark_runs.h"
#include "ringviz/wire.h"

#define Y_STRIPE 0.004f
#define Y_STATE 0.005f
#define Z_STRIPE -0.8f /* flat: behind the boxes */
#define Z_STATE -0.7f
#define STRIPE_MIN 0.04f
#define MARK_HALF 0.012f
#define TICK_POINTS 5.0f
#define STATE_FIRST 0.02f  /* 3D: before the lane's front */
#define STATE_HEIGHT 0.12f /* when running */
#define STATE_LOW_POINTS 6.0f
#define STATE_HEIGHT_POINTS 4.0f
#define GRAPH_LEAST 0.03f /* share of the height, so that the least value is visible */
#define GRAPH_LINE 0.05f
#define LOST_STRENGTH 0.75f
#define RELEASED_STRENGTH 0.22f

struct drawing {
    struct rv_ground_mesh *mesh;
    const struct rv_lane_layout *layout;
    const struct rv_view *view;
    const struct rv_theme *theme;
    size_t lane;
};

/* The visible part of a stretch of time, at least STRIPE_MIN wide; false when none is. */
static bool stretch(const struct rv_lane_layout *layout, uint64_t from_ns, uint64_t to_ns,
                    struct rv_ground_mesh_area *out)
{
    if (to_ns < layout->from_ns || from_ns > layout->to_ns)
        return false;
    out->x0 = fmaxf(0.0f, (float)rv_lane_layout_x(layout, from_ns));
    out->x1 = fminf(layout->width, (float)rv_lane_layout_x(layout, to_ns));
    out->x1 = fmaxf(out->x1, out->x0 + STRIPE_MIN);
    return true;
}

/* Lay an area on the floor in 3D, else behind the boxes. */
static void lay(const struct drawing *drawing, float height, struct rv_ground_mesh_area area, uint32_t rgba)
{
    area.rgba0 = area.rgba1 = rgba;
    if (drawing->layout->is_flat)
        rv_ground_mesh_add_wall(drawing->mesh, height == Y_STATE ? Z_STATE : Z_STRIPE, &area);
    else
        rv_ground_mesh_add_floor(drawing->mesh, height, &area);
}

/* Cover the lane's whole zone; the last lane's stripe continues up the back wall. */
static void add_collection(const struct drawing *drawing, size_t lane, const struct rv_collections_stripe *stripe)
{
    const struct rv_lane_layout *layout = drawing->layout;
    struct rv_color gc = rv_color_gc();
    uint32_t rgb = (uint32_t)gc.r << 16 | (uint32_t)gc.g << 8 | gc.b;
    const float *zone = layout->lanes[lane].zone;
    struct rv_ground_mesh_area area = {.x0 = stripe->x0, .x1 = stripe->x1, .a0 = zone[0], .a1 = zone[1]};
    lay(drawing, Y_STRIPE, area, rv_theme_rgba(rgb, stripe->share * (layout->is_flat ? 0.55f : 0.34f)));
    if (layout->is_flat || lane + 1 < layout->n_lanes)
        return;
    area.a0 = 0.0f;
    area.a1 = layout->top * RV_LANE_LAYOUT_WALL_SHARE;
    area.rgba0 = rv_theme_rgba(rgb, stripe->share * 0.5f);
    area.rgba1 = rv_theme_rgba(rgb, 0.0f);
    rv_ground_mesh_add_wall(drawing->mesh, layout->z_back, &area);
}

/* Over all lanes of a process, since all its threads pause. */
static void add_to_process(const struct drawing *drawing, const struct rv_collections_stripe *stripe)
{
    const struct rv_view *view = drawing->view;
    for (size_t i = 0; i < view->n_lanes && i < drawing->layout->n_lanes; i++)
        if (view->lanes[i].process == view->lanes[drawing->lane].process)
            add_collection(drawing, i, stripe);
}

/* Hatch the whole lane: this time is unknown, or known in part, and must not look idle. */
static void hatch(const struct drawing *drawing, struct rv_ground_mesh_area area, uint32_t rgb, float strength)
{
    const struct rv_lane_layout_lane *lane = &drawing->layout->lanes[drawing->lane];
    uint32_t rgba = rv_theme_rgba(rgb, strength);
    drawing->mesh->is_hatched = true;
    if (drawing->layout->is_flat) {
        area.a0 = lane->y;
        area.a1 = lane->y + rv_lane_layout_lane_top(lane);
        lay(drawing, Y_STRIPE, area, rgba);
        drawing->mesh->is_hatched = false;
        return;
    }
    area.a0 = lane->z + lane->half_thickness + RV_LANE_LAYOUT_PLATE_MARGIN;
    area.a1 = lane->z - lane->half_thickness - RV_LANE_LAYOUT_PLATE_MARGIN;
    lay(drawing, Y_STRIPE, area, rgba);
    float z = area.a1;
    area.a0 = 0.0f;
    area.a1 = rv_lane_layout_lane_top(lane);
    area.rgba0 = rgba;
    area.rgba1 = rv_theme_rgba(rgb, strength / 3.0f);
    rv_ground_mesh_add_wall(drawing->mesh, z, &area);
    drawing->mesh->is_hatched = false;
}

void rv_note_shapes_ticks(const struct rv_lane_layout *layout, size_t lane, const uint64_t range_ns[2], float low[3],
                          float high[3])
{
    const struct rv_lane_layout_lane *stand = &layout->lanes[lane];
    low[0] = (float)rv_lane_layout_x(layout, range_ns[0]) - MARK_HALF;
    high[0] = (float)rv_lane_layout_x(layout, range_ns[1]) + MARK_HALF;
    low[1] = high[1] = 0.0f;
    low[2] = high[2] = stand->z;
    if (layout->is_flat) {
        low[1] = stand->y + rv_lane_layout_lane_top(stand);
        high[1] = low[1] + TICK_POINTS * RV_LANE_LAYOUT_POINT;
    } else {
        low[2] -= stand->half_thickness;
        high[2] -= stand->half_thickness + RV_LANE_LAYOUT_PLATE_MARGIN;
    }
}

/* Over the lane's rows, not its graphs. */
static void add_mark(const struct drawing *drawing, uint64_t time_ns, bool is_tick)
{
    const struct rv_lane_layout *layout = drawing->layout;
    const struct rv_lane_layout_lane *lane = &layout->lanes[drawing->lane];
    float low[3], high[3];
    rv_note_shapes_ticks(layout, drawing->lane, (uint64_t[2]){time_ns, time_ns}, low, high);
    const int axis = layout->is_flat ? 1 : 2;
    struct rv_ground_mesh_area area = {.x0 = low[0], .x1 = high[0], .a0 = low[axis], .a1 = high[axis]};
    if (!is_tick) {
        area.a0 = layout->is_flat ? lane->y : lane->z + lane->half_thickness + RV_LANE_LAYOUT_PLATE_MARGIN;
        area.a1 = lane->zone[1];
    }
    lay(drawing, Y_STRIPE, area, rv_theme_rgba(drawing->theme->mark, 0.8f));
}

static void add_marks(const struct drawing *drawing)
{
    struct rv_mark_run run;
    size_t at = drawing->view->lanes[drawing->lane].first_note;
    while (rv_mark_runs_next(drawing->view, drawing->layout, drawing->lane, &at, &run))
        for (size_t i = run.first; i < run.end; i++)
            if (rv_note_is(&drawing->view->notes[i], RV_NOTE_FORM_MARK))
                add_mark(drawing, drawing->view->notes[i].start_ns, run.is_dense);
}

struct state_look {
    float height; /* share of the height: shows the state together with the colour */
    uint32_t rgb;
};

static struct state_look look_of(const struct rv_theme *theme, uint32_t state)
{
    switch (state) {
    case RV_THREAD_STARTED:
    case RV_THREAD_RESUMED:
        return (struct state_look){1.0f, theme->running};
    case RV_THREAD_READY:
        return (struct state_look){0.6f, theme->ready};
    case RV_THREAD_SUSPENDED:
        return (struct state_look){0.3f, theme->suspended};
    default: /* exited, or unknown to this version */
        return (struct state_look){0.0f, 0};
    }
}

/* Along the lane's foot. */
static void add_stretch(const struct drawing *drawing, struct state_look look, uint64_t from_ns, uint64_t until_ns)
{
    const struct rv_lane_layout_lane *lane = &drawing->layout->lanes[drawing->lane];
    struct rv_ground_mesh_area area = {0};
    if (look.height <= 0.0f || !stretch(drawing->layout, from_ns, until_ns, &area))
        return;
    if (drawing->layout->is_flat) {
        area.a0 = lane->y - STATE_LOW_POINTS * RV_LANE_LAYOUT_POINT;
        area.a1 = area.a0 + look.height * STATE_HEIGHT_POINTS * RV_LANE_LAYOUT_POINT;
    } else {
        area.a0 = lane->z + lane->half_thickness + STATE_FIRST + STATE_HEIGHT;
        area.a1 = area.a0 - look.height * STATE_HEIGHT;
    }
    lay(drawing, Y_STATE, area, rv_theme_rgba(look.rgb, 0.9f));
}

/* A state lasts from its note to the next of its kind, the last one to the end of the window. */
static void add_state(const struct drawing *drawing, const struct rv_lane_note *note, uint64_t until_ns)
{
    add_stretch(drawing, look_of(drawing->theme, note->id), note->start_ns, until_ns);
}

/* The height of merged stretches is the share of their time that they cover. */
static void add_off_cpu(const struct drawing *drawing, const struct rv_lane_note *note)
{
    uint32_t rgb = note->kind == RV_NOTE_PREEMPTED ? drawing->theme->ready : drawing->theme->suspended;
    add_stretch(drawing, (struct state_look){(float)rv_note_share(note), rgb}, note->start_ns, note->end_ns);
}

static bool is_value(const struct rv_lane_note *note, uint32_t id)
{
    return rv_note_is(note, RV_NOTE_FORM_VALUE) && note->id == id;
}

bool rv_note_shapes_range(const struct rv_view *view, size_t lane, uint32_t id, float *low, float *high)
{
    const struct rv_view_lane *shown = &view->lanes[lane];
    bool is_any = false;
    for (size_t i = shown->first_note; i < (size_t)shown->first_note + shown->n_notes; i++) {
        const struct rv_lane_note *note = &view->notes[i];
        if (!is_value(note, id) || !isfinite(rv_note_low(note)) || !isfinite(rv_note_high(note)))
            continue;
        *low = is_any ? fminf(*low, rv_note_low(note)) : rv_note_low(note);
        *high = is_any ? fmaxf(*high, rv_note_high(note)) : rv_note_high(note);
        is_any = true;
    }
    return is_any;
}

struct graph {
    float base, peak; /* heights of its least and its greatest value */
    float low, high;
};

static float place_value(const struct graph *graph, float value)
{
    float span = graph->high - graph->low, share = span > 0.0f ? (value - graph->low) / span : 0.5f;
    share = fminf(fmaxf(share, 0.0f), 1.0f);
    return graph->base + (GRAPH_LEAST + (1.0f - GRAPH_LEAST) * share) * (graph->peak - graph->base);
}

/* A value holds until the next one; for merged values the band between least and greatest is filled. */
static void add_value(const struct drawing *drawing, const struct graph *graph, const struct rv_lane_note *note,
                      uint64_t until_ns)
{
    struct rv_ground_mesh_area area = {.a0 = graph->base, .a1 = place_value(graph, rv_note_low(note))};
    float line = GRAPH_LINE * (graph->peak - graph->base);
    if (!isfinite(note->value) || !stretch(drawing->layout, note->start_ns, until_ns, &area))
        return;
    lay(drawing, Y_STATE, area, rv_theme_rgba(drawing->theme->value, 0.35f));
    area.a0 = area.a1 - line;
    area.a1 = place_value(graph, rv_note_high(note));
    lay(drawing, Y_STATE, area, rv_theme_rgba(drawing->theme->value, 0.95f));
}

static void add_graph(const struct drawing *drawing, uint32_t which)
{
    const struct rv_view_lane *shown = &drawing->view->lanes[drawing->lane];
    const struct rv_lane_layout_lane *lane = &drawing->layout->lanes[drawing->lane];
    const struct rv_lane_note *last = NULL;
    struct graph graph;
    uint32_t id = lane->graph_ids[which];
    rv_lane_layout_graph(drawing->layout, lane, which, &graph.base, &graph.peak);
    if (!rv_note_shapes_range(drawing->view, drawing->lane, id, &graph.low, &graph.high))
        return;
    for (size_t i = shown->first_note; i < (size_t)shown->first_note + shown->n_notes; i++) {
        const struct rv_lane_note *note = &drawing->view->notes[i];
        if (!is_value(note, id))
            continue;
        if (last)
            add_value(drawing, &graph, last, note->start_ns);
        last = note;
    }
    if (last)
        add_value(drawing, &graph, last, drawing->layout->to_ns);
}

static void add_lane(const struct drawing *drawing)
{
    const struct rv_view_lane *shown = &drawing->view->lanes[drawing->lane];
    const struct rv_lane_note *state = NULL;
    struct rv_ground_mesh_area released = {0};
    if (shown->released_ns && stretch(drawing->layout, drawing->layout->from_ns, shown->released_ns, &released))
        hatch(drawing, released, drawing->theme->suspended, RELEASED_STRENGTH);
    for (size_t i = shown->first_note; i < (size_t)shown->first_note + shown->n_notes; i++) {
        const struct rv_lane_note *note = &drawing->view->notes[i];
        struct rv_ground_mesh_area area = {0};
        struct rv_collections_stripe stripe;
        if (rv_note_is(note, RV_NOTE_FORM_STATE)) {
            if (state)
                add_state(drawing, state, note->start_ns);
            state = note;
        } else if (rv_note_is(note, RV_NOTE_FORM_OFF_CPU)) {
            add_off_cpu(drawing, note);
        } else if (rv_note_is(note, RV_NOTE_FORM_PAUSE)) {
            if (rv_collections_stripe(drawing->view, drawing->layout, drawing->lane, i, &stripe))
                add_to_process(drawing, &stripe);
        } else if (!rv_note_has_name(note) && stretch(drawing->layout, note->start_ns, note->end_ns, &area)) {
            hatch(drawing, area, drawing->theme->lost, LOST_STRENGTH);
        }
    }
    if (state)
        add_state(drawing, state, drawing->layout->to_ns);
    add_marks(drawing);
    for (uint32_t i = 0; i < drawing->layout->lanes[drawing->lane].n_graphs; i++)
        add_graph(drawing, i);
}

void rv_note_shapes_add(struct rv_ground_mesh *mesh, const struct rv_lane_layout *layout, const struct rv_view *view,
                        const struct rv_theme *theme)
{
    struct drawing drawing = {mesh, layout, view, theme, 0};
    for (; drawing.lane < view->n_lanes && drawing.lane < layout->n_lanes; drawing.lane++)
        add_lane(&drawing);
}
