#include "render/stage.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

#define ROW_HEIGHT 0.29f
#define HALF_THICKNESS 0.30f
#define ROWS_MIN 3u
#define LANE_TOP_MAX 10.5f /* a deeper lane gets thinner rows */
#define GAP 0.75f          /* between two lanes, besides room for the front one's height */
#define HEIGHT_SHARE 0.92f /* of a lane's height that the next one stands back */
#define DEPTH_MAX 40.0f    /* z extent beyond which lanes move closer together */
#define FRONT_MARGIN 0.35f
#define STEP_DOWN 0.70710678f
#define SCALE_MAX 2.8284271f
#define THICKER_MAX 1.4142135f
#define SEEN_WANTED 9.0f /* height, as seen, up to which lanes are enlarged */
#define TILT_SIN 0.48f   /* how much of a depth and of a height is seen from the camera's elevation */
#define TILT_COS 0.88f
#define BOX_SHARE 0.92f

static uint32_t held_rows(struct rv_stage *stage, const struct rv_view_lane *lane)
{
    uint32_t idx = lane->lane_idx;
    if (idx >= stage->n_rows_held) {
        stage->rows_held =
            rv_vec_reserve(stage->rows_held, &stage->rows_held_capacity, idx + (size_t)1, sizeof(uint32_t));
        for (size_t i = stage->n_rows_held; i <= idx; i++)
            stage->rows_held[i] = ROWS_MIN;
        stage->n_rows_held = idx + (size_t)1;
    }
    if (lane->max_depth > stage->rows_held[idx])
        stage->rows_held[idx] = lane->max_depth;
    return stage->rows_held[idx];
}

/* Steps of sqrt(2), so that a stack growing frame by frame does not move the rows each time. */
static float row_height(uint32_t n_rows, float scale)
{
    float height = ROW_HEIGHT * scale;
    while (height * (float)n_rows > LANE_TOP_MAX)
        height *= STEP_DOWN;
    return height;
}

static float lane_pitch(float top, float scale)
{
    return 2.0f * HALF_THICKNESS * fminf(scale, THICKER_MAX) + GAP + HEIGHT_SHARE * top;
}

/* Few and shallow lanes stand larger, in the same steps; as lanes only ever get more rows, this only ever shrinks. */
static float choose_scale(struct rv_stage *stage, const struct rv_view *view)
{
    float extent = 0.0f, top = 0.0f, scale = SCALE_MAX;
    for (size_t i = 0; i < view->n_lanes; i++) {
        float lane_top = ROW_HEIGHT * (float)held_rows(stage, &view->lanes[i]);
        extent += lane_pitch(fminf(lane_top, LANE_TOP_MAX), 1.0f);
        top = fmaxf(top, fminf(lane_top, LANE_TOP_MAX));
    }
    float seen = TILT_SIN * extent + TILT_COS * top;
    while (scale > 1.0f && scale * seen > SEEN_WANTED)
        scale *= STEP_DOWN;
    return fmaxf(scale, 1.0f);
}

static void place_lanes(struct rv_stage *stage, const struct rv_view *view)
{
    float z = 0.0f, scale = choose_scale(stage, view);
    stage->row = ROW_HEIGHT * scale;
    for (size_t i = 0; i < view->n_lanes; i++) {
        struct rv_stage_lane *lane = &stage->lanes[i];
        lane->n_rows = held_rows(stage, &view->lanes[i]);
        lane->row_height = row_height(lane->n_rows, scale);
        lane->half_thickness = HALF_THICKNESS * fminf(scale, THICKER_MAX);
        lane->y = 0.0f;
        lane->z = z;
        z -= lane_pitch(rv_stage_lane_top(lane), scale);
    }
}

static void squeeze_lanes(struct rv_stage *stage)
{
    float extent = stage->n_lanes ? -stage->lanes[stage->n_lanes - 1].z : 0.0f;
    if (extent <= DEPTH_MAX)
        return;
    float share = DEPTH_MAX / extent;
    for (size_t i = 0; i < stage->n_lanes; i++) {
        stage->lanes[i].z *= share;
        stage->lanes[i].half_thickness *= fmaxf(share, 0.1f);
    }
}

static void place_edges(struct rv_stage *stage)
{
    struct rv_stage_lane first = {.half_thickness = HALF_THICKNESS}, last = first;
    if (stage->n_lanes) {
        first = stage->lanes[0];
        last = stage->lanes[stage->n_lanes - 1];
    }
    stage->z_front = first.half_thickness + FRONT_MARGIN;
    stage->z_back = last.z - last.half_thickness - FRONT_MARGIN;
    stage->top = ROW_HEIGHT * ROWS_MIN;
    for (size_t i = 0; i < stage->n_lanes; i++)
        stage->top = fmaxf(stage->top, rv_stage_lane_top(&stage->lanes[i]));
}

