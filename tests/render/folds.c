/*
 * A fold shows its coverage: the brightness of a row of folds, from an empty to a full one, is their coverage to a fifth,
 * for folds of every width, with and without multisampling. A shader that draws them solid fails. In the flame view, where
 * nothing is in front of or behind them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "canvas.h"
#include "mutant.h"
#include "render/shader.h"

#define FROM_NS 1000000000u
#define CELL_NS 8192u
#define MOST_CELLS 800
#define WIDTH_PX 1200
#define HEIGHT_PX 200
#define FULL 65534.0
#define TOLERANCE 0.2
#define LEAST_LIGHT_PX 0.02 /* of a fold, as a width: less is finer than the steps of a colour */

struct fixture {
    struct canvas canvas;
    struct rv_subroutines *subroutines;
    struct rv_box boxes[MOST_CELLS];
    struct rv_view_lane lane;
    struct rv_view view;
};

static double linear(const uint8_t *rgba)
{
    return 0.2126 * (double)rv_color_linear(rgba[0]) + 0.7152 * (double)rv_color_linear(rgba[1]) +
           0.0722 * (double)rv_color_linear(rgba[2]);
}

/* The light of the row in the middle half of the window. */
static double light_of_row(const struct fixture *fixture)
{
    const struct rv_view *view = &fixture->view;
    uint64_t quarter_ns = (view->to_ns - view->from_ns) / 4;
    float low[2], high[2];
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){view->from_ns + quarter_ns, 0, 0}, low);
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){view->to_ns - quarter_ns, 0, 1}, high);
    double sum = 0.0;
    int n = 0;
    for (int y = (int)ceilf(high[1]) + 2; y < (int)low[1] - 1; y++)
        for (int x = (int)low[0]; x < (int)high[0]; x++, n++)
            sum += linear(canvas_pixel(&fixture->canvas, x, y));
    return sum / n;
}

static double draw(struct fixture *fixture, size_t n_cells, double coverage, int samples)
{
    for (size_t i = 0; i < n_cells; i++)
        fixture->boxes[i] = (struct rv_box){.start_ns = FROM_NS + i * CELL_NS,
                                            .duration_ns = CELL_NS,
                                            .id = 1,
                                            .count = 3,
                                            .coverage = (uint16_t)lrint(coverage * FULL)};
    fixture->lane = (struct rv_view_lane){.n_boxes = (uint32_t)n_cells, .max_depth = 1, .name = "lane"};
    fixture->view = (struct rv_view){.from_ns = FROM_NS,
                                     .to_ns = FROM_NS + n_cells * CELL_NS,
                                     .lanes = &fixture->lane,
                                     .n_lanes = 1,
                                     .boxes = fixture->boxes,
                                     .n_boxes = n_cells};
    canvas_draw(&fixture->canvas, (struct rv_scene_frame){.view = &fixture->view,
                                                          .subroutines = fixture->subroutines,
                                                          .origin_ns = FROM_NS,
                                                          .look = RV_VIEW_MODE_FLAME,
                                                          .look_from = RV_VIEW_MODE_FLAME,
                                                          .samples = samples});
    return light_of_row(fixture);
}

/* Returns the number of coverages that cannot be read from the picture. */
static int check_width(struct fixture *fixture, size_t n_cells, int samples, bool says)
{
    static const double coverages[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.75, 0.95};
    double empty = draw(fixture, n_cells, 0.0, samples), covered = draw(fixture, n_cells, 1.0, samples);
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof coverages / sizeof *coverages; i++) {
        if (coverages[i] * WIDTH_PX / (double)n_cells < LEAST_LIGHT_PX)
            continue;
        double read = (draw(fixture, n_cells, coverages[i], samples) - empty) / (covered - empty);
        if (fabs(read / coverages[i] - 1.0) <= TOLERANCE)
            continue;
        n_wrong++;
        if (says)
            fprintf(stderr, "%zu folds, %d samples: %g %% reads as %g %%\n", n_cells, samples, 100 * coverages[i],
                    100 * read);
    }
    return n_wrong;
}

static int check_all(bool says)
{
    static const size_t n_cells[] = {MOST_CELLS, 300, 100, 12};
    static struct fixture fixture;
    int n_wrong = 0;
    canvas_init(&fixture.canvas, WIDTH_PX, HEIGHT_PX);
    fixture.subroutines = rv_subroutines_create();
    rv_subroutines_define(fixture.subroutines, 1, "shop", "sell", "", 1);
    for (size_t i = 0; i < sizeof n_cells / sizeof *n_cells; i++)
        for (int samples = 0; samples <= 4; samples += 4)
            n_wrong += check_width(&fixture, n_cells[i], samples, says);
    rv_subroutines_destroy(fixture.subroutines);
    canvas_fini(&fixture.canvas);
    return n_wrong;
}

int main(void)
{
    char folder[] = "/tmp/folds.XXXXXX", path[128];
    int n_wrong = check_all(true), n_caught = 0;
    if (!mkdtemp(folder) || !plant_shader(folder, "v_light = coverage / share;", "share = 1.0;"))
        return 1;
    n_caught = check_all(false);
    snprintf(path, sizeof path, "%s/box.vert", folder);
    (void)unlink(path);
    (void)rmdir(folder);
    printf("wrong: %d, solid folds caught at %d coverages\n", n_wrong, n_caught);
    return n_wrong || n_caught < 20;
}
