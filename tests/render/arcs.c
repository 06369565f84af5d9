/*
 * Arcs are drawn between their two calls, and can be picked there, in every view. Names are drawn over arcs: a name's pixels
 * are the same with and without them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "canvas.h"
#include "model/lanes.h"
#include "render/theme.h"

#define FROM_NS 1000000000u
#define WINDOW_NS 100000000u
#define WIDTH_PX 1200
#define HEIGHT_PX 600
#define BYTES ((size_t)WIDTH_PX * HEIGHT_PX * 4)
#define NAME_LEAST 60u /* pixels of names that must be found */
#define DARK 40        /* the greatest part of the colour of a name, */
#define BRIGHT 100     /* a lesser one than of the calls, */
#define DIM 100        /* and a greater one than under the soft edges of glyphs over an arc */

enum { N_LANES = 3 };

struct fixture {
    struct canvas canvas;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines, *nameless;
    const struct rv_arc_levels *arcs;
    struct rv_view view;
    int n_wrong;
};

static void add_calls(struct fixture *fixture)
{
    fixture->lanes = rv_lanes_create();
    fixture->subroutines = rv_subroutines_create();
    fixture->nameless = rv_subroutines_create();
    rv_subroutines_define(fixture->nameless, 1, "", ".", "", 1);
    rv_subroutines_define(fixture->subroutines, 1, "", "a_long_name_of_a_call_that_waits_for_another_thread", "", 1);
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_lane *lane = rv_lanes_add(
            fixture->lanes, &(struct rv_lane_identity){.pid = 1, .tid = i + 1, .thread = i, .name = "thread"});
        rv_timeline_add(lane->timeline, &(struct rv_span){.start = FROM_NS, .end = FROM_NS + WINDOW_NS, .id = 1}, 1);
        lane->last_ns = FROM_NS + WINDOW_NS;
    }
}

/* Arcs from the last lane to the first, which cross the names. */
static void add_arcs(struct fixture *fixture)
{
    struct rv_arc_collector collector = {.n = 0};
    for (uint32_t i = 0; i < 8; i++) {
        const struct rv_wait_edge edge = {.wait = {.start_ns = FROM_NS + i * 1000,
                                                   .woke_ns = FROM_NS + WINDOW_NS / 50 * (1 + i),
                                                   .end_ns = FROM_NS + WINDOW_NS / 50 * (2 + i),
                                                   .lane = 0,
                                                   .kind = RV_WAIT_MUTEX},
                                          .waker = rv_lanes_get(fixture->lanes, N_LANES - 1)};
        rv_arc_collector_add(&collector, &edge);
    }
    fixture->arcs = rv_arc_levels_create(&collector);
}

static void draw(struct fixture *fixture, enum rv_view_mode look, struct rv_subroutines *subroutines,
                 const struct rv_arc_levels *arcs)
{
    const struct rv_scene_frame frame = {.view = &fixture->view,
                                         .subroutines = subroutines,
                                         .scheme = RV_COLOR_DURATION,
                                         .width_px = WIDTH_PX,
                                         .height_px = HEIGHT_PX,
                                         .origin_ns = FROM_NS,
                                         .look = look,
                                         .look_from = look,
                                         .scale = 1.0,
                                         .arcs = arcs};
    rv_view_update(
        &fixture->view, fixture->lanes,
        &(struct rv_view_params){.from_ns = FROM_NS, .to_ns = FROM_NS + WINDOW_NS, .width_px = (uint32_t)WIDTH_PX});
    canvas_draw(&fixture->canvas, frame);
}

static void check(struct fixture *fixture, bool is_right, enum rv_view_mode look, const char *what)
{
    if (is_right)
        return;
    fixture->n_wrong++;
    fprintf(stderr, "%s: %s\n", rv_view_mode_get(look)->name, what);
}

static bool is_arc(const uint8_t *rgba)
{
    return rgba[0] > 80 && rgba[0] > 2 * rgba[1] && rgba[0] > 2 * rgba[2];
}

static bool is_darker(const uint8_t *rgba, uint8_t than)
{
    return rgba[0] < than && rgba[1] < than && rgba[2] < than;
}

/* Looks for pixels of arcs, and picks one there. */
static void check_picked(struct fixture *fixture, enum rv_view_mode look, const uint8_t *bare)
{
    unsigned n_arcs = 0, n_picked = 0;
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            const size_t at = 4 * ((size_t)y * WIDTH_PX + (size_t)x);
            size_t arc;
            if (!is_arc(canvas_pixel(&fixture->canvas, x, y)) ||
                memcmp(canvas_pixel(&fixture->canvas, x, y), bare + at, 4) == 0)
                continue;
            n_arcs++;
            n_picked += n_arcs % 16 == 0 && rv_scene_pick_arc(fixture->canvas.scene, x + 0.5, y + 0.5, &arc);
        }
    check(fixture, n_arcs > 200, look, "no arcs");
    check(fixture, n_picked >= n_arcs / 16 * 9 / 10, look, "arcs cannot be picked where they are");
}

/* A name's pixels are those that are dark with names and bright without; they stay dark under arcs. */
static void check_names(struct fixture *fixture, enum rv_view_mode look, const uint8_t *bare, const uint8_t *nameless)
{
    unsigned n_names = 0, n_crossed = 0;
    for (size_t at = 0; at < BYTES; at += 4) {
        if (!is_darker(bare + at, DARK) || is_darker(nameless + at, BRIGHT))
            continue;
        n_names++;
        n_crossed += !is_darker(fixture->canvas.rgba + at, DIM);
    }
    check(fixture, n_names > NAME_LEAST, look, "no name");
    check(fixture, n_crossed == 0, look, "an arc crosses a name");
}

static uint8_t *take_picture(struct fixture *fixture, enum rv_view_mode look, struct rv_subroutines *subroutines)
{
    uint8_t *rgba = rv_alloc(BYTES, 1);
    draw(fixture, look, subroutines, NULL);
    memcpy(rgba, fixture->canvas.rgba, BYTES);
    return rgba;
}

static void check_look(struct fixture *fixture, enum rv_view_mode look)
{
    uint8_t *bare = take_picture(fixture, look, fixture->subroutines);
    uint8_t *nameless = take_picture(fixture, look, fixture->nameless);
    draw(fixture, look, fixture->subroutines, fixture->arcs);
    check_picked(fixture, look, bare);
    check_names(fixture, look, bare, nameless);
    free(bare);
    free(nameless);
}

int main(void)
{
    static struct fixture fixture;
    canvas_init(&fixture.canvas, WIDTH_PX, HEIGHT_PX);
    add_calls(&fixture);
    add_arcs(&fixture);
    for (int look = 0; look < RV_VIEW_MODE_CALLS; look++)
        check_look(&fixture, (enum rv_view_mode)look);
    rv_view_fini(&fixture.view);
    rv_arc_levels_release(fixture.arcs);
    rv_subroutines_destroy(fixture.subroutines);
    rv_subroutines_destroy(fixture.nameless);
    rv_lanes_destroy(fixture.lanes);
    canvas_fini(&fixture.canvas);
    return fixture.n_wrong != 0;
}
