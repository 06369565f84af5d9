#include "window/frame_meter.h"

#include <math.h>

#include "base/clock.h"

#define STRETCH_NS 500000000u

static void begin_stretch(struct rv_frame_meter *meter, uint64_t clock_ns)
{
    meter->since_ns = clock_ns;
    meter->since_cpu_ns = rv_clock_process_cpu_ns();
    meter->n_before = meter->n_consumed;
    meter->least_lag_ns = -1.0;
}

bool rv_frame_meter_update(struct rv_frame_meter *meter, uint64_t clock_ns, uint64_t n_consumed, uint64_t last_ns)
{
    if (!meter->since_ns) {
        *meter = (struct rv_frame_meter){.lag_ns = -1.0, .cpu_share = -1.0, .n_consumed = n_consumed};
        begin_stretch(meter, clock_ns);
        return true;
    }
    if (n_consumed != meter->n_consumed) {
        double lag_ns = clock_ns > last_ns ? (double)(clock_ns - last_ns) : 0.0;
        meter->least_lag_ns = meter->least_lag_ns < 0.0 ? lag_ns : fmin(meter->least_lag_ns, lag_ns);
    }
    meter->n_consumed = n_consumed;
    uint64_t elapsed_ns = clock_ns - meter->since_ns;
    if (elapsed_ns < STRETCH_NS)
        return false;
    meter->events_per_s = (double)(n_consumed - meter->n_before) * 1e9 / (double)elapsed_ns;
    meter->cpu_share = (double)(rv_clock_process_cpu_ns() - meter->since_cpu_ns) / (double)elapsed_ns;
    meter->lag_ns = meter->least_lag_ns;
    begin_stretch(meter, clock_ns);
    return true;
}
