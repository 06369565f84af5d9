/*
 * Rows that are lower than a pixel are one area of their colour: edges, gaps and shades would be patterns that are not in
 * the calls. In the flame and aligned views, where a row is as high everywhere. And rows of two colours in turns, of which the
 * pixels would meet one or the other by chance, are drawn in bands: also in 3D.
 */
#include <stdio.h>
#include <stdlib.h>

#include "canvas.h"

#define FROM_NS 1000000000u
#define WINDOW_NS 1000000u
#define WIDTH_PX 600
#define HEIGHT_PX 400
#define N_ROWS 4000u
#define MOST_STEP 6 /* between two pixels, of 255 */

struct fixture {
    struct canvas canvas;
    struct rv_subroutines *subroutines;
    struct rv_box boxes[N_ROWS];
    struct rv_view_lane lane;
    struct rv_view view;
};

static void draw(struct fixture *fixture, enum rv_view_mode look, bool has_walls)
{
    static struct rv_lane_note blocked = {
        .start_ns = FROM_NS, .end_ns = FROM_NS + WINDOW_NS, .kind = RV_NOTE_PREEMPTED};
    fixture->lane = (struct rv_view_lane){
        .n_boxes = N_ROWS, .max_depth = N_ROWS, .whole_depth = N_ROWS, .n_notes = has_walls, .name = "lane"};
    fixture->view = (struct rv_view){.from_ns = FROM_NS,
                                     .to_ns = FROM_NS + WINDOW_NS,
                                     .until_ns = UINT64_MAX,
                                     .lanes = &fixture->lane,
                                     .n_lanes = 1,
                                     .boxes = fixture->boxes,
                                     .n_boxes = N_ROWS,
                                     .notes = &blocked,
                                     .n_notes = has_walls};
    canvas_draw(&fixture->canvas, (struct rv_scene_frame){.view = &fixture->view,
                                                          .subroutines = fixture->subroutines,
                                                          .origin_ns = FROM_NS,
                                                          .look = look,
                                                          .look_from = look,
                                                          .samples = 4});
}

/* The greatest difference of neighbours in a column of pixels, in the middle of the stack. */
static int greatest_step(const struct fixture *fixture)
{
    float low[2], high[2];
    const uint64_t middle_ns = FROM_NS + WINDOW_NS / 2;
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){middle_ns, 0, N_ROWS / 10}, low);
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){middle_ns, 0, N_ROWS - N_ROWS / 10}, high);
    int greatest = 0;
    for (int y = (int)high[1] + 1; y < (int)low[1]; y++) {
        const int step =
            canvas_pixel(&fixture->canvas, (int)low[0], y)[1] - canvas_pixel(&fixture->canvas, (int)low[0], y - 1)[1];
        greatest = abs(step) > greatest ? abs(step) : greatest;
    }
    return low[1] - high[1] > 100 ? greatest : 255;
}

static bool is_calm(struct fixture *fixture, enum rv_view_mode look, bool has_walls, const char *what)
{
    draw(fixture, look, has_walls);
    const int step = greatest_step(fixture);
    printf("%s%s: a step of %d\n", rv_view_mode_get(look)->name, what, step);
    return step <= MOST_STEP;
}

int main(void)
{
    static struct fixture fixture;
    static const enum rv_view_mode looks[] = {RV_VIEW_MODE_FLAME, RV_VIEW_MODE_ALIGNED, RV_VIEW_MODE_3D};
    int failed = 0;
    canvas_init(&fixture.canvas, WIDTH_PX, HEIGHT_PX);
    fixture.subroutines = rv_subroutines_create();
    rv_subroutines_define(fixture.subroutines, 1, "tree", "visit", "", 1);
    rv_subroutines_define(fixture.subroutines, 2, "list", "walk", "", 1);
    for (uint32_t i = 0; i < N_ROWS; i++)
        fixture.boxes[i] = (struct rv_box){.start_ns = FROM_NS,
                                           .duration_ns = WINDOW_NS,
                                           .id = 1,
                                           .count = 1,
                                           .depth = (uint16_t)i,
                                           .coverage = RV_BOX_EXACT};
    for (size_t i = 0; i < 4; i++)
        failed |= !is_calm(&fixture, looks[i / 2], i % 2, i % 2 ? ", preempted" : "");
    for (size_t i = 1; i < N_ROWS; i += 2)
        fixture.boxes[i].id = 2;
    for (size_t i = 0; i < 3; i++)
        failed |= !is_calm(&fixture, looks[i], false, ", two colours in turns");
    rv_subroutines_destroy(fixture.subroutines);
    canvas_fini(&fixture.canvas);
    return failed;
}
