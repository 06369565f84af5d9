#include "render/lane_layout.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

#define ROW_HEIGHT 0.29f
#define HALF_THICKNESS 0.30f
#define ROWS_MIN 3u
#define OBJECT_ROW 0.6f    /* of the height of a row: those of lanes of objects lie low, before the threads */
#define LANE_TOP_MAX 10.5f /* a deeper lane gets thinner rows */
#define GAP 0.75f          /* between two lanes, besides room for the front one's height */
#define HEIGHT_SHARE 0.92f /* distance of the next lane, as a share of a lane's height */
#define DEPTH_MAX 40.0f    /* z extent beyond which lanes move closer together */
#define HIDES_MOST 1.5f    /* lanes that one hides, of those that have been moved together */
#define FRONT_MARGIN 0.35f
#define STEP_DOWN 0.70710678f
#define THICKER_MAX 1.4142135f
#define BOX_SHARE 0.92f
#define ROW_LEAST 4.0f /* points; of lanes that are not too deep */
#define ROW_MOST 64.0f
#define GAP_MOST 2.0f       /* rows, of few lanes that are spread over the room */
#define DEEP_SHARE 0.7f     /* of the room for a lane that is too deep to be scrolled, if there are others */
#define ROOMS_ALONE 8.0f    /* that may be scrolled through in one lane, */
#define ROOMS_EACH 2.0f     /* or in one of several */
#define CALLS_EXTENT 32.0f  /* z, of a view of calls */
#define CALLS_FRONT 0.55f   /* share of it for the first calls, apart from each other, if not all can be */
#define CALLS_TOP_MAX 2.0f  /* a deeper call has thinner rows */
#define CALLS_TALL_MAX 6.0f /* the same of few calls */
#define CALLS_ROW_MAX 0.36f
#define CALLS_GAP 0.5f
#define CALLS_BREAK 1.2f     /* between the calls apart and those close to each other */
#define CALLS_FILLED 0.96f   /* of those, thickness over distance */
#define CALLS_PITCH_MAX 0.5f /* their distance */
#define GRAPH_FIRST 0.2f     /* before the lane's front */
#define GRAPH_SIZE 0.5f
#define GRAPH_STEP 0.64f
#define LOW_ROWS 3.0f      /* of the least height: of a lane that only waits, which has thinner rows if it is deeper */
#define RUN_LEAST 0.002    /* of the window: as much time as two pixels, beyond which a lane runs */
#define CALLS_EACH 4u      /* the same for its calls, for each row */
#define STATES_POINTS 8.0f /* below a lane's foot, where its states are */
#define GRAPH_POINTS 26.0f
#define GRAPH_STEP_POINTS 34.0f

static void hold_graphs(struct rv_lane_layout_held *held, const struct rv_view *view, const struct rv_view_lane *lane)
{
    for (size_t i = lane->first_note; i < (size_t)lane->first_note + lane->n_notes; i++) {
        const struct rv_lane_note *note = &view->notes[i];
        uint32_t known = 0;
        if (!rv_note_is(note, RV_NOTE_FORM_VALUE))
            continue;
        while (known < held->n_graphs && held->graph_ids[known] != note->id)
            known++;
        if (known == held->n_graphs && known < RV_LANE_LAYOUT_GRAPHS_MAX)
            held->graph_ids[held->n_graphs++] = note->id;
    }
}

/* Time of an outermost call in which its thread ran. */
static double running_ns(const struct rv_view *view, const struct rv_view_lane *lane, const struct rv_box *box)
{
    const uint64_t end_ns = rv_box_end_ns(box);
    const uint64_t range_ns[2] = {box->start_ns > view->from_ns ? box->start_ns : view->from_ns,
                                  end_ns < view->to_ns ? end_ns : view->to_ns};
    const struct rv_lane_note *notes = view->notes + lane->first_note;
    uint64_t n;
    if (range_ns[1] <= range_ns[0])
        return 0.0;
    const uint64_t off_ns = rv_notes_covered_ns(notes, lane->n_notes, RV_NOTE_BLOCKED, range_ns, &n) +
                            rv_notes_covered_ns(notes, lane->n_notes, RV_NOTE_AWAY, range_ns, &n);
    return (double)(range_ns[1] - range_ns[0]) * box->coverage / RV_BOX_EXACT - (double)off_ns;
}

