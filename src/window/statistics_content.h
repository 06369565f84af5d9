/*
 * The panels of statistics: a range's, the pinned call's (inspector), and the search bar above them. Main thread.
 */
#ifndef RV_WINDOW_STATISTICS_CONTENT_H
#define RV_WINDOW_STATISTICS_CONTENT_H

#include "viewer/viewer.h"
#include "render/box_colors.h"
#include "ui/search_bar.h"
#include "ui/statistics.h"

struct rv_statistics_content { /* zeroed = nothing shown yet */
    struct rv_search_bar_state search;
    struct rv_statistics_state statistics;
    struct rv_name_set in_part; /* rows of functions that were not traced all the time, */
    uint64_t in_part_version;   /* of these rows */
    size_t n_in_part_of;
};

struct rv_statistics_content_about { /* borrowed for one pass */
    struct rv_viewer *viewer;
    const struct rv_box_colors *colors;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    bool is_narrow; /* there is little room */
};

void rv_statistics_content_fini(struct rv_statistics_content *content);

/* Show the panels at the top, at the bottom, at the right. */
void rv_statistics_content_show_top(struct rv_statistics_content *content, struct rv_ui *ui,
                                    const struct rv_statistics_content_about *about, struct rv_ui_acts *acts);
void rv_statistics_content_show_bottom(struct rv_statistics_content *content, struct rv_ui *ui,
                                       const struct rv_statistics_content_about *about, struct rv_ui_acts *acts);
void rv_statistics_content_show_right(struct rv_ui *ui, const struct rv_statistics_content_about *about,
                                      struct rv_ui_acts *acts);

/* Perform an action that needs the clipboard or an editor; false: the viewer must handle it. */
bool rv_statistics_content_act(const struct rv_statistics_content_about *about, const struct rv_act *act);

#endif
