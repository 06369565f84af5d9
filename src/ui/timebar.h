/*
 * The playback bar above the minimap and beside it: a track to drag the playhead in, its time, the speed, and buttons.
 * A part of the minimap's panel.
 */
#ifndef RV_UI_TIMEBAR_H
#define RV_UI_TIMEBAR_H

#include "ui/ui.h"

struct rv_timebar {
    uint64_t first_ns, last_ns; /* of the track's ends; no dragging while they are equal */
    uint64_t at_ns;             /* the playhead, or where it would start */
    uint64_t step_ns;           /* resolution needed of displayed times */
    double speed;
    bool is_on; /* the playhead is */
    bool is_playing;
    bool is_live; /* the capture is running */
};

#define RV_TIMEBAR_WIDTH 186.0f /* width in points left of the minimap */
#define RV_TIMEBAR_HEIGHT 9.0f  /* height in points within the strip */

struct rv_timebar_place {
    struct rv_imgui_area panel, strip;
};

/* "1.234 / 5.000 s", "1:02.345 / 3:00.000": with the digits needed for step_ns. Pure. Returns out. */
char *rv_timebar_text(const struct rv_timebar *shown, char *out, size_t out_bytes);

/* Within the minimap's panel. Asks for RV_ACTION_PLAY, RV_ACTION_STEP_FORWARD, RV_ACTION_STEP_BACK and
 * RV_ACTION_SEEK. */
void rv_timebar_show(const struct rv_ui_style *style, const struct rv_timebar *shown,
                     const struct rv_timebar_place *place, struct rv_ui_acts *acts);

#endif
