/*
 * Boxes are drawn where the CPU computes them, five hours into a trace and in windows from ten microseconds to an hour:
 * edges between boxes within a pixel; the three faces of a box are lit differently; elsewhere there is
 * the theme's background. In every view.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "render/theme.h"

#define FROM_NS 18000000000000u
#define N_BOXES 8
#define WIDTH_PX 1200
#define HEIGHT_PX 500
#define ABOVE_CAPTION 0.80f /* of a row */

static int n_failed;

static void check(bool is_right, const char *what, double value)
{
    if (is_right)
        return;
    n_failed++;
    fprintf(stderr, "%s: %g\n", what, value);
}

struct fixture {
    struct canvas canvas;
    struct rv_subroutines *subroutines;
    struct rv_box boxes[N_BOXES];
    struct rv_view_lane lane;
    struct rv_view view;
    enum rv_view_mode look;
    enum rv_color_theme theme;
};

/* One lane, filled edge to edge by boxes of two colours in turn; the first and last eighth stay free. */
static void fill(struct fixture *fixture, uint64_t window_ns)
{
    uint64_t step_ns = window_ns / (N_BOXES + 2);
    for (unsigned i = 0; i < N_BOXES; i++)
        fixture->boxes[i] = (struct rv_box){.start_ns = FROM_NS + step_ns * (i + 1),
                                            .duration_ns = step_ns,
                                            .id = 1 + i % 2,
                                            .count = 1,
                                            .coverage = 65535};
    fixture->lane = (struct rv_view_lane){.n_boxes = N_BOXES, .max_depth = 1, .name = "lane"};
    fixture->view = (struct rv_view){.from_ns = FROM_NS,
                                     .to_ns = FROM_NS + window_ns,
                                     .lanes = &fixture->lane,
                                     .n_lanes = 1,
                                     .boxes = fixture->boxes,
                                     .n_boxes = N_BOXES};
}

static void draw(struct fixture *fixture, uint64_t window_ns)
{
    fill(fixture, window_ns);
    canvas_draw(&fixture->canvas, (struct rv_scene_frame){.view = &fixture->view,
                                                          .subroutines = fixture->subroutines,
                                                          .origin_ns = FROM_NS,
                                                          .look = fixture->look,
                                                          .look_from = fixture->look,
                                                          .theme = fixture->theme});
}

/* On the front face above its caption, in pixels, at a time. */
static void front_at(const struct fixture *fixture, uint64_t time_ns, float out_px[2])
{
    float low[2], high[2];
    struct rv_scene_place place = {.time_ns = time_ns};
    rv_scene_project(fixture->canvas.scene, &place, low);
    place.depth = 1;
    rv_scene_project(fixture->canvas.scene, &place, high);
    out_px[0] = low[0] + ABOVE_CAPTION * (high[0] - low[0]);
    out_px[1] = low[1] + ABOVE_CAPTION * (high[1] - low[1]);
}

/* Hue alone: dark edge lines do not count. */
static double hue_distance(const uint8_t *a, const uint8_t *b)
{
    double largest_a = fmax(fmax(a[0], a[1]), fmax(a[2], 1)), largest_b = fmax(fmax(b[0], b[1]), fmax(b[2], 1)),
           sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += fabs(a[i] / largest_a - b[i] / largest_b);
    return sum;
}

/* x, in pixels, where the colour turns from that of the box before to that of the box after the edge. */
static double edge_px(const struct fixture *fixture, const float before[2], const float after[2])
{
    const uint8_t *left = canvas_pixel(&fixture->canvas, (int)before[0], (int)before[1]);
    const uint8_t *right = canvas_pixel(&fixture->canvas, (int)after[0], (int)after[1]);
    for (int x = (int)before[0]; x <= (int)after[0]; x++) {
        float share = ((float)x + 0.5f - before[0]) / (after[0] - before[0]);
        int y = (int)(before[1] + share * (after[1] - before[1]));
        const uint8_t *here = canvas_pixel(&fixture->canvas, x, y);
        if (hue_distance(here, right) < hue_distance(here, left))
            return x;
    }
    return -1e9;
}

