/*
 * lane_names [OUT.png of the last picture]
 *
 * Names of lanes: a sign before a name whose lanes can be collapsed or expanded is where a click is taken for it, and
 * nowhere else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "render/png.h"
#include "synthetic.h"

#define WIDTH 1000
#define HEIGHT 700
#define ORIGIN_NS 5000000000u
#define WINDOW_NS 100000000u
#define FOLDED 2u
#define LEAST_PX 100u /* of a sign */

static int fail(const char *what, enum rv_view_mode look)
{
    fprintf(stderr, "%s: %s\n", rv_view_mode_get(look)->name, what);
    return 1;
}

/* Number of pixels where a click is for a lane's sign; *is_right: all are of this lane and left of the picture. */
static unsigned count_sign(const struct canvas *canvas, size_t n_lanes, bool *is_right)
{
    unsigned n = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            size_t lane = rv_scene_fold_at(canvas->scene, x, y);
            n += lane < n_lanes;
            *is_right &= lane >= n_lanes || (lane == FOLDED && rv_scene_share_at(canvas->scene, x, y) < 0.05);
        }
    return n;
}

static int check_sign(struct canvas *canvas, struct rv_scene_frame *frame, struct rv_view *view, enum rv_view_mode look)
{
    bool is_right = true;
    frame->look = frame->look_from = look;
    view->lanes[FOLDED].fold = RV_LANE_FOLD_NONE;
    canvas_draw(canvas, *frame);
    if (count_sign(canvas, view->n_lanes, &is_right))
        return fail("a click is taken for a sign that is not there", look);
    view->lanes[FOLDED].fold = RV_LANE_FOLD_CLOSED;
    canvas_draw(canvas, *frame);
    if (count_sign(canvas, view->n_lanes, &is_right) < LEAST_PX || !is_right)
        return fail("the sign cannot be clicked", look);
    return 0;
}

/* Rows as tall as a lane is taller than the picture: its name stays in sight wherever it is scrolled. */
static int check_scrolled(struct canvas *canvas, struct rv_scene_frame frame, struct rv_view *view)
{
    bool is_right = true;
    frame.look = frame.look_from = RV_VIEW_MODE_FLAME;
    frame.row_scale = 4.0;
    canvas_draw(canvas, frame);
    double height = rv_scene_row_height(canvas->scene, FOLDED) * view->lanes[FOLDED].max_depth;
    double range[2];
    rv_scene_scroll_range(canvas->scene, range);
    if (height < HEIGHT || range[1] - range[0] < height)
        return fail("the rows are not taller", frame.look);
    struct rv_scene_place place = {.lane = FOLDED, .depth = view->lanes[FOLDED].max_depth - 1};
    frame.scroll = rv_scene_scroll_to(canvas->scene, &place);
    for (int i = 0; i < 3; i++, frame.scroll += height / 5) {
        canvas_draw(canvas, frame);
        if (count_sign(canvas, view->n_lanes, &is_right) < LEAST_PX)
            return fail("the name is out of sight", frame.look);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct canvas canvas;
    struct synthetic synthetic;
    struct rv_view view = {0};
    int failed = 0;
    canvas_init(&canvas, WIDTH, HEIGHT);
    synthetic_init(&synthetic, ORIGIN_NS, WINDOW_NS);
    synthetic_view(&synthetic, &view, ORIGIN_NS, ORIGIN_NS + WINDOW_NS);
    struct rv_scene_frame frame = {
        .view = &view, .subroutines = synthetic.subroutines, .origin_ns = ORIGIN_NS, .scale = 1.0};
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++)
        failed |= check_sign(&canvas, &frame, &view, (enum rv_view_mode)look);
    failed |= check_scrolled(&canvas, frame, &view);
    if (argc > 1)
        failed |= rv_png_write(argv[1], canvas.rgba, WIDTH, HEIGHT) != 0;
    synthetic_view_fini(&view);
    synthetic_fini(&synthetic);
    canvas_fini(&canvas);
    return failed;
}
