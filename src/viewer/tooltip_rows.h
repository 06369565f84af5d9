/* What the tooltip says about the hovered or pinned call, row by row. No GL, no SDL. */
#ifndef RV_VIEWER_TOOLTIP_ROWS_H
#define RV_VIEWER_TOOLTIP_ROWS_H

#include "model/subroutines.h"
#include "render/tooltip.h"
#include "viewer/call_flow.h"
#include "viewer/call_waits.h"
#include "viewer/hover.h"

struct rv_tooltip_rows_about {
    struct rv_subroutines *subroutines;
    const struct rv_lanes *lanes;      /* of the flow, and of who ended waits */
    struct rv_lane *lane;              /* the box's; NULL: without arguments */
    const struct rv_call_waits *waits; /* the call's; NULL: not known */
    const struct rv_call_flow *flow;   /* likewise */
    uint64_t n_calls, n_below;         /* calls of the subroutine, and those that took no longer; n_calls 0 = unknown */
    uint64_t zero_ns;                  /* of the time axis */
    bool is_live;                      /* zero_ns is the present */
    double scale;                      /* pixels per point */
};

/* Say when something was: "12 ms before now", "+12 ms". zero_ns, is_live: as above. */
enum { RV_TOOLTIP_ROWS_TIME_BYTES = 48 };
void rv_tooltip_rows_tell_time(char *out, size_t out_bytes, uint64_t at_ns, uint64_t zero_ns, bool is_live);

/* Fill the tooltip. False without a box. */
bool rv_tooltip_rows_fill(const struct rv_hover *hover, const struct rv_tooltip_rows_about *about,
                          struct rv_tooltip *tooltip);

#endif