/* Has it calls that ran, as far as can be seen? */
static bool has_run(const struct rv_view *view, const struct rv_view_lane *lane)
{
    const struct rv_box *boxes = view->boxes + lane->first_box;
    const double least_ns = RUN_LEAST * (double)(view->to_ns - view->from_ns);
    double ran_ns = 0.0;
    if (lane->n_boxes && (lane->n_members > 1 || lane->n_boxes > CALLS_EACH * lane->max_depth))
        return true;
    for (uint32_t i = 0; i < lane->n_boxes && ran_ns <= least_ns; i++)
        ran_ns += boxes[i].depth == 0 ? fmax(running_ns(view, lane, &boxes[i]), 0.0) : 0.0;
    return ran_ns > least_ns;
}

static bool has_waited(const struct rv_view *view, const struct rv_view_lane *lane)
{
    bool is_any = false;
    for (size_t i = lane->first_note; i < (size_t)lane->first_note + lane->n_notes && !is_any; i++)
        is_any = rv_note_is(&view->notes[i], RV_NOTE_FORM_OFF_CPU);
    return is_any;
}

static uint32_t deepest_row(const struct rv_view *view, const struct rv_view_lane *lane)
{
    uint32_t n_rows = 1;
    for (size_t i = lane->first_box; i < (size_t)lane->first_box + lane->n_boxes; i++)
        n_rows = view->boxes[i].depth >= n_rows ? view->boxes[i].depth + 1u : n_rows;
    return n_rows;
}

static void hold_waiting(struct rv_lane_layout_held *held, const struct rv_view *view, const struct rv_view_lane *lane)
{
    held->has_run = held->has_run || has_run(view, lane);
    if (held->has_run)
        return;
    const uint32_t n_rows = deepest_row(view, lane);
    held->n_low_rows = n_rows > held->n_low_rows ? n_rows : held->n_low_rows;
    held->has_waited = held->has_waited || has_waited(view, lane);
}

/* Give every lane what it had and what it needs now. */
static void hold(struct rv_lane_layout *layout, const struct rv_view *view)
{
    for (size_t lane = 0; lane < view->n_lanes; lane++) {
        if (view->lanes[lane].object)
            continue;
        size_t need = view->lanes[lane].lane_idx + (size_t)1;
        if (need > layout->n_held) {
            layout->held = rv_vec_reserve(layout->held, &layout->held_capacity, need, sizeof *layout->held);
            for (size_t i = layout->n_held; i < need; i++)
                layout->held[i] = (struct rv_lane_layout_held){.n_rows = ROWS_MIN};
            layout->n_held = need;
        }
        struct rv_lane_layout_held *held = &layout->held[need - 1];
        if (view->lanes[lane].max_depth > held->n_rows)
            held->n_rows = view->lanes[lane].max_depth;
        hold_graphs(held, view, &view->lanes[lane]);
        hold_waiting(held, view, &view->lanes[lane]);
    }
}

static bool is_low(const struct rv_lane_layout *layout, const struct rv_lane_layout_held *held)
{
    return layout->is_flat && held->has_waited && !held->has_run;
}

/* Rows of a lane: one if shown as one row, and no more than the crop leaves. */
static struct rv_lane_layout_held held_of(const struct rv_lane_layout *layout, const struct rv_view *view, size_t lane)
{
    if (view->lanes[lane].object)
        return (struct rv_lane_layout_held){.n_rows = view->lanes[lane].max_depth};
    struct rv_lane_layout_held held = layout->held[view->lanes[lane].lane_idx];
    if (is_low(layout, &held))
        held.n_rows = held.n_low_rows;
    if (view->most_depth && held.n_rows > view->most_depth)
        held.n_rows = view->most_depth;
    if (view->lanes[lane].is_row) {
        held.n_rows = 1;
        held.n_graphs = 0;
    }
    return held;
}

static float row_share(const struct rv_view *view, size_t lane)
{
    return view->lanes[lane].object ? OBJECT_ROW : 1.0f;
}

