/* A call is drawn with stripes where its colour is a striped one, and else in one colour, as the legend says. */
#include <stdio.h>
#include <stdlib.h>

#include "canvas.h"

#define FROM_NS 1000000000u
#define WINDOW_NS 1000000u
#define WIDTH_PX 1000
#define HEIGHT_PX 300
#define N_NAMES 40u
#define LEAST_STEPS 20 /* between dark and light, along a row */

/* Steps of light along the middle of the box, beside the name that it has at its begin. */
static int count_steps(const struct canvas *canvas)
{
    float low[2], high[2];
    int n = 0;
    rv_scene_project(canvas->scene, &(struct rv_scene_place){FROM_NS + WINDOW_NS / 2, 0, 0}, low);
    rv_scene_project(canvas->scene, &(struct rv_scene_place){FROM_NS + WINDOW_NS * 9 / 10, 0, 1}, high);
    const int y = (int)(0.5f * (low[1] + high[1]));
    for (int x = (int)low[0] + 1; x < (int)high[0]; x++) {
        const uint8_t *before = canvas_pixel(canvas, x - 1, y), *here = canvas_pixel(canvas, x, y);
        n += abs(here[0] - before[0]) + abs(here[1] - before[1]) + abs(here[2] - before[2]) > 4;
    }
    return n;
}

static void check_name(struct canvas *canvas, struct rv_scene_frame frame, uint32_t *n_striped)
{
    const struct rv_box *box = &frame.view->boxes[0];
    canvas_draw(canvas, frame);
    const uint32_t colour_idx = rv_box_colors_index(rv_scene_picture(canvas->scene)->colors, box, 0);
    const bool is_striped = colour_idx / RV_COLOR_SHADES >= RV_COLOR_HUES;
    const int n_steps = count_steps(canvas);
    canvas_check(is_striped ? n_steps >= LEAST_STEPS : n_steps == 0,
                 is_striped ? "steps of light of a striped call" : "steps of light of a plain call", "flame", n_steps);
    *n_striped += is_striped;
}

int main(void)
{
    struct canvas canvas;
    uint32_t n_striped = 0;
    canvas_init(&canvas, WIDTH_PX, HEIGHT_PX);
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (uint32_t i = 1; i <= N_NAMES; i++) {
        char package[32];
        (void)snprintf(package, sizeof package, "package%u", i);
        rv_subroutines_define(subroutines, i, package, "f", "file.c", 1);
        struct rv_box box = {
            .start_ns = FROM_NS, .duration_ns = WINDOW_NS, .id = i, .count = 1, .coverage = RV_BOX_EXACT};
        struct rv_view_lane lane = {.n_boxes = 1, .max_depth = 1, .name = "lane"};
        const struct rv_view view = {.from_ns = FROM_NS,
                                     .to_ns = FROM_NS + WINDOW_NS,
                                     .lanes = &lane,
                                     .n_lanes = 1,
                                     .boxes = &box,
                                     .n_boxes = 1};
        check_name(&canvas,
                   (struct rv_scene_frame){.view = &view,
                                           .subroutines = subroutines,
                                           .origin_ns = FROM_NS,
                                           .look = RV_VIEW_MODE_FLAME,
                                           .look_from = RV_VIEW_MODE_FLAME},
                   &n_striped);
    }
    canvas_check(n_striped > N_NAMES / 4 && n_striped < N_NAMES * 3 / 4, "striped names", "flame", n_striped);
    rv_subroutines_destroy(subroutines);
    canvas_fini(&canvas);
    return canvas_n_failed ? 1 : 0;
}
