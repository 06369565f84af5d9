/*
 * The bounds of the trace and the present. No GL, no SDL.
 *
 * The present is the current time while the program produces events or is in a call, else a little after its last
 * event, so that an idle program leaves an idle picture. When frozen, now_ns stands still and live_ns moves on.
 */
#ifndef RV_VIEWER_LIVE_EDGE_H
#define RV_VIEWER_LIVE_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"

struct rv_live_edge {           /* zeroed = nothing yet */
    uint64_t first_ns, last_ns; /* of the trace */
    uint64_t now_ns;            /* the present as shown */
    uint64_t live_ns;           /* the real present */
    bool is_frozen, is_done;    /* capture has ended */
};

/* Update from lanes and clock. window_ns: the width of the time window. */
void rv_live_edge_update(struct rv_live_edge *live_edge, struct rv_lanes *lanes, uint64_t clock_ns, double window_ns);

/* How far the picture is behind; 0 unless frozen. */
uint64_t rv_live_edge_behind_ns(const struct rv_live_edge *live_edge);

#endif
