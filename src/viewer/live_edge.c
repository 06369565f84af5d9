#include "viewer/live_edge.h"

#define IDLE_SHARE 0.25 /* share of the window left empty after an idle program's last event */

void rv_live_edge_update(struct rv_live_edge *live_edge, struct rv_lanes *lanes, uint64_t clock_ns, double window_ns)
{
    uint64_t first_ns, last_ns;
    if (rv_lanes_bounds(lanes, &first_ns, &last_ns)) {
        live_edge->first_ns = first_ns;
        live_edge->last_ns = last_ns;
    }
    uint64_t idle_ns = live_edge->last_ns + (uint64_t)(IDLE_SHARE * window_ns);
    if (live_edge->is_done)
        live_edge->live_ns = live_edge->last_ns;
    else
        live_edge->live_ns = live_edge->last_ns && idle_ns < clock_ns ? idle_ns : clock_ns;
    if (!live_edge->is_frozen)
        live_edge->now_ns = live_edge->live_ns;
}

uint64_t rv_live_edge_behind_ns(const struct rv_live_edge *live_edge)
{
    return live_edge->is_frozen && live_edge->live_ns > live_edge->now_ns ? live_edge->live_ns - live_edge->now_ns : 0;
}
