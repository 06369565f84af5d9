/*
 * A wall is hollow where its thread was blocked: dark inside, with rims of its colour, and low where its thread was
 * preempted, in views in depth and flat ones. A fold is so much darker.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas.h"
#include "model/view.h"

#define FROM_NS UINT64_C(1000000)
#define WIDTH_NS UINT64_C(1000000)
#define WIDTH_PX 1200
#define HEIGHT_PX 500
#define RUNNING 0.25
#define BLOCKED 0.45
#define PREEMPTED 0.65
#define HALF 0.85 /* merged notes: blocked for half of the time */

static int n_failed;

static uint64_t at(double share)
{
    return FROM_NS + (uint64_t)(share * (double)WIDTH_NS);
}

static struct rv_view make_view(uint16_t coverage)
{
    struct rv_view view = {.from_ns = FROM_NS, .to_ns = FROM_NS + WIDTH_NS, .until_ns = UINT64_MAX, .n_processes = 1};
    view.lanes = calloc(1, sizeof *view.lanes);
    view.boxes = calloc(1, sizeof *view.boxes);
    view.notes = calloc(3, sizeof *view.notes);
    view.n_lanes = view.n_boxes = 1;
    view.n_notes = 3;
    view.boxes[0] =
        (struct rv_box){.start_ns = FROM_NS, .duration_ns = WIDTH_NS, .id = 1, .count = 1, .coverage = coverage};
    view.notes[0] = (struct rv_lane_note){.start_ns = at(0.35), .end_ns = at(0.55), .kind = RV_NOTE_BLOCKED};
    view.notes[1] = (struct rv_lane_note){.start_ns = at(0.60), .end_ns = at(0.70), .kind = RV_NOTE_PREEMPTED};
    view.notes[2] = (struct rv_lane_note){
        .start_ns = at(0.75), .end_ns = at(0.95), .kind = RV_NOTE_BLOCKED, .n_more = 3, .covered_ns = WIDTH_NS / 10};
    view.lanes[0] = (struct rv_view_lane){.n_boxes = 1, .n_notes = 3, .max_depth = 1, .n_members = 1, .busiest = 1.0};
    return view;
}

static void free_view(struct rv_view *view)
{
    free(view->lanes);
    free(view->boxes);
    free(view->notes);
}

/* Brightness of the front face at this share of the window and of the row's height. */
static double brightness(const struct canvas *canvas, double share, double height)
{
    float low[2], high[2];
    if (!rv_scene_project(canvas->scene, &(struct rv_scene_place){.time_ns = at(share)}, low) ||
        !rv_scene_project(canvas->scene, &(struct rv_scene_place){.time_ns = at(share), .depth = 1}, high))
        return -1.0;
    double y_px = (double)low[1] + height * 0.92 * (double)(high[1] - low[1]);
    const uint8_t *rgba = canvas_pixel(canvas, (int)low[0], (int)y_px);
    return rgba[0] + rgba[1] + rgba[2];
}

/* The brightest pixel at the foot of the blocked part, where its lower rim is. */
static double brightest_rim(const struct canvas *canvas)
{
    double brightest = 0.0;
    for (double height = 0.0; height < 0.15; height += 0.005)
        brightest = fmax(brightest, brightness(canvas, BLOCKED, height));
    return brightest;
}

static void check(bool is_right, const char *look, const char *what, double value, double running)
{
    if (is_right)
        return;
    n_failed++;
    fprintf(stderr, "%s: %s: brightness %g, of the running part %g\n", look, what, value, running);
}

static void draw(struct canvas *canvas, struct rv_subroutines *subroutines, enum rv_view_mode look,
                 const struct rv_view *view)
{
    canvas_draw(canvas, (struct rv_scene_frame){.view = view,
                                                .subroutines = subroutines,
                                                .width_px = WIDTH_PX,
                                                .height_px = HEIGHT_PX,
                                                .samples = 0,
                                                .origin_ns = FROM_NS,
                                                .look = look,
                                                .look_from = look,
                                                .scheme = RV_COLOR_SUBROUTINE});
}

static void check_call(struct canvas *canvas, struct rv_subroutines *subroutines, enum rv_view_mode look)
{
    const char *name = rv_view_mode_get(look)->name;
    struct rv_view view = make_view(RV_BOX_EXACT);
    draw(canvas, subroutines, look, &view);
    const double running = brightness(canvas, RUNNING, 0.5), blocked = brightness(canvas, BLOCKED, 0.5);
    const double rim = brightest_rim(canvas), half = brightness(canvas, HALF, 0.5);
    const double low = brightness(canvas, PREEMPTED, 0.15), high = brightness(canvas, PREEMPTED, 0.6);
    check(running > 200.0, name, "a wall is there", running, running);
    check(blocked < 0.7 * running, name, "hollow where blocked", blocked, running);
    check(rim > 1.2 * blocked, name, "with a rim", rim, running);
    check(half > 1.1 * blocked && half < 0.95 * running, name, "half hollow where blocked for half", half, running);
    check(low > 0.8 * running, name, "low where preempted", low, running);
    check(high < 0.7 * running, name, "no higher where preempted", high, running);
    free_view(&view);
}

