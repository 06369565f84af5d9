/* The legend's rows for a picture's colours, by scheme. No GL. */
#ifndef RV_VIEWER_COLOR_LEGEND_H
#define RV_VIEWER_COLOR_LEGEND_H

#include "model/filter.h"
#include "model/view.h"
#include "render/palette.h"
#include "ui/legend.h"

/* The palette was updated with the view. */
void rv_color_legend_describe(const struct rv_palette *palette, const struct rv_view *view, struct rv_legend *legend);

/* Find the active rules of its rows. */
void rv_color_legend_find_rules(struct rv_legend *legend, const struct rv_filter *filter);

#endif
