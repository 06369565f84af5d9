/* Settings of the window's appearance; the application saves them. */
#ifndef RV_UI_SETTINGS_PANEL_H
#define RV_UI_SETTINGS_PANEL_H

#include "ui/ui.h"

struct rv_settings_panel {
    enum rv_color_theme theme;
    unsigned scale_percent;
    const char *const *schemes;
    uint32_t n_schemes, scheme;
    bool has_legend, has_minimap, has_lock_lanes;
    const char *const *arcs; /* names of their kinds */
    unsigned n_arcs, arcs_left_out;
    const char *path; /* settings file; NULL = none */
};

/* Of the sizes that are offered, the next larger one; after the largest the least. */
unsigned rv_settings_panel_next_scale(unsigned percent);

/* Asks for RV_ACTION_THEME, RV_ACTION_SCALE, RV_ACTION_SCHEME, RV_ACTION_LEGEND, RV_ACTION_MINIMAP,
 * RV_ACTION_LOCK_LANES, RV_ACTION_ARC_KIND. */
void rv_settings_panel_show(struct rv_ui *ui, const struct rv_settings_panel *shown, struct rv_ui_acts *acts);

#endif
