/* What a viewer does with actions that ask something of the trace: search, rules, ranges. Part of rv_viewer_act(). */
#ifndef RV_VIEWER_SEARCH_H
#define RV_VIEWER_SEARCH_H

#include <stdbool.h>

#include "viewer/viewer.h"

/* Does nothing for other actions. */
void rv_viewer_search_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Go to the hit that was asked for, when it is known. After each rv_analysis_update(). */
void rv_viewer_search_go_on(struct rv_viewer *viewer);

/* End one thing that was asked for, the range before the search; false when there was nothing. */
bool rv_viewer_search_end(struct rv_viewer *viewer);

#endif
