#include "window/capture_rates.h"

#include <math.h>

#include "base/clock.h"

#define STRETCH_NS 500000000u

static void begin_stretch(struct rv_capture_rates *rates, uint64_t clock_ns)
{
    rates->since_ns = clock_ns;
    rates->since_cpu_ns = rv_clock_process_cpu_ns();
    rates->n_before = rates->n_consumed;
    rates->least_lag_ns = -1.0;
}

bool rv_capture_rates_update(struct rv_capture_rates *rates, uint64_t clock_ns, uint64_t n_consumed, uint64_t last_ns)
{
    if (!rates->since_ns) {
        *rates = (struct rv_capture_rates){.lag_ns = -1.0, .cpu_share = -1.0, .n_consumed = n_consumed};
        begin_stretch(rates, clock_ns);
        return true;
    }
    if (n_consumed != rates->n_consumed) {
        double lag_ns = clock_ns > last_ns ? (double)(clock_ns - last_ns) : 0.0;
        rates->least_lag_ns = rates->least_lag_ns < 0.0 ? lag_ns : fmin(rates->least_lag_ns, lag_ns);
    }
    rates->n_consumed = n_consumed;
    uint64_t elapsed_ns = clock_ns - rates->since_ns;
    if (elapsed_ns < STRETCH_NS)
        return false;
    rates->events_per_s = (double)(n_consumed - rates->n_before) * 1e9 / (double)elapsed_ns;
    rates->cpu_share = (double)(rv_clock_process_cpu_ns() - rates->since_cpu_ns) / (double)elapsed_ns;
    rates->lag_ns = rates->least_lag_ns;
    begin_stretch(rates, clock_ns);
    return true;
}
