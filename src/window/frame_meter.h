/* What the top bar says of the session and of ringviz itself, measured twice a second. No GL, no SDL. */
#ifndef RV_WINDOW_FRAME_METER_H
#define RV_WINDOW_FRAME_METER_H

#include <stdbool.h>
#include <stdint.h>

struct rv_frame_meter { /* zeroed = nothing measured yet */
    double events_per_s;
    double lag_ns;    /* least time from an event to its place in the model; negative = nothing came */
    double cpu_share; /* of one CPU, of this process; negative = not known yet */
    /* of the stretch being measured */
    uint64_t since_ns, since_cpu_ns, n_before, n_consumed;
    double least_lag_ns;
};

/* The newest event in the model is of last_ns. Returns whether a stretch has ended, and what is said is new. */
bool rv_frame_meter_update(struct rv_frame_meter *meter, uint64_t clock_ns, uint64_t n_consumed, uint64_t last_ns);

#endif
