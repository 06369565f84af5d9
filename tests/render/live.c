/*
 * A picture taken live and one of the same window later, when all events are there, differ only in noise. A mutant of the
 * shader that draws folds solid differs many times as much. Of a made-up program, which is the same in every run;
 * live_demo.c does the same with a program that runs.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "live_pictures.h"
#include "synthetic.h"

#define MS UINT64_C(1000000)
#define ORIGIN_NS (1000 * MS)
#define LENGTH_NS (3000 * MS)
#define NOW_NS (ORIGIN_NS + LIVE_LENGTH_NS) /* when the live picture is taken, a frame after the last one */
#define FRAME_NS (16 * MS)
#define N_FRAMES 30u
#define LEAST_CAUGHT 12 /* in 20 ms hardly anything is folded, and in the top view hardly any fold has a gap */

struct fixture {
    struct synthetic synthetic;
    struct rv_lanes *lanes;
    size_t n_added[SYNTHETIC_LANES];
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

/* Live, window by window, and the last one again later. */
static void look(struct fixture *fixture, struct live_window *window)
{
    begin(fixture);
    for (unsigned i = N_FRAMES; i-- > 0;) {
        run_until(fixture, NOW_NS - i * FRAME_NS);
        live_window_look(window, fixture->lanes, NOW_NS - i * FRAME_NS);
    }
    run_until(fixture, ORIGIN_NS + LENGTH_NS);
    live_window_look_later(window, fixture->lanes);
    rv_lanes_destroy(fixture->lanes);
}

int main(void)
{
    static struct fixture fixture;
    static struct live_window windows[LIVE_N_WIDTHS];
    synthetic_init(&fixture.synthetic, ORIGIN_NS, LENGTH_NS);
    for (int i = 0; i < LIVE_N_WIDTHS; i++) {
        windows[i].width_ns = live_widths_ns[i];
        look(&fixture, &windows[i]);
    }
    const int failed = live_pictures_check(&(struct live_pictures_params){.windows = windows,
                                                                          .subroutines = fixture.synthetic.subroutines,
                                                                          .origin_ns = ORIGIN_NS,
                                                                          .most = {{0.4, 0.5, 0.9, 1.3, 1.5},
                                                                                   {0.9, 1.2, 1.9, 2.3, 2.6},
                                                                                   {0.4, 0.5, 0.9, 1.3, 1.5},
                                                                                   {0.5, 0.9, 1.1, 1.2, 1.05}},
                                                                          .least_caught = LEAST_CAUGHT});
    for (int i = 0; i < LIVE_N_WIDTHS; i++)
        live_window_fini(&windows[i]);
    synthetic_fini(&fixture.synthetic);
    return failed;
}