static void take_graphs(struct rv_lane_layout_lane *lane, const struct rv_lane_layout_held *held, float size)
{
    lane->n_graphs = held->n_graphs;
    lane->graph_size = size;
    for (uint32_t i = 0; i < held->n_graphs; i++)
        lane->graph_ids[i] = held->graph_ids[i];
}

/* Steps of sqrt(2), so that a stack growing frame by frame does not move the rows each time. */
static float row_height(uint32_t n_rows)
{
    float height = ROW_HEIGHT;
    while (height * (float)n_rows > LANE_TOP_MAX)
        height *= STEP_DOWN;
    return height;
}

/* Enlarged lanes are as far apart as before, besides the room for their height. */
static void place_lanes(struct rv_lane_layout *layout, const struct rv_view *view, float scale)
{
    float z = 0.0f;
    layout->row = ROW_HEIGHT * scale;
    scale = fmaxf(scale, 1.0f);
    for (size_t i = 0; i < view->n_lanes; i++) {
        struct rv_lane_layout_lane *lane = &layout->lanes[i];
        const struct rv_lane_layout_held held = held_of(layout, view, i);
        take_graphs(lane, &held, GRAPH_SIZE);
        z -= i ? GRAPH_STEP * (float)held.n_graphs : 0.0f;
        lane->n_rows = held.n_rows;
        lane->row_height = row_height(lane->n_rows) * scale * row_share(view, i);
        lane->half_thickness = HALF_THICKNESS * fminf(scale, THICKER_MAX);
        lane->y = 0.0f;
        lane->z = z;
        z -= 2.0f * lane->half_thickness + GAP + HEIGHT_SHARE * rv_lane_layout_lane_top(lane);
    }
}

static float calls_pitch(const struct rv_lane_layout_lane *lane)
{
    return 2.0f * HALF_THICKNESS + CALLS_GAP + HEIGHT_SHARE * rv_lane_layout_lane_top(lane);
}

/* Number of calls in front that are so far apart that none hides the next. */
static size_t n_apart(const struct rv_lane_layout *layout)
{
    float extent = 0.0f, front = 0.0f;
    size_t n_front = 0;
    for (size_t i = 0; i < layout->n_lanes; i++) {
        extent += calls_pitch(&layout->lanes[i]);
        if (extent <= CALLS_FRONT * CALLS_EXTENT) {
            n_front = i + 1;
            front = extent;
        }
    }
    return extent <= CALLS_EXTENT || front <= 0.0f ? layout->n_lanes : n_front;
}

static void set_calls_row(struct rv_lane_layout *layout, const struct rv_view *view, float row)
{
    layout->row = row;
    for (size_t i = 0; i < view->n_lanes; i++)
        layout->lanes[i] = (struct rv_lane_layout_lane){
            .half_thickness = HALF_THICKNESS, .row_height = row, .n_rows = view->lanes[i].max_depth};
}

/* As high as leaves all calls apart from each other, but not less than leaves some apart. */
static void choose_calls_row(struct rv_lane_layout *layout, const struct rv_view *view)
{
    uint32_t n_rows = 1;
    for (size_t i = 0; i < view->n_lanes; i++)
        n_rows = view->lanes[i].max_depth > n_rows ? view->lanes[i].max_depth : n_rows;
    const float least = fminf(CALLS_TOP_MAX / (float)n_rows, CALLS_ROW_MAX);
    float row = fmaxf(fminf(CALLS_TALL_MAX / (float)n_rows, 2.0f * CALLS_ROW_MAX), least);
    for (set_calls_row(layout, view, row); row > least && n_apart(layout) < layout->n_lanes;) {
        row = fmaxf(STEP_DOWN * row, least);
        set_calls_row(layout, view, row);
    }
}

/* The first calls apart from each other, the others as one relief behind them. */
static void place_calls(struct rv_lane_layout *layout, const struct rv_view *view)
{
    choose_calls_row(layout, view);
    const size_t n_front = n_apart(layout), n_close = layout->n_lanes - n_front;
    float z = 0.0f,
          pitch = fminf((1.0f - CALLS_FRONT) * CALLS_EXTENT / (float)(n_close ? n_close : 1), CALLS_PITCH_MAX);
    for (size_t i = 0; i < layout->n_lanes; i++) {
        struct rv_lane_layout_lane *lane = &layout->lanes[i];
        if (i >= n_front)
            lane->half_thickness = 0.5f * pitch * CALLS_FILLED;
        lane->z = z;
        z -= i + 1 == n_front ? fmaxf(calls_pitch(lane), CALLS_BREAK) : i < n_front ? calls_pitch(lane) : pitch;
    }
}

