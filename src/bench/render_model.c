/* The cost of making a frame's view of ten million spans, for windows of any width. */
#include <stdio.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "bench/calls.h"
#include "model/view.h"

#define WIDTH_PX 1600
#define N_LANES 8u
#define N_SPANS 10000000u
#define GAP_MASK 511u
#define N_WINDOWS 21u

static void measure_view(struct rv_lanes *lanes, struct rv_bench_out *out, const char *name, uint64_t window_ns)
{
    double samples[N_WINDOWS];
    struct rv_view view = {0};
    uint64_t first_ns = 0, last_ns = 0;
    char detail[64];
    (void)rv_lanes_bounds(lanes, &first_ns, &last_ns);
    uint64_t whole_ns = last_ns - first_ns;
    window_ns = window_ns < whole_ns ? window_ns : whole_ns;
    for (unsigned i = 0; i < N_WINDOWS; i++) {
        uint64_t from_ns = first_ns + (whole_ns - window_ns) / N_WINDOWS * (i * 13 % N_WINDOWS);
        struct rv_view_params params = {
            .from_ns = from_ns, .to_ns = from_ns + window_ns, .width_px = WIDTH_PX, .box_budget = 250000};
        uint64_t before_ns = rv_clock_thread_cpu_ns();
        rv_view_update(&view, lanes, &params);
        samples[i] = (double)(rv_clock_thread_cpu_ns() - before_ns) / 1e6;
    }
    double median = rv_bench_median(samples, N_WINDOWS);
    snprintf(detail, sizeof detail, "10 M spans; %zu boxes, worst %.2f ms", view.n_boxes, samples[N_WINDOWS - 1]);
    rv_bench_row(out, &(struct rv_bench_row){name, "ms/frame", median, samples[0], N_WINDOWS, NULL, 0, detail});
    rv_view_fini(&view);
}

void rv_bench_render_model(struct rv_bench_out *out)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } windows[] = {{"render.model.10us", 10000},
                   {"render.model.1ms", 1000000},
                   {"render.model.100ms", 100000000},
                   {"render.model.all", UINT64_MAX}};
    struct rv_lanes *lanes = rv_lanes_create();
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_calls calls = {.random = 77 + i};
        rv_calls_fill(&calls, rv_calls_add_lane(lanes, i), N_SPANS / N_LANES, GAP_MASK);
    }
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        measure_view(lanes, out, windows[i].name, windows[i].ns);
    rv_lanes_destroy(lanes);
}
