/* Actions of search and filter. Part of rv_viewer_act(). */
#ifndef RV_VIEWER_SEARCH_H
#define RV_VIEWER_SEARCH_H

#include <stdbool.h>

#include "viewer/viewer.h"

/* False for other actions. */
bool rv_viewer_search_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Go to a requested hit once it is known. Call after each rv_analysis_update(). */
void rv_viewer_search_go_on(struct rv_viewer *viewer);

/* End the search; false when there was none. */
bool rv_viewer_search_end(struct rv_viewer *viewer);

#endif