/* Move lanes that reach too far back closer together, and shrink all where the scale is less than 1. */
static void squeeze_lanes(struct rv_lane_layout *layout, float scale)
{
    const float extent = layout->n_lanes ? -layout->lanes[layout->n_lanes - 1].z : 0.0f;
    const float smaller = fminf(scale, 1.0f), share = fminf(DEPTH_MAX / fmaxf(extent, 1.0f), 1.0f);
    for (size_t i = 0; i < layout->n_lanes; i++) {
        layout->lanes[i].z *= smaller * share;
        layout->lanes[i].half_thickness *= smaller * fmaxf(share, 0.1f);
        layout->lanes[i].row_height *= smaller * fminf(HIDES_MOST * share, 1.0f);
        layout->lanes[i].graph_size *= smaller * share;
    }
}

static float graphs_room(const struct rv_lane_layout_lane *lane)
{
    return GRAPH_STEP / GRAPH_SIZE * lane->graph_size * (float)lane->n_graphs;
}

static void place_edges(struct rv_lane_layout *layout)
{
    struct rv_lane_layout_lane first = {.half_thickness = HALF_THICKNESS}, last = first;
    if (layout->n_lanes) {
        first = layout->lanes[0];
        last = layout->lanes[layout->n_lanes - 1];
    }
    layout->z_front = first.half_thickness + FRONT_MARGIN + graphs_room(&first);
    layout->z_back = last.z - last.half_thickness - FRONT_MARGIN;
    layout->top = ROW_HEIGHT * ROWS_MIN;
    float front = layout->z_front;
    for (size_t i = 0; i < layout->n_lanes; i++) {
        struct rv_lane_layout_lane *lane = &layout->lanes[i];
        const struct rv_lane_layout_lane *next = lane + 1;
        layout->top = fmaxf(layout->top, rv_lane_layout_lane_top(lane));
        lane->zone[0] = front;
        front = i + 1 < layout->n_lanes
                    ? next->z + next->half_thickness + RV_LANE_LAYOUT_PLATE_MARGIN + graphs_room(next)
                    : layout->z_back;
        lane->zone[1] = front;
    }
}

struct stack { /* of lanes below each other, in points */
    const struct rv_lane_layout *layout;
    const struct rv_view *view;
    const struct rv_view_mode_params *look;
    float room, scale; /* room: above the last one's states */
    float row, gap;    /* of lanes that are not deeper than the room */
    float low_gap;     /* of low lanes */
};

static uint32_t rows_of(const struct stack *stack, size_t lane)
{
    return stack->look->has_leaves ? 1 : held_of(stack->layout, stack->view, lane).n_rows;
}

static bool is_low_in(const struct stack *stack, size_t lane)
{
    const struct rv_view_lane *shown = &stack->view->lanes[lane];
    return !shown->object && is_low(stack->layout, &stack->layout->held[shown->lane_idx]);
}

static float low_row(const struct stack *stack, size_t lane)
{
    const float least = stack->look->row_min * stack->scale;
    return floorf(fminf(least, fmaxf(LOW_ROWS * least / (float)rows_of(stack, lane), ROW_LEAST)));
}

static float gap_of(const struct stack *stack, size_t lane)
{
    return is_low_in(stack, lane) ? stack->low_gap : stack->gap;
}

/* A lane that is too deep to be scrolled has rows that let it fit, before they are scaled. */
static float row_of(const struct stack *stack, size_t lane)
{
    if (is_low_in(stack, lane))
        return fminf(low_row(stack, lane), stack->row);
    const bool is_alone = stack->view->n_lanes == 1;
    const float n_rows = (float)rows_of(stack, lane), share = is_alone ? 1.0f : DEEP_SHARE;
    const float fitting = stack->scale * (share * stack->room - stack->gap) / n_rows;
    const bool is_too_deep = n_rows * stack->look->row_min > (is_alone ? ROOMS_ALONE : ROOMS_EACH) * stack->room;
    return is_too_deep ? fminf(fitting, stack->row) : stack->row;
}

