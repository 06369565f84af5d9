/* What the top bar says of the session: how much comes in, twice a second. No GL, no SDL. */
#ifndef RV_APP_METER_H
#define RV_APP_METER_H

#include <stdbool.h>
#include <stdint.h>

struct rv_meter { /* zeroed = nothing measured yet */
    double events_per_s;
    uint64_t since_ns, n_consumed; /* of the stretch being measured */
};

/* Returns whether what it says has changed. */
bool rv_meter_update(struct rv_meter *meter, uint64_t clock_ns, uint64_t n_consumed);

#endif
