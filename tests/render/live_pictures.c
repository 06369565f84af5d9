#include "live_pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "canvas.h"
#include "model/box_budget.h"
#include "mutant.h"

#define MS UINT64_C(1000000)
#define WIDTH_PX 1200
#define HEIGHT_PX 640
#define BLOCK_PX 8
#define SAMPLES 4          /* at rest; none while it moves */
#define REST_BUDGET 60000u /* boxes: what a window without a GPU has at rest, */
#define FLAT_BUDGET 60000u /* and has learned to have while it moves, where a frame takes less than in depth */
#define MUTANT_LEAST 1.5   /* times the most that the live picture may differ */

enum picture { LIVE, SOLID, FROZEN, N_PICTURES };

struct pictures {
    uint8_t *rgba[N_PICTURES][LIVE_N_MODES][LIVE_N_WIDTHS];
};

const uint64_t live_widths_ns[LIVE_N_WIDTHS] = {20 * MS, 100 * MS, 500 * MS, 1000 * MS, LIVE_LENGTH_NS};
static const enum rv_view_mode modes[LIVE_N_MODES] = {RV_VIEW_MODE_3D, RV_VIEW_MODE_ALIGNED, RV_VIEW_MODE_FLAME,
                                                      RV_VIEW_MODE_TOP};

static void look(struct rv_view *view, const struct rv_view *before, const struct live_window *window,
                 struct rv_lanes *lanes, const struct rv_view_params *params)
{
    struct rv_view_params here = *params;
    here.from_ns = window->to_ns - window->width_ns;
    here.to_ns = window->to_ns;
    here.width_px = WIDTH_PX;
    here.is_steady = true;
    rv_view_continue(view, before);
    rv_view_update(view, lanes, &here);
}

void live_window_look(struct live_window *window, struct rv_lanes *lanes, uint64_t to_ns)
{
    window->to_ns = to_ns;
    for (int i = 0; i < LIVE_N_MODES; i++) {
        struct rv_view *views = window->of_mode[i].views;
        const bool has_front = rv_view_mode_has_front(modes[i]);
        look(&views[!window->at], &views[window->at], window, lanes,
             &(struct rv_view_params){.box_budget = has_front ? RV_BOX_BUDGET_SOFTWARE : FLAT_BUDGET,
                                      .has_front_first = has_front});
    }
    window->at ^= 1;
}

void live_window_look_later(struct live_window *window, struct rv_lanes *lanes)
{
    for (int i = 0; i < LIVE_N_MODES; i++)
        look(&window->of_mode[i].frozen, &window->of_mode[i].views[window->at], window, lanes,
             &(struct rv_view_params){.box_budget = REST_BUDGET});
}

void live_window_fini(struct live_window *window)
{
    for (int i = 0; i < LIVE_N_MODES; i++) {
        rv_view_fini(&window->of_mode[i].views[0]);
        rv_view_fini(&window->of_mode[i].views[1]);
        rv_view_fini(&window->of_mode[i].frozen);
    }
    *window = (struct live_window){0};
}

/* ---- pictures ---- */

static uint8_t *take(struct canvas *canvas, const struct live_pictures_params *params, const struct rv_view *view,
                     enum rv_view_mode mode, int samples)
{
    const size_t n_bytes = (size_t)WIDTH_PX * HEIGHT_PX * 4;
    uint8_t *rgba = rv_alloc(n_bytes, 1);
    canvas_draw(canvas, (struct rv_scene_frame){.view = view,
                                                .subroutines = params->subroutines,
                                                .origin_ns = params->origin_ns,
                                                .look = mode,
                                                .look_from = mode,
                                                .scale = 1.0,
                                                .samples = samples});
    memcpy(rgba, canvas->rgba, n_bytes);
    return rgba;
}

static void take_all(struct pictures *pictures, const struct live_pictures_params *params, enum picture which)
{
    struct canvas canvas;
    canvas_init(&canvas, WIDTH_PX, HEIGHT_PX);
    for (int i = 0; i < LIVE_N_MODES; i++)
        for (int j = 0; j < LIVE_N_WIDTHS; j++) {
            const struct live_window *window = &params->windows[j];
            const struct live_views *views = &window->of_mode[i];
            const struct rv_view *view = which == FROZEN ? &views->frozen : &views->views[window->at];
            pictures->rgba[which][i][j] = take(&canvas, params, view, modes[i], which == FROZEN ? SAMPLES : 0);
        }
    canvas_fini(&canvas);
}