static void check_edges(struct fixture *fixture, uint64_t window_ns)
{
    draw(fixture, window_ns);
    for (unsigned i = 1; i < N_BOXES; i++) {
        const struct rv_box *box = &fixture->boxes[i];
        float before[2], after[2], edge[2];
        front_at(fixture, box->start_ns - box->duration_ns / 3, before);
        front_at(fixture, box->start_ns + box->duration_ns / 3, after);
        front_at(fixture, box->start_ns, edge);
        double off_px = edge_px(fixture, before, after) - (double)edge[0];
        check(fabs(off_px) <= 1.0, "an edge is off by px", off_px);
        double share = rv_scene_share_at(fixture->canvas.scene, (double)edge[0], (double)edge[1]);
        double time_off_px =
            (share * (double)window_ns - (double)(box->start_ns - FROM_NS)) / (double)window_ns * WIDTH_PX;
        check(fabs(time_off_px) <= 1.0, "the time under the cursor is off by px", time_off_px);
    }
}

static double brightness(const uint8_t *pixel)
{
    return 0.25 * pixel[0] + 0.65 * pixel[1] + 0.1 * pixel[2];
}

static void check_faces(struct fixture *fixture)
{
    fixture->look = RV_VIEW_MODE_3D;
    float middle[2], left[2], low[2], high[2];
    draw(fixture, 10000);
    const struct rv_box *box = &fixture->boxes[0];
    struct rv_scene_place place = {.time_ns = box->start_ns + box->duration_ns / 2};
    rv_scene_project(fixture->canvas.scene, &place, low);
    place.depth = 1;
    rv_scene_project(fixture->canvas.scene, &place, high);
    front_at(fixture, place.time_ns, middle);
    front_at(fixture, box->start_ns, left);
    double front = brightness(canvas_pixel(&fixture->canvas, (int)middle[0], (int)middle[1]));
    double top = brightness(canvas_pixel(&fixture->canvas, (int)high[0], (int)high[1] - 3));
    double side = brightness(canvas_pixel(&fixture->canvas, (int)left[0] - 4, (int)left[1] - 2));
    check(top > front + 5.0, "the top is not brighter than the front by", top - front);
    check(front > side + 5.0, "the side is not darker than the front by", front - side);
}

static void check_background(struct fixture *fixture, enum rv_color_theme theme)
{
    fixture->theme = theme;
    draw(fixture, 10000);
    static const int corners[][2] = {{2, HEIGHT_PX - 3}, {WIDTH_PX - 3, HEIGHT_PX - 3}, {WIDTH_PX - 3, 2}};
    for (int i = 0; i < 3; i++) {
        const uint8_t *pixel = canvas_pixel(&fixture->canvas, corners[i][0], corners[i][1]);
        uint32_t rgb = (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
        check(rgb == rv_theme_get(theme)->background && pixel[3] == 255, "a corner is not background", rgb);
    }
    float end[2];
    front_at(fixture, FROM_NS + 10000 - 300, end);
    const uint8_t *pixel = canvas_pixel(&fixture->canvas, (int)end[0], (int)end[1]);
    bool is_clear = theme == RV_COLOR_DARK ? brightness(pixel) < 60.0 : brightness(pixel) > 160.0;
    check(is_clear, "something stands where no call was", brightness(pixel));
}

int main(void)
{
    struct fixture fixture;
    static const uint64_t windows_ns[] = {10000, 1000000, 100000000, 5000000000u, 3600000000000u};
    memset(&fixture, 0, sizeof fixture);
    fixture.subroutines = rv_subroutines_create();
    rv_subroutines_define(fixture.subroutines, 1, "First", "a", "a.c", 1);
    rv_subroutines_define(fixture.subroutines, 2, "Second", "b", "b.c", 1);
    canvas_init(&fixture.canvas, WIDTH_PX, HEIGHT_PX);
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++)
        for (size_t i = 0; i < sizeof windows_ns / sizeof *windows_ns; i++) {
            fixture.look = (enum rv_view_mode)look;
            check_edges(&fixture, windows_ns[i]);
        }
    check_faces(&fixture);
    check_background(&fixture, RV_COLOR_DARK);
    check_background(&fixture, RV_COLOR_LIGHT);
    canvas_fini(&fixture.canvas);
    rv_subroutines_destroy(fixture.subroutines);
    return n_failed ? 1 : 0;
}
