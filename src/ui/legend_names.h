/* The names of a legend's rows in little room. */
#ifndef RV_UI_LEGEND_NAMES_H
#define RV_UI_LEGEND_NAMES_H

#include <stddef.h>

#include "model/short_name.h"

#define RV_LEGEND_NAME_BYTES 96u
#define RV_LEGEND_ROWS 14u
#define RV_LEGEND_FITTED_BYTES (RV_LEGEND_NAME_BYTES + 4u)

/* One without its middle, as far as it takes. */
void rv_legend_names_cut(const char *name, const struct rv_short_name_room *room, char out[RV_LEGEND_FITTED_BYTES]);

/* Those of n rows, at most RV_LEGEND_ROWS. Both ends tell names apart; where they do not, and of templates, which end
 * alike, what is between. */
void rv_legend_names_fit(const char *const *names, size_t n, const struct rv_short_name_room *room,
                         char out[][RV_LEGEND_FITTED_BYTES]);

#endif