static bool take_solid(struct pictures *pictures, const struct live_pictures_params *params)
{
    char folder[] = "/tmp/live.XXXXXX", path[128];
    if (!mkdtemp(folder) || !plant_shader(folder, "v_light = coverage / share;", "share = 1.0;"))
        return false;
    take_all(pictures, params, SOLID);
    snprintf(path, sizeof path, "%s/box.vert", folder);
    (void)unlink(path);
    (void)rmdir(folder);
    return true;
}

/* ---- how different they look ---- */

static double root(double share)
{
    return share > 0.008856 ? cbrt(share) : 7.787 * share + 16.0 / 116.0;
}

/* The colour of a block of pixels in CIE L*a*b*, by the mean of its light. */
static void colour_of(const uint8_t *rgba, int x_px, int y_px, double out[3])
{
    double light[3] = {0};
    for (int y = y_px; y < y_px + BLOCK_PX; y++)
        for (int x = x_px; x < x_px + BLOCK_PX; x++)
            for (int i = 0; i < 3; i++)
                light[i] += (double)rv_color_linear(rgba[4 * (y * WIDTH_PX + x) + i]) / (BLOCK_PX * BLOCK_PX);
    const double x = root((0.4124 * light[0] + 0.3576 * light[1] + 0.1805 * light[2]) / 0.9505);
    const double y = root(0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]);
    const double z = root((0.0193 * light[0] + 0.1192 * light[1] + 0.9505 * light[2]) / 1.089);
    out[0] = 116.0 * y - 16.0;
    out[1] = 500.0 * (x - y);
    out[2] = 200.0 * (y - z);
}

static double distance(const uint8_t *a, const uint8_t *b)
{
    double sum = 0.0;
    int n = 0;
    for (int y = 0; y + BLOCK_PX <= HEIGHT_PX; y += BLOCK_PX)
        for (int x = 0; x + BLOCK_PX <= WIDTH_PX; x += BLOCK_PX, n++) {
            double colours[2][3];
            colour_of(a, x, y, colours[0]);
            colour_of(b, x, y, colours[1]);
            sum += sqrt(pow(colours[0][0] - colours[1][0], 2) + pow(colours[0][1] - colours[1][1], 2) +
                        pow(colours[0][2] - colours[1][2], 2));
        }
    return sum / n;
}

/* ---- */

static int compare(const struct pictures *pictures, const struct live_pictures_params *params)
{
    int n_wrong = 0, n_caught = 0;
    for (int i = 0; i < LIVE_N_MODES; i++)
        for (int j = 0; j < LIVE_N_WIDTHS; j++) {
            const uint8_t *frozen = pictures->rgba[FROZEN][i][j];
            const double noise = distance(pictures->rgba[LIVE][i][j], frozen);
            const double mutant = distance(pictures->rgba[SOLID][i][j], frozen);
            printf("%s, %u ms: live %.3f, with solid folds %.3f\n", rv_view_mode_get(modes[i])->name,
                   (unsigned)(live_widths_ns[j] / MS), noise, mutant);
            n_wrong += noise > params->most[i][j];
            n_caught += mutant > MUTANT_LEAST * params->most[i][j];
        }
    printf("wrong: %d, solid folds caught in %d pictures\n", n_wrong, n_caught);
    return n_wrong || n_caught < params->least_caught;
}

int live_pictures_check(const struct live_pictures_params *params)
{
    struct pictures pictures = {0};
    take_all(&pictures, params, LIVE);
    take_all(&pictures, params, FROZEN);
    const int failed = !take_solid(&pictures, params) || compare(&pictures, params);
    for (int i = 0; i < N_PICTURES * LIVE_N_MODES * LIVE_N_WIDTHS; i++)
        free(pictures.rgba[i / (LIVE_N_MODES * LIVE_N_WIDTHS)][i / LIVE_N_WIDTHS % LIVE_N_MODES][i % LIVE_N_WIDTHS]);
    return failed;
}