static void check_fold(struct canvas *canvas, struct rv_subroutines *subroutines)
{
    struct rv_view view = make_view(RV_BOX_EXACT - 1);
    draw(canvas, subroutines, RV_VIEW_MODE_3D, &view);
    const double running = brightness(canvas, RUNNING, 0.5), blocked = brightness(canvas, BLOCKED, 0.5);
    check(blocked < 0.7 * running, "a fold", "darker where blocked", blocked, running);
    free_view(&view);
}

enum { CROWD = 100 };

/* Lanes of one row, all blocked at the same time. */
static struct rv_view make_crowd(void)
{
    struct rv_view view = make_view(RV_BOX_EXACT);
    const struct rv_view_lane lane = view.lanes[0];
    const struct rv_box box = view.boxes[0];
    view.n_lanes = view.n_boxes = CROWD;
    view.lanes = realloc(view.lanes, CROWD * sizeof *view.lanes);
    view.boxes = realloc(view.boxes, CROWD * sizeof *view.boxes);
    for (uint32_t i = 0; i < CROWD; i++) {
        view.lanes[i] = lane;
        view.lanes[i].lane_idx = view.lanes[i].thread = view.lanes[i].first_box = i;
        view.boxes[i] = box;
    }
    return view;
}

/* How much redder than blue the column of pixels from the first of the lanes to the last is: the calls are, states are not. */
static double redness(const struct canvas *canvas, double share)
{
    float first[2], last[2];
    double sum = 0.0;
    if (!rv_scene_project(canvas->scene, &(struct rv_scene_place){.time_ns = at(share), .lane = 10}, first) ||
        !rv_scene_project(canvas->scene, &(struct rv_scene_place){.time_ns = at(share), .lane = CROWD - 10}, last))
        return -1.0;
    for (int y = (int)last[1]; y < (int)first[1]; y++) {
        const uint8_t *rgba = canvas_pixel(canvas, (int)first[0], y);
        sum += rgba[0] - rgba[2];
    }
    return sum / ((int)first[1] - (int)last[1]);
}

/* Rows too low for rims: many blocked threads look dark, and those that run stand out. */
static void check_crowd(struct canvas *canvas, struct rv_subroutines *subroutines)
{
    struct rv_view view = make_crowd();
    draw(canvas, subroutines, RV_VIEW_MODE_ALIGNED, &view);
    const double running = redness(canvas, RUNNING), blocked = redness(canvas, BLOCKED);
    check(blocked > 0.0 && blocked < 0.55 * running, "a crowd", "dark where blocked", blocked, running);
    free_view(&view);
}

/* A name that reaches from a running part into the blocked one: a plate is under all of it, between its dots, too. */
static void check_name(struct canvas *canvas, struct rv_subroutines *subroutines, enum rv_view_mode look)
{
    const char *name = rv_view_mode_get(look)->name;
    struct rv_view view = make_view(RV_BOX_EXACT);
    view.boxes[0].id = 2;
    draw(canvas, subroutines, look, &view);
    const double under = brightness(canvas, RUNNING, 0.5), above = brightness(canvas, RUNNING, 0.9);
    check(under < 0.8 * above, name, "one plate under the name", under, above);
    free_view(&view);
}

int main(void)
{
    struct canvas canvas;
    struct rv_subroutines *subroutines = rv_subroutines_create();
    rv_subroutines_define(subroutines, 1, "", "wall", "", 0);
    rv_subroutines_define(subroutines, 2, "",
                          "........................................................................................",
                          "", 0);
    canvas_init(&canvas, WIDTH_PX, HEIGHT_PX);
    check_call(&canvas, subroutines, RV_VIEW_MODE_3D);
    check_call(&canvas, subroutines, RV_VIEW_MODE_ALIGNED);
    check_call(&canvas, subroutines, RV_VIEW_MODE_CALLS);
    check_call(&canvas, subroutines, RV_VIEW_MODE_FLAME);
    check_call(&canvas, subroutines, RV_VIEW_MODE_TOP);
    check_fold(&canvas, subroutines);
    check_crowd(&canvas, subroutines);
    check_name(&canvas, subroutines, RV_VIEW_MODE_3D);
    check_name(&canvas, subroutines, RV_VIEW_MODE_ALIGNED);
    canvas_fini(&canvas);
    rv_subroutines_destroy(subroutines);
    return n_failed ? 1 : 0;
}
