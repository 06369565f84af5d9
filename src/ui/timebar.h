/*
 * The time that is played, above the minimap and beside it: a track to drag the playhead in, where it is, how fast it
 * goes, and buttons. A part of the minimap's panel.
 */
#ifndef RV_UI_TIMEBAR_H
#define RV_UI_TIMEBAR_H

#include "ui/ui.h"

struct rv_timebar {
    uint64_t first_ns, last_ns; /* of the track's ends; it takes no drag while they are equal */
    uint64_t at_ns;             /* the playhead, or where it would be */
    uint64_t step_ns;           /* times are shown at least as fine as this */
    double speed;
    bool is_on; /* the playhead is */
    bool is_playing;
    bool is_live; /* capture goes on: there is a present to come back to */
};

#define RV_TIMEBAR_WIDTH 186.0f /* points that it takes at the minimap's left */
#define RV_TIMEBAR_HEIGHT 9.0f  /* and of the strip's height */

struct rv_timebar_place {
    struct rv_imgui_area panel, strip;
};

/* "1.234 / 5.000 s", "1:02.345 / 3:00.000": as many digits as step_ns asks for. Pure. Returns out. */
char *rv_timebar_text(const struct rv_timebar *shown, char *out, size_t out_bytes);

/* Within the minimap's panel. Asks for RV_ACTION_PLAY, RV_ACTION_STEP_FORWARD, RV_ACTION_STEP_BACK and
 * RV_ACTION_SEEK. */
void rv_timebar_show(const struct rv_ui_style *style, const struct rv_timebar *shown,
                     const struct rv_timebar_place *place, struct rv_ui_acts *acts);

#endif
