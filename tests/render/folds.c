/*
 * A fold shows its coverage: the light of a row of folds, from an empty to a full one, is their coverage to a fifth, for folds
 * of every width, with and without multisampling. A shader that draws them solid fails. In views where nothing hides them.
 * The same of short garbage collections on the floor and on a call.
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
#define N_ROWS 9
#define N_FLAME 3 /* of them, which come first */
#define TOLERANCE 0.2
#define LEAST_STEP 0.006 /* of a tint: a step of a colour */
#define LEAST_STEP_CALL 0.05
#define LEAST_LIGHT_PX 0.02 /* of a fold, as a width: less is finer than the steps of a colour */

struct fixture {
    struct canvas canvas;
    struct rv_subroutines *subroutines;
    struct rv_box boxes[MOST_CELLS];
    struct rv_lane_note notes[MOST_CELLS];
    struct rv_view_lane lane;
    struct rv_view view;
};

static double linear(const uint8_t *rgba)
{
    return 0.2126 * (double)rv_color_linear(rgba[0]) + 0.7152 * (double)rv_color_linear(rgba[1]) +
           0.0722 * (double)rv_color_linear(rgba[2]);
}

/* Light of the row with its tops, and of the rest of the picture, which is the same in every one. */
static double light_of_picture(const struct fixture *fixture)
{
    double sum = 0.0;
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            sum += linear(canvas_pixel(&fixture->canvas, x, y));
    return sum;
}

struct row {
    enum rv_view_mode look;
    size_t n_cells;
    int samples;
};

static double draw(struct fixture *fixture, const struct row *row, double coverage)
{
    const size_t n_cells = row->n_cells;
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
                                                          .look = row->look,
                                                          .look_from = row->look,
                                                          .samples = row->samples});
    return light_of_picture(fixture);
}

static double width_px(const struct fixture *fixture)
{
    float begin[2], end[2];
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){fixture->view.from_ns, 0, 0}, begin);
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){fixture->view.to_ns, 0, 0}, end);
    return (double)(end[0] - begin[0]);
}

/* Returns the number of coverages that cannot be read from the picture. */
static int check_row(struct fixture *fixture, const struct row *row, bool says)
{
    static const double coverages[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.75, 0.95};
    const double empty = draw(fixture, row, 0.0), covered = draw(fixture, row, 1.0);
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof coverages / sizeof *coverages; i++) {
        if (coverages[i] * width_px(fixture) / (double)row->n_cells < LEAST_LIGHT_PX)
            continue;
        const double read = (draw(fixture, row, coverages[i]) - empty) / (covered - empty);
        if (fabs(read / coverages[i] - 1.0) <= TOLERANCE)
            continue;
        n_wrong++;
        if (says)
            fprintf(stderr, "%s, %zu folds, %d samples: %g %% reads as %g %%\n", rv_view_mode_get(row->look)->name,
                    row->n_cells, row->samples, 100 * coverages[i], 100 * read);
    }
    return n_wrong;
}

/* Light along the foot of the lane's front: of its call, or of its floor where it has none. */
static double light_of_foot(const struct fixture *fixture)
{
    double sum = 0.0;
    for (uint64_t i = 20; i < MOST_CELLS - 20; i++) {
        float at[2];
        rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){FROM_NS + i * CELL_NS, 0, 0}, at);
        sum += linear(canvas_pixel(&fixture->canvas, (int)at[0], (int)at[1] - 2));
    }
    return sum;
}

