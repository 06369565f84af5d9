/* Rates, lag and CPU time for the top bar, measured twice a second. No GL, no SDL. */
#ifndef RV_WINDOW_CAPTURE_RATES_H
#define RV_WINDOW_CAPTURE_RATES_H

#include <stdbool.h>
#include <stdint.h>

struct rv_capture_rates { /* zeroed = nothing measured yet */
    double events_per_s;
    double lag_ns;    /* least time from an event to its place in the model; negative = no events */
    double cpu_share; /* of one CPU, of this process; negative = unknown */
    /* of the current interval */
    uint64_t since_ns, since_cpu_ns, n_before, n_consumed;
    double least_lag_ns;
};

/* last_ns: time of the newest event in the model. Returns whether an interval has ended, with new values. */
bool rv_capture_rates_update(struct rv_capture_rates *rates, uint64_t clock_ns, uint64_t n_consumed, uint64_t last_ns);

#endif
