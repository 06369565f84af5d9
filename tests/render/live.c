/*
 * A picture taken live and one of the same window later, when all events are there, differ only in noise: measured by the
 * mean difference of colours of blurred pictures. A mutant of the shader that draws folds solid differs many times as much.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "canvas.h"
#include "model/box_budget.h"
#include "mutant.h"
#include "render/shader.h"
#include "synthetic.h"

#define MS UINT64_C(1000000)
#define ORIGIN_NS (1000 * MS)
#define LENGTH_NS (3000 * MS)
#define NOW_NS (ORIGIN_NS + 2000 * MS) /* when the live picture is taken, a frame after the last one */
#define FRAME_NS (16 * MS)
#define N_FRAMES 30u
#define WIDTH_PX 1200
#define HEIGHT_PX 640
#define BLOCK_PX 8
#define SAMPLES 4          /* at rest; none while it moves */
#define REST_BUDGET 60000u /* boxes: what a window without a GPU has at rest */
#define MUTANT_LEAST 1.5   /* times the most that the live picture may differ */

struct fixture {
    struct canvas canvas;
    struct synthetic synthetic;
    struct rv_lanes *lanes;
    size_t n_added[SYNTHETIC_LANES];
    struct rv_view views[2]; /* the last two */
    unsigned at;
};

/* ---- the program goes on ---- */

