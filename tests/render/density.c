/*
 * A display with two pixels a point: the call under the mouse, given in SDL's units, is the same as with a point
 * per pixel, in every view; and so is the time at which the cursor zooms.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "window/input.h"
#include "canvas.h"
#include "synthetic.h"

#define ORIGIN_NS 5000000000u
#define WIDTH 1000
#define HEIGHT 600
#define MOST_POSITIONS 4000
#define LEAST_WIDTH 4.0f /* points of a box whose middle is pointed at */
#define AGREEMENT 0.98   /* the middle of one may be at the edge of another that stands before it */
#define LEAST_POSITIONS 150

struct display {
    int density;
    struct rv_viewer viewer;
    struct rv_input input;
};

/* As the window does. */
static void point(struct display *display, const struct rv_scene_frame *frame, int x, int y)
{
    SDL_Event event = {.motion = {.type = SDL_MOUSEMOTION, .x = x, .y = y}};
    rv_input_event(&display->input, &event, &display->viewer, display->density);
    (void)rv_pointer_look(&display->viewer.pointer, display->viewer.scene, frame->view);
}

static void place(struct display *display, struct canvas *canvas, struct rv_scene_frame *frame)
{
    frame->width_px = WIDTH * display->density;
    frame->height_px = HEIGHT * display->density;
    frame->scale = display->density;
    display->viewer.scene = canvas->scene;
    display->viewer.view = frame->view;
    rv_scene_compose(canvas->scene, frame);
    rv_scene_place(canvas->scene, frame);
}

struct seen {
    bool is_on;
    struct rv_box box;
    uint32_t lane_idx;
    double share;
};

struct spots { /* points */
    int at[MOST_POSITIONS][2];
    size_t n;
};

static void add_spot(struct spots *spots, const struct canvas *canvas, const struct rv_box *box, uint32_t lane)
{
    struct rv_scene_place place = {box->start_ns, lane, box->depth};
    float left[2], right[2], above[2];
    bool is_shown = rv_scene_project(canvas->scene, &place, left);
    place.time_ns += box->duration_ns;
    is_shown = is_shown && rv_scene_project(canvas->scene, &place, right);
    place.depth++;
    is_shown = is_shown && rv_scene_project(canvas->scene, &place, above);
    if (!is_shown || right[0] - left[0] < LEAST_WIDTH || spots->n == MOST_POSITIONS)
        return;
    spots->at[spots->n][0] = (int)(0.5f * (left[0] + right[0]));
    spots->at[spots->n++][1] = (int)(0.5f * (0.5f * (left[1] + right[1]) + above[1] + 0.5f * (left[1] - right[1])));
}

/* The middles of boxes as they stand where a point is a pixel. */
static void find_spots(struct spots *spots, struct canvas *canvas, struct rv_scene_frame *frame)
{
    const struct rv_view *view = frame->view;
    spots->n = 0;
    frame->width_px = WIDTH;
    frame->height_px = HEIGHT;
    frame->scale = 1.0;
    rv_scene_compose(canvas->scene, frame);
    rv_scene_place(canvas->scene, frame);
    for (uint32_t lane = 0; lane < view->n_lanes; lane++)
        for (uint32_t i = 0; i < view->lanes[lane].n_boxes; i++)
            add_spot(spots, canvas, &view->boxes[view->lanes[lane].first_box + i], lane);
}

static void look(struct display *display, struct canvas *canvas, struct rv_scene_frame *frame,
                 const struct spots *spots, struct seen *out)
{
    place(display, canvas, frame);
    for (size_t i = 0; i < spots->n; i++) {
        const struct rv_hover *hover = &display->viewer.pointer.hover;
        point(display, frame, spots->at[i][0], spots->at[i][1]);
        const float *at_px = display->viewer.pointer.at_px;
        out[i] = (struct seen){hover->is_on, hover->box, hover->lane_idx,
                               rv_scene_share_at(canvas->scene, (double)at_px[0], (double)at_px[1])};
    }
}

static bool is_same(const struct seen *a, const struct seen *b)
{
    if (a->is_on != b->is_on)
        return false;
    return !a->is_on || (a->box.id == b->box.id && a->box.start_ns == b->box.start_ns && a->box.depth == b->box.depth &&
                         a->lane_idx == b->lane_idx);
}

static void check_view(struct canvas *canvas, struct rv_scene_frame *frame)
{
    static struct seen seen[2][MOST_POSITIONS];
    static struct spots spots;
    struct rv_viewer_params params = {.now_ns = frame->view->to_ns, .window_ns = 1000};
    const char *name = rv_view_mode_get(frame->look)->name;
    unsigned n_same = 0, n_on = 0;
    double farthest = 0.0;
    find_spots(&spots, canvas, frame);
    for (int i = 0; i < 2; i++) {
        struct display display = {.density = i + 1};
        rv_settings_init(&params.settings);
        rv_viewer_init(&display.viewer, &params);
        look(&display, canvas, frame, &spots, seen[i]);
        rv_viewer_fini(&display.viewer);
    }
    for (size_t i = 0; i < spots.n; i++) {
        n_same += is_same(&seen[0][i], &seen[1][i]);
        n_on += seen[0][i].is_on;
        if (is_same(&seen[0][i], &seen[1][i]) && seen[0][i].is_on)
            farthest = fmax(farthest, fabs(seen[0][i].share - seen[1][i].share));
    }
    canvas_check(n_on >= LEAST_POSITIONS, "too few positions show boxes", name, n_on);
    canvas_check(n_same >= AGREEMENT * (double)spots.n, "positions that disagree", name, (double)spots.n - n_same);
    printf("%s: %u of %zu agree, %u on boxes\n", name, n_same, spots.n, n_on);
    canvas_check(farthest * WIDTH < 1.0, "the time under the cursor is points away", name, farthest * WIDTH);
}

int main(void)
{
    struct canvas canvas;
    struct synthetic synthetic;
    struct rv_view view = {0};
    canvas_init(&canvas, 64, 64);
    synthetic_init(&synthetic, ORIGIN_NS, 300000000);
    synthetic_view(&synthetic, &view, ORIGIN_NS + 10000000, ORIGIN_NS + 110000000);
    for (int i = 0; i < RV_VIEW_MODE_COUNT; i++) {
        struct rv_scene_frame frame = {.view = &view,
                                       .subroutines = synthetic.subroutines,
                                       .origin_ns = ORIGIN_NS,
                                       .now_ns = view.to_ns,
                                       .look = (enum rv_view_mode)i,
                                       .look_from = (enum rv_view_mode)i};
        check_view(&canvas, &frame);
    }
    synthetic_view_fini(&view);
    synthetic_fini(&synthetic);
    canvas_fini(&canvas);
    return canvas_n_failed ? 1 : 0;
}
