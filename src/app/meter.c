#include "app/meter.h"

#define STRETCH_NS 500000000u

bool rv_meter_update(struct rv_meter *meter, uint64_t clock_ns, uint64_t n_consumed)
{
    uint64_t elapsed_ns = clock_ns - meter->since_ns;
    if (meter->since_ns && elapsed_ns < STRETCH_NS)
        return false;
    double rate = meter->since_ns ? (double)(n_consumed - meter->n_consumed) * 1e9 / (double)elapsed_ns : 0.0;
    bool is_changed = rate != meter->events_per_s;
    *meter = (struct rv_meter){.events_per_s = rate, .since_ns = clock_ns, .n_consumed = n_consumed};
    return is_changed;
}