static int by_depth(const void *a, const void *b)
{
    const struct rv_lane_frame *x = a, *y = b;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

static void add_until(struct fixture *fixture, size_t idx, uint64_t now_ns)
{
    const struct synthetic_lane *from = &fixture->synthetic.lanes[idx];
    struct rv_lane *lane = rv_lanes_get(fixture->lanes, idx);
    size_t n = fixture->n_added[idx];
    while (n < from->n_spans && from->spans[n].end <= now_ns)
        n++;
    rv_timeline_add(lane->timeline, from->spans + fixture->n_added[idx], n - fixture->n_added[idx]);
    fixture->n_added[idx] = n;
    lane->n_open = 0;
    for (; n < from->n_spans; n++) {
        if (from->spans[n].start > now_ns)
            continue;
        lane->open = rv_vec_reserve(lane->open, &lane->open_capacity, lane->n_open + 1, sizeof *lane->open);
        lane->open[lane->n_open++] = (struct rv_lane_frame){
            .start_ns = from->spans[n].start, .id = from->spans[n].id, .depth = from->spans[n].depth};
    }
    if (lane->n_open)
        qsort(lane->open, lane->n_open, sizeof *lane->open, by_depth);
    lane->last_ns = now_ns;
}

static void run_until(struct fixture *fixture, uint64_t now_ns)
{
    for (size_t i = 0; i < SYNTHETIC_LANES; i++)
        add_until(fixture, i, now_ns);
}

static void begin(struct fixture *fixture)
{
    fixture->lanes = rv_lanes_create();
    for (uint32_t i = 0; i < SYNTHETIC_LANES; i++) {
        struct rv_lane *lane = rv_lanes_add(
            fixture->lanes,
            &(struct rv_lane_identity){.pid = 1, .tid = i + 1, .thread = i, .name = fixture->synthetic.lanes[i].name});
        lane->n_events = 1;
        fixture->n_added[i] = 0;
    }
}

static void end(struct fixture *fixture)
{
    for (int i = 0; i < 2; i++) {
        rv_view_fini(&fixture->views[i]);
        fixture->views[i] = (struct rv_view){0};
    }
    rv_lanes_destroy(fixture->lanes);
}

/* ---- pictures ---- */

static const struct rv_view *look(struct fixture *fixture, uint64_t to_ns, uint64_t width_ns, size_t budget)
{
    struct rv_view *before = &fixture->views[fixture->at], *view = &fixture->views[fixture->at ^= 1];
    rv_view_continue(view, before);
    rv_view_update(view, fixture->lanes,
                   &(struct rv_view_params){.from_ns = to_ns - width_ns,
                                            .to_ns = to_ns,
                                            .width_px = WIDTH_PX,
                                            .box_budget = budget,
                                            .is_steady = true,
                                            .has_front_first = true});
    return view;
}

static uint8_t *take_picture(struct fixture *fixture, const struct rv_view *view, enum rv_view_mode mode, int samples)
{
    const size_t n_bytes = (size_t)WIDTH_PX * HEIGHT_PX * 4;
    uint8_t *rgba = rv_alloc(n_bytes, 1);
    canvas_draw(&fixture->canvas, (struct rv_scene_frame){.view = view,
                                                          .subroutines = fixture->synthetic.subroutines,
                                                          .origin_ns = ORIGIN_NS,
                                                          .look = mode,
                                                          .look_from = mode,
                                                          .scale = 1.0,
                                                          .samples = samples});
    memcpy(rgba, fixture->canvas.rgba, n_bytes);
    return rgba;
}

/* Live, window by window; the last one is the picture. */
static uint8_t *take_live(struct fixture *fixture, enum rv_view_mode mode, uint64_t width_ns)
{
    const struct rv_view *view = NULL;
    begin(fixture);
    for (unsigned i = N_FRAMES; i-- > 0;) {
        run_until(fixture, NOW_NS - i * FRAME_NS);
        view = look(fixture, NOW_NS - i * FRAME_NS, width_ns, RV_BOX_BUDGET_SOFTWARE);
    }
    return take_picture(fixture, view, mode, 0);
}

static uint8_t *take_frozen(struct fixture *fixture, enum rv_view_mode mode, uint64_t width_ns)
{
    run_until(fixture, ORIGIN_NS + LENGTH_NS);
    return take_picture(fixture, look(fixture, NOW_NS, width_ns, REST_BUDGET), mode, SAMPLES);
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

enum {
    N_WIDTHS = 5,
    N_MODES = 4,
    N_CAUGHT = 11 /* in 20 ms hardly anything is folded, and in the top view hardly any fold has a gap */
};
static const uint64_t WIDTHS_NS[N_WIDTHS] = {20 * MS, 100 * MS, 500 * MS, 1000 * MS, 2000 * MS};

/* The greatest difference allowed for each width, in CIE L*a*b*, where about one is just visible side by side. Aligned bars
 * have long edges that only a picture at rest draws smooth. */
static const struct {
    enum rv_view_mode mode;
    double most[N_WIDTHS];
} MODES[N_MODES] = {{RV_VIEW_MODE_3D, {0.4, 0.5, 0.9, 1.3, 1.5}},
                    {RV_VIEW_MODE_ALIGNED, {0.9, 1.2, 1.9, 2.3, 2.6}},
                    {RV_VIEW_MODE_FLAME, {0.4, 0.5, 0.9, 1.3, 1.5}},
                    {RV_VIEW_MODE_TOP, {0.5, 0.9, 1.2, 1.3, 1.7}}};

static void take_all(struct fixture *fixture, uint8_t *live[N_MODES][N_WIDTHS], uint8_t *frozen[N_MODES][N_WIDTHS])
{
    canvas_init(&fixture->canvas, WIDTH_PX, HEIGHT_PX);
    for (int i = 0; i < N_MODES; i++)
        for (int j = 0; j < N_WIDTHS; j++) {
            live[i][j] = take_live(fixture, MODES[i].mode, WIDTHS_NS[j]);
            if (frozen)
                frozen[i][j] = take_frozen(fixture, MODES[i].mode, WIDTHS_NS[j]);
            end(fixture);
        }
    canvas_fini(&fixture->canvas);
}

static int check(uint8_t *live[N_MODES][N_WIDTHS], uint8_t *solid[N_MODES][N_WIDTHS],
                 uint8_t *frozen[N_MODES][N_WIDTHS])
{
    int n_wrong = 0, n_caught = 0;
    for (int i = 0; i < N_MODES; i++)
        for (int j = 0; j < N_WIDTHS; j++) {
            const double noise = distance(live[i][j], frozen[i][j]), mutant = distance(solid[i][j], frozen[i][j]);
            printf("%s, %u ms: live %.3f, with solid folds %.3f\n", rv_view_mode_get(MODES[i].mode)->name,
                   (unsigned)(WIDTHS_NS[j] / MS), noise, mutant);
            n_wrong += noise > MODES[i].most[j];
            n_caught += mutant > MUTANT_LEAST * MODES[i].most[j];
        }
    printf("wrong: %d, solid folds caught in %d pictures\n", n_wrong, n_caught);
    return n_wrong || n_caught < N_CAUGHT;
}

int main(void)
{
    static struct fixture fixture;
    uint8_t *live[N_MODES][N_WIDTHS], *solid[N_MODES][N_WIDTHS], *frozen[N_MODES][N_WIDTHS];
    char folder[] = "/tmp/live.XXXXXX", path[128];
    synthetic_init(&fixture.synthetic, ORIGIN_NS, LENGTH_NS);
    take_all(&fixture, live, frozen);
    if (!mkdtemp(folder) || !plant_shader(folder, "v_light = coverage / share;", "share = 1.0;"))
        return 1;
    take_all(&fixture, solid, NULL);
    snprintf(path, sizeof path, "%s/box.vert", folder);
    (void)unlink(path);
    (void)rmdir(folder);
    const int failed = check(live, solid, frozen);
    for (int i = 0; i < N_MODES * N_WIDTHS; i++) {
        free(live[i / N_WIDTHS][i % N_WIDTHS]);
        free(solid[i / N_WIDTHS][i % N_WIDTHS]);
        free(frozen[i / N_WIDTHS][i % N_WIDTHS]);
    }
    synthetic_fini(&fixture.synthetic);
    return failed;
}
