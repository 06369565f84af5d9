/* The legend's rows for a picture's colours, by scheme. No GL. */
#ifndef RV_VIEWER_COLOR_LEGEND_H
#define RV_VIEWER_COLOR_LEGEND_H

#include "model/filter.h"
#include "model/view.h"
#include "render/arc_list.h"
#include "render/box_colors.h"
#include "render/theme.h"
#include "ui/legend.h"
#include "viewer/self_times.h"

/* Static. */
const char *rv_color_legend_title(const struct rv_box_colors *colors);

struct rv_color_legend { /* what it keeps between descriptions; zeroed = nothing */
    struct rv_box_colors *measured;
    uint64_t versions[3]; /* of what that is made from */
};

void rv_color_legend_fini(struct rv_color_legend *kept);

struct rv_color_legend_params {
    const struct rv_box_colors *colors; /* updated with the view */
    const struct rv_view *view;
    struct rv_self_times times; /* without rows: what the view tells, which may be folded */
    struct rv_subroutines *subroutines;
    bool is_moving; /* rows stay in their order, as far as it is about right */
};

/* legend: as described last, or zeroed. */
void rv_color_legend_describe(struct rv_color_legend *kept, const struct rv_color_legend_params *params,
                              struct rv_legend *legend);

/* The same with the rows that it has: only their shares change. */
void rv_color_legend_describe_shares(struct rv_color_legend *kept, const struct rv_color_legend_params *params,
                                     struct rv_legend *legend);

/* Add what lies over the calls and before them: arcs, lanes of what was waited for, and a critical path if one is lit.
 * arcs: NULL = none; n_lacking: waits that were not kept and have none. */
void rv_color_legend_add_lines(const struct rv_arc_list *arcs, uint64_t n_lacking, const struct rv_view *view,
                               const struct rv_theme *theme, struct rv_legend *legend);

/* Find the active rules of its rows. */
void rv_color_legend_find_rules(struct rv_legend *legend, const struct rv_filter *filter);

#endif