/* Rows and gaps in whole points, as large as fits, but never too small to read, and scaled as the user wants. */
static void choose_row(struct stack *stack)
{
    const struct rv_view_mode_params *look = stack->look;
    float n_rows = 0.0f, taken = 0.0f;
    for (size_t i = 0; i < stack->view->n_lanes; i++) {
        if (is_low_in(stack, i))
            taken += low_row(stack, i) * (float)rows_of(stack, i) + look->lane_gap * look->row_min;
        else
            n_rows += (float)rows_of(stack, i) + look->lane_gap;
        taken += GRAPH_STEP_POINTS * (float)held_of(stack->layout, stack->view, i).n_graphs;
    }
    float row = fminf(fmaxf((stack->room - taken) / fmaxf(n_rows, 1.0f), look->row_min), look->row_max);
    stack->row = floorf(fminf(fmaxf(floorf(row) * stack->scale, ROW_LEAST), ROW_MOST));
    stack->gap = floorf(look->lane_gap * fminf(stack->row, look->row_max));
    stack->low_gap = floorf(look->lane_gap * fminf(stack->row, look->row_min));
}

static float height_of(const struct stack *stack, size_t lane)
{
    return row_of(stack, lane) * (float)rows_of(stack, lane) + gap_of(stack, lane) +
           GRAPH_STEP_POINTS * (float)held_of(stack->layout, stack->view, lane).n_graphs;
}

static float content_height(const struct stack *stack)
{
    float height = 0.0f;
    for (size_t i = 0; i < stack->view->n_lanes; i++)
        height += height_of(stack, i);
    return height;
}

/* What is left of the room goes between the lanes. */
static void spread(struct stack *stack)
{
    const float n_lanes = fmaxf((float)stack->view->n_lanes, 1.0f);
    const float spare = floorf((stack->room - content_height(stack)) / n_lanes);
    const float most = floorf(GAP_MOST * stack->row);
    stack->gap = fmaxf(stack->gap, fminf(stack->gap + spare, most));
    stack->low_gap = fmaxf(stack->low_gap, fminf(stack->low_gap + spare, most));
}

static void stack_lanes(struct rv_lane_layout *layout, const struct rv_view *view,
                        const struct rv_lane_layout_params *params)
{
    struct stack stack = {.layout = layout,
                          .view = view,
                          .look = params->look,
                          .room = floorf(params->room) - STATES_POINTS,
                          .scale = params->row_scale > 0.0f ? params->row_scale : 1.0f};
    choose_row(&stack);
    spread(&stack);
    const float most = fmaxf(content_height(&stack) - stack.room, 0.0f);
    const float first = view->n_lanes ? height_of(&stack, 0) : 0.0f;
    const float rest = floorf(fmaxf(first - stack.room, 0.0f)); /* its foot is in sight, not its tips */
    const float top = floorf(params->room);
    layout->scroll_range[0] = -rest;
    layout->scroll_range[1] = most - rest;
    float y = top + rest + floorf(fminf(fmaxf(params->scroll, -rest), most - rest));
    layout->row = stack.row * RV_LANE_LAYOUT_POINT;
    layout->box_share = 1.0f - 1.0f / stack.row;
    for (size_t i = 0; i < view->n_lanes; i++) {
        struct rv_lane_layout_lane *lane = &layout->lanes[i];
        const struct rv_lane_layout_held held = held_of(layout, view, i);
        take_graphs(lane, &held, GRAPH_POINTS * RV_LANE_LAYOUT_POINT);
        lane->n_rows = rows_of(&stack, i);
        lane->zone[1] = y * RV_LANE_LAYOUT_POINT;
        lane->row_height = row_of(&stack, i) * RV_LANE_LAYOUT_POINT;
        lane->half_thickness = HALF_THICKNESS;
        y -= row_of(&stack, i) * (float)lane->n_rows + gap_of(&stack, i);
        lane->y = y * RV_LANE_LAYOUT_POINT;
        lane->z = 0.0f;
        y -= GRAPH_STEP_POINTS * (float)held.n_graphs;
        lane->zone[0] = y * RV_LANE_LAYOUT_POINT;
    }
    layout->z_front = HALF_THICKNESS;
    layout->z_back = -HALF_THICKNESS;
    layout->top = top * RV_LANE_LAYOUT_POINT;
}

