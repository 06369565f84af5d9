/*
 * The panels of the analysis: search bar, statistics, inspector of the pinned
 * call. Main thread.
 */
#ifndef RV_WINDOW_PANEL_ANALYSIS_H
#define RV_WINDOW_PANEL_ANALYSIS_H

#include "viewer/viewer.h"
#include "render/box_colors.h"
#include "ui/search_bar.h"
#include "ui/statistics.h"

struct rv_panel_analysis { /* zeroed = nothing shown yet */
    struct rv_search_bar_state search;
    struct rv_statistics_state statistics;
};

struct rv_panel_analysis_about { /* borrowed for one pass */
    struct rv_viewer *viewer;
    const struct rv_box_colors *colors;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    bool is_narrow; /* there is little room */
};

void rv_panel_analysis_fini(struct rv_panel_analysis *panel_analysis);

/* Show the panels at the top, at the bottom, at the right. */
void rv_panel_analysis_show_top(struct rv_panel_analysis *panel_analysis, struct rv_ui *ui,
                                const struct rv_panel_analysis_about *about, struct rv_ui_acts *acts);
void rv_panel_analysis_show_bottom(struct rv_panel_analysis *panel_analysis, struct rv_ui *ui,
                                   const struct rv_panel_analysis_about *about, struct rv_ui_acts *acts);
void rv_panel_analysis_show_right(struct rv_ui *ui, const struct rv_panel_analysis_about *about,
                                  struct rv_ui_acts *acts);

/* Perform an action that needs the clipboard or an editor; false: the viewer must handle it. */
bool rv_panel_analysis_act(const struct rv_panel_analysis_about *about, const struct rv_act *act);

#endif