static double draw_collections(struct fixture *fixture, enum rv_view_mode look, bool has_call, double coverage)
{
    const size_t n = coverage > 0.0 ? MOST_CELLS : 0;
    fixture->boxes[0] = (struct rv_box){
        .start_ns = FROM_NS, .duration_ns = MOST_CELLS * CELL_NS, .id = 1, .count = 1, .coverage = RV_BOX_EXACT};
    for (size_t i = 0; i < n; i++)
        fixture->notes[i] = (struct rv_lane_note){.start_ns = FROM_NS + i * CELL_NS,
                                                  .end_ns = FROM_NS + i * CELL_NS + (uint64_t)(coverage * CELL_NS),
                                                  .kind = RV_NOTE_GC};
    fixture->lane = (struct rv_view_lane){.n_boxes = has_call, .n_notes = (uint32_t)n, .max_depth = 1, .name = "lane"};
    fixture->view = (struct rv_view){.from_ns = FROM_NS,
                                     .to_ns = FROM_NS + MOST_CELLS * CELL_NS,
                                     .lanes = &fixture->lane,
                                     .n_lanes = 1,
                                     .boxes = fixture->boxes,
                                     .n_boxes = has_call,
                                     .n_processes = 1,
                                     .notes = fixture->notes,
                                     .n_notes = n};
    canvas_draw(&fixture->canvas, (struct rv_scene_frame){.view = &fixture->view,
                                                          .subroutines = fixture->subroutines,
                                                          .origin_ns = FROM_NS,
                                                          .look = look,
                                                          .look_from = look});
    return light_of_foot(fixture);
}

static int check_collections(struct fixture *fixture, bool has_call)
{
    static const enum rv_view_mode looks[] = {RV_VIEW_MODE_FLAME, RV_VIEW_MODE_ALIGNED, RV_VIEW_MODE_3D};
    static const double coverages[] = {0.01, 0.03, 0.13, 0.3, 0.6, 0.9};
    const double least_step = has_call ? LEAST_STEP_CALL : LEAST_STEP;
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        const double empty = draw_collections(fixture, looks[i], has_call, 0.0);
        const double full = draw_collections(fixture, looks[i], has_call, 1.0);
        for (size_t j = 0; j < sizeof coverages / sizeof *coverages; j++) {
            const double read = (draw_collections(fixture, looks[i], has_call, coverages[j]) - empty) / (full - empty);
            if (fabs(read / coverages[j] - 1.0) <= TOLERANCE || fabs(read - coverages[j]) < least_step)
                continue;
            n_wrong++;
            fprintf(stderr, "%s, %s: collections of %g %% read as %g %%\n", rv_view_mode_get(looks[i])->name,
                    has_call ? "call" : "floor", 100 * coverages[j], 100 * read);
        }
    }
    return n_wrong;
}

static int check_all(size_t n_rows, bool says)
{
    static const struct row rows[N_ROWS] = {
        {RV_VIEW_MODE_FLAME, MOST_CELLS, 0},   {RV_VIEW_MODE_FLAME, 300, 4},   {RV_VIEW_MODE_FLAME, 12, 0},
        {RV_VIEW_MODE_ALIGNED, MOST_CELLS, 4}, {RV_VIEW_MODE_ALIGNED, 300, 0}, {RV_VIEW_MODE_ALIGNED, 12, 4},
        {RV_VIEW_MODE_3D, MOST_CELLS, 0},      {RV_VIEW_MODE_3D, 300, 4},      {RV_VIEW_MODE_3D, 12, 0}};
    static struct fixture fixture;
    int n_wrong = 0;
    canvas_init(&fixture.canvas, WIDTH_PX, HEIGHT_PX);
    fixture.subroutines = rv_subroutines_create();
    rv_subroutines_define(fixture.subroutines, 1, "shop", "sell", "", 1);
    for (size_t i = 0; i < n_rows; i++)
        n_wrong += check_row(&fixture, &rows[i], says);
    if (says)
        n_wrong += check_collections(&fixture, false) + check_collections(&fixture, true);
    rv_subroutines_destroy(fixture.subroutines);
    canvas_fini(&fixture.canvas);
    return n_wrong;
}

int main(void)
{
    char folder[] = "/tmp/folds.XXXXXX", path[128];
    int n_wrong = check_all(N_ROWS, true), n_caught = 0;
    if (!mkdtemp(folder) || !plant_shader(folder, "v_light = coverage / share;", "share = 1.0;"))
        return 1;
    n_caught = check_all(N_FLAME, false);
    snprintf(path, sizeof path, "%s/box.vert", folder);
    (void)unlink(path);
    (void)rmdir(folder);
    printf("wrong: %d, solid folds caught at %d coverages\n", n_wrong, n_caught);
    return n_wrong || n_caught < 20;
}
