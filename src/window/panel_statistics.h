/*
 * The panels of statistics: a range's, the pinned call's (inspector), and the search bar above them. Main thread.
 */
#ifndef RV_WINDOW_PANEL_STATISTICS_H
#define RV_WINDOW_PANEL_STATISTICS_H

#include "viewer/viewer.h"
#include "render/box_colors.h"
#include "ui/search_bar.h"
#include "ui/statistics.h"

struct rv_panel_statistics { /* zeroed = nothing shown yet */
    struct rv_search_bar_state search;
    struct rv_statistics_state statistics;
};

struct rv_panel_statistics_about { /* borrowed for one pass */
    struct rv_viewer *viewer;
    const struct rv_box_colors *colors;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    bool is_narrow; /* there is little room */
};

void rv_panel_statistics_fini(struct rv_panel_statistics *panel_statistics);

/* Show the panels at the top, at the bottom, at the right. */
void rv_panel_statistics_show_top(struct rv_panel_statistics *panel_statistics, struct rv_ui *ui,
                                  const struct rv_panel_statistics_about *about, struct rv_ui_acts *acts);
void rv_panel_statistics_show_bottom(struct rv_panel_statistics *panel_statistics, struct rv_ui *ui,
                                     const struct rv_panel_statistics_about *about, struct rv_ui_acts *acts);
void rv_panel_statistics_show_right(struct rv_ui *ui, const struct rv_panel_statistics_about *about,
                                    struct rv_ui_acts *acts);

/* Perform an action that needs the clipboard or an editor; false: the viewer must handle it. */
bool rv_panel_statistics_act(const struct rv_panel_statistics_about *about, const struct rv_act *act);

#endif
