/* Draws the made-up program into a PNG file, for looking at: draw OUT.png [FROM_MS WINDOW_MS [WIDTH HEIGHT [live]]] */
#include <stdio.h>
#include <stdlib.h>

#include "canvas.h"
#include "render/png.h"
#include "synthetic.h"

#define ORIGIN_NS 5000000000u

static double argument(int argc, char **argv, int idx, double otherwise)
{
    return argc > idx ? atof(argv[idx]) : otherwise;
}

int main(int argc, char **argv)
{
    struct canvas canvas;
    struct synthetic synthetic;
    struct rv_view view = {0};
    uint64_t from_ns = ORIGIN_NS + (uint64_t)(1e6 * argument(argc, argv, 2, 10));
    uint64_t window_ns = (uint64_t)(1e6 * argument(argc, argv, 3, 100));
    canvas_init(&canvas, (int)argument(argc, argv, 4, 1600), (int)argument(argc, argv, 5, 900));
    synthetic_init(&synthetic, ORIGIN_NS, from_ns + window_ns - ORIGIN_NS + 100000000);
    synthetic_view(&synthetic, &view, from_ns, from_ns + window_ns);
    canvas_draw(&canvas, (struct rv_scene_frame){.view = &view,
                                                 .subroutines = synthetic.subroutines,
                                                 .samples = 4,
                                                 .now_ns = view.to_ns,
                                                 .origin_ns = ORIGIN_NS,
                                                 .is_live = argc > 6,
                                                 .status = {"perl starman.psgi", 4242, RV_SCENE_LIVE, 2.41e6, 0}});
    printf("%zu boxes, %llu folded\n", view.n_boxes, (unsigned long long)view.n_folded);
    int err = argc > 1 ? rv_png_write(argv[1], canvas.rgba, canvas.width_px, canvas.height_px) : 0;
    synthetic_view_fini(&view);
    synthetic_fini(&synthetic);
    canvas_fini(&canvas);
    return err ? 1 : 0;
}
