/* A strip at the bottom with the whole trace and the window, which can be dragged. */
#ifndef RV_UI_MINIMAP_PANEL_H
#define RV_UI_MINIMAP_PANEL_H

#include "ui/imgui_bridge.h"
#include "ui/timebar.h"

struct rv_minimap_panel {
    struct rv_imgui_pixels pixels; /* of the whole trace, lanes from top to bottom */
    uint64_t first_ns, last_ns;    /* of the pixels' left and right edges; nothing is shown while they are equal */
    uint64_t from_ns, to_ns;       /* the window */
    const uint64_t *marks_ns;
    size_t n_marks;
    const uint32_t *hits; /* number of search hits in each of n equal parts of the strip */
    size_t n_hits;
    const struct rv_timebar *timebar; /* NULL = there is none */
};

#define RV_MINIMAP_PANEL_EDGE 16.0f   /* points from the strip to the picture's edges */
#define RV_MINIMAP_PANEL_HEIGHT 38.0f /* points of the pixels, the time bar's included */

/* Points between the strip and both edges together, and its height. */
static inline float rv_minimap_panel_sides(bool has_timebar)
{
    return 2.0f * RV_MINIMAP_PANEL_EDGE + (has_timebar ? RV_TIMEBAR_WIDTH : 0.0f);
}

/* Points. */
static inline float rv_minimap_panel_height(bool has_timebar)
{
    return RV_MINIMAP_PANEL_HEIGHT - (has_timebar ? RV_TIMEBAR_HEIGHT : 0.0f);
}

/* Asks for RV_ACTION_SHOW, and what its time bar asks for. */
void rv_minimap_panel_show(struct rv_ui *ui, const struct rv_minimap_panel *shown, struct rv_ui_acts *acts);

#endif
