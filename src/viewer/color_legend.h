/* The legend's rows for a picture's colours, by scheme. No GL. */
#ifndef RV_VIEWER_COLOR_LEGEND_H
#define RV_VIEWER_COLOR_LEGEND_H

#include "model/filter.h"
#include "model/view.h"
#include "render/arc_list.h"
#include "render/box_colors.h"
#include "render/theme.h"
#include "ui/legend.h"

/* Static. */
const char *rv_color_legend_title(const struct rv_box_colors *colors);

/* The colours were updated with the view. */
void rv_color_legend_describe(const struct rv_box_colors *colors, const struct rv_view *view, struct rv_legend *legend);

/* Add what lies over the calls and before them: arcs, lanes of what was waited for, and a critical path if one is lit.
 * arcs: NULL = none; n_lacking: waits that were not kept and have none. */
void rv_color_legend_add_lines(const struct rv_arc_list *arcs, uint64_t n_lacking, const struct rv_view *view,
                               const struct rv_theme *theme, struct rv_legend *legend);

/* Find the active rules of its rows. */
void rv_color_legend_find_rules(struct rv_legend *legend, const struct rv_filter *filter);

#endif
