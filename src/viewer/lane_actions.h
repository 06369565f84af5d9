/* Actions on lanes: hide, collapse, pin, move, show, crop. Part of rv_viewer_act().
 */
#ifndef RV_VIEWER_LANE_ACTIONS_H
#define RV_VIEWER_LANE_ACTIONS_H

#include "viewer/viewer.h"

/* False for other actions. */
bool rv_viewer_lanes_act(struct rv_viewer *viewer, const struct rv_act *act);

#endif
