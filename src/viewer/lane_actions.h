/* Actions on lanes: hide, collapse, pin, move, show, crop. Part of rv_viewer_act().
 */
#ifndef RV_VIEWER_LANE_ACTIONS_H
#define RV_VIEWER_LANE_ACTIONS_H

#include "viewer/viewer.h"

/* False for other actions. */
bool rv_viewer_lanes_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Show lanes as it was asked for at the start. */
void rv_viewer_lanes_arrange(struct rv_viewer *viewer);

/* Is it about the lane under the cursor, or about the order of lanes? Rows of calls and of tasks are no lanes. */
bool rv_viewer_lanes_are_meant(enum rv_action action);

#endif