void rv_lane_layout_place(struct rv_lane_layout *layout, const struct rv_view *view,
                          const struct rv_lane_layout_params *params)
{
    const float scale = params->lane_scale > 0.0f ? params->lane_scale : 1.0f;
    layout->is_flat = params->look->is_flat;
    if (layout->is_flat) {
        stack_lanes(layout, view, params);
        return;
    }
    layout->box_share = BOX_SHARE;
    layout->scroll_range[0] = layout->scroll_range[1] = 0.0f;
    if (params->look->has_rows)
        place_calls(layout, view);
    else
        place_lanes(layout, view, scale);
    squeeze_lanes(layout, scale);
    place_edges(layout);
}

void rv_lane_layout_take(struct rv_lane_layout *layout, const struct rv_view *view,
                         const struct rv_view_mode_params *look)
{
    layout->from_ns = view->from_ns;
    layout->to_ns = view->to_ns > view->from_ns ? view->to_ns : view->from_ns + 1;
    layout->width = RV_LANE_LAYOUT_WIDTH;
    layout->lanes = rv_vec_reserve(layout->lanes, &layout->lanes_capacity, view->n_lanes, sizeof *layout->lanes);
    layout->n_lanes = view->n_lanes;
    if (!look->has_rows)
        hold(layout, view);
}

static float between(float from, float to, float share)
{
    return from + share * (to - from);
}

void rv_lane_layout_mix(struct rv_lane_layout *layout, const struct rv_lane_layout *from, float share)
{
    for (size_t i = 0; i < layout->n_lanes && i < from->n_lanes; i++) {
        struct rv_lane_layout_lane *lane = &layout->lanes[i];
        const struct rv_lane_layout_lane *before = &from->lanes[i];
        lane->y = between(before->y, lane->y, share);
        lane->z = between(before->z, lane->z, share);
        lane->half_thickness = between(before->half_thickness, lane->half_thickness, share);
        lane->row_height = between(before->row_height, lane->row_height, share);
    }
    layout->z_front = between(from->z_front, layout->z_front, share);
    layout->z_back = between(from->z_back, layout->z_back, share);
    layout->top = between(from->top, layout->top, share);
}

void rv_lane_layout_fini(struct rv_lane_layout *layout)
{
    free(layout->lanes);
    free(layout->held);
    *layout = (struct rv_lane_layout){0};
}

double rv_lane_layout_x(const struct rv_lane_layout *layout, uint64_t time_ns)
{
    double delta =
        time_ns >= layout->from_ns ? (double)(time_ns - layout->from_ns) : -(double)(layout->from_ns - time_ns);
    return delta * (double)layout->width / (double)(layout->to_ns - layout->from_ns);
}

float rv_lane_layout_thickness(const struct rv_lane_layout_lane *lane, uint32_t depth)
{
    return lane->half_thickness * fmaxf(RV_LANE_LAYOUT_THICKNESS_MIN, 1.0f - RV_LANE_LAYOUT_INSET * (float)depth);
}

float rv_lane_layout_row_y(const struct rv_lane_layout_lane *lane, uint32_t depth)
{
    return lane->y + (float)depth * lane->row_height;
}

void rv_lane_layout_graph(const struct rv_lane_layout *layout, const struct rv_lane_layout_lane *lane, uint32_t which,
                          float *base, float *peak)
{
    if (layout->is_flat) {
        *peak = lane->y - (STATES_POINTS + GRAPH_STEP_POINTS * (float)which) * RV_LANE_LAYOUT_POINT;
        *base = *peak - lane->graph_size;
    } else {
        float step = GRAPH_STEP / GRAPH_SIZE * lane->graph_size;
        *peak = lane->z + lane->half_thickness + GRAPH_FIRST + step * (float)which;
        *base = *peak + lane->graph_size;
    }
}

float rv_lane_layout_lane_top(const struct rv_lane_layout_lane *lane)
{
    return lane->row_height * (float)lane->n_rows;
}
