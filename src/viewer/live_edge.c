#include "viewer/live_edge.h"

#define IDLE_SHARE 0.25 /* of the window that stays free after the last event of an idle program */

void rv_present_update(struct rv_present *present, struct rv_lanes *lanes, uint64_t clock_ns, double window_ns)
{
    uint64_t first_ns, last_ns;
    if (rv_lanes_bounds(lanes, &first_ns, &last_ns)) {
        present->first_ns = first_ns;
        present->last_ns = last_ns;
    }
    uint64_t idle_ns = present->last_ns + (uint64_t)(IDLE_SHARE * window_ns);
    if (present->is_done)
        present->live_ns = present->last_ns;
    else
        present->live_ns = present->last_ns && idle_ns < clock_ns ? idle_ns : clock_ns;
    if (!present->is_frozen)
        present->now_ns = present->live_ns;
}

uint64_t rv_present_behind_ns(const struct rv_present *present)
{
    return present->is_frozen && present->live_ns > present->now_ns ? present->live_ns - present->now_ns : 0;
}
