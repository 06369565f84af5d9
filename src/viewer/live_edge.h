/*
 * What there is to look at: the bounds of the trace, and where the present is. No GL, no SDL.
 *
 * The present is the clock while the program runs and does something, else a little after its last event, so that an
 * idle program leaves an idle picture. Frozen, the present as shown stands still and the live one goes on.
 */
#ifndef RV_VIEWER_LIVE_EDGE_H
#define RV_VIEWER_LIVE_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"

struct rv_live_edge {           /* zeroed = nothing yet */
    uint64_t first_ns, last_ns; /* of the trace */
    uint64_t now_ns;            /* as shown */
    uint64_t live_ns;           /* as it is */
    bool is_frozen, is_done;    /* capture has ended */
};

/* Look at lanes and clock again. window_ns: the span of time on show. */
void rv_live_edge_update(struct rv_live_edge *live_edge, struct rv_lanes *lanes, uint64_t clock_ns, double window_ns);

/* How far the picture is behind; 0 unless frozen. */
uint64_t rv_live_edge_behind_ns(const struct rv_live_edge *live_edge);

#endif