/* Whole points a row and a gap, as large as there is room for but never too small to read. */
static void stack_lanes(struct rv_stage *stage, const struct rv_view *view, const struct rv_stage_params *params)
{
    const struct rv_look_params *look = params->look;
    float n_rows = 0.0f, room = floorf(params->room);
    for (size_t i = 0; i < view->n_lanes; i++)
        n_rows += (look->has_leaves ? 1.0f : (float)held_rows(stage, &view->lanes[i])) + look->lane_gap;
    float row = floorf(fminf(fmaxf(room / fmaxf(n_rows, 1.0f), look->row_min), look->row_max));
    float gap = floorf(look->lane_gap * row);
    float content = row * (n_rows - look->lane_gap * (float)view->n_lanes) + gap * (float)view->n_lanes;
    stage->scroll_max = fmaxf(content - room, 0.0f);
    float y = room + floorf(fminf(fmaxf(params->scroll, 0.0f), stage->scroll_max));
    stage->row = row * RV_STAGE_POINT;
    stage->box_share = 1.0f - 1.0f / row;
    for (size_t i = 0; i < view->n_lanes; i++) {
        struct rv_stage_lane *lane = &stage->lanes[i];
        lane->n_rows = look->has_leaves ? 1 : held_rows(stage, &view->lanes[i]);
        lane->row_height = stage->row;
        lane->half_thickness = HALF_THICKNESS;
        y -= row * (float)lane->n_rows + gap;
        lane->y = y * RV_STAGE_POINT;
        lane->z = 0.0f;
    }
    stage->z_front = HALF_THICKNESS;
    stage->z_back = -HALF_THICKNESS;
    stage->top = room * RV_STAGE_POINT;
}

void rv_stage_update(struct rv_stage *stage, const struct rv_view *view, const struct rv_stage_params *params)
{
    stage->from_ns = view->from_ns;
    stage->to_ns = view->to_ns > view->from_ns ? view->to_ns : view->from_ns + 1;
    stage->width = RV_STAGE_WIDTH;
    stage->lanes = rv_vec_reserve(stage->lanes, &stage->lanes_capacity, view->n_lanes, sizeof *stage->lanes);
    stage->n_lanes = view->n_lanes;
    stage->is_flat = params->look->is_flat;
    if (stage->is_flat) {
        stack_lanes(stage, view, params);
        return;
    }
    stage->box_share = BOX_SHARE;
    stage->scroll_max = 0.0f;
    place_lanes(stage, view);
    squeeze_lanes(stage);
    place_edges(stage);
}

static float between(float from, float to, float share)
{
    return from + share * (to - from);
}

void rv_stage_mix(struct rv_stage *stage, const struct rv_stage *from, float share)
{
    for (size_t i = 0; i < stage->n_lanes && i < from->n_lanes; i++) {
        struct rv_stage_lane *lane = &stage->lanes[i];
        const struct rv_stage_lane *before = &from->lanes[i];
        lane->y = between(before->y, lane->y, share);
        lane->z = between(before->z, lane->z, share);
        lane->half_thickness = between(before->half_thickness, lane->half_thickness, share);
        lane->row_height = between(before->row_height, lane->row_height, share);
    }
    stage->z_front = between(from->z_front, stage->z_front, share);
    stage->z_back = between(from->z_back, stage->z_back, share);
    stage->top = between(from->top, stage->top, share);
}

void rv_stage_fini(struct rv_stage *stage)
{
    free(stage->lanes);
    free(stage->rows_held);
    *stage = (struct rv_stage){0};
}

double rv_stage_x(const struct rv_stage *stage, uint64_t time_ns)
{
    double delta = time_ns >= stage->from_ns ? (double)(time_ns - stage->from_ns) : -(double)(stage->from_ns - time_ns);
    return delta * (double)stage->width / (double)(stage->to_ns - stage->from_ns);
}

uint64_t rv_stage_time(const struct rv_stage *stage, double x)
{
    double delta = x / (double)stage->width * (double)(stage->to_ns - stage->from_ns);
    if (delta < 0.0)
        return -delta >= (double)stage->from_ns ? 0 : stage->from_ns - (uint64_t)(-delta);
    return delta >= 9.0e18 ? UINT64_MAX : stage->from_ns + (uint64_t)delta;
}

float rv_stage_thickness(const struct rv_stage_lane *lane, uint32_t depth)
{
    return lane->half_thickness * fmaxf(RV_STAGE_THICKNESS_MIN, 1.0f - RV_STAGE_INSET * (float)depth);
}

float rv_stage_row_y(const struct rv_stage_lane *lane, uint32_t depth)
{
    return lane->y + (float)depth * lane->row_height;
}

float rv_stage_lane_top(const struct rv_stage_lane *lane)
{
    return lane->row_height * (float)lane->n_rows;
}
