/* What a viewer does with actions that are about lanes: hide, collapse, pin, move, show, crop. Part of rv_viewer_act().
 */
#ifndef RV_APP_ARRANGING_H
#define RV_APP_ARRANGING_H

#include "app/viewer.h"

/* Does nothing for other actions. */
void rv_arranging_act(struct rv_viewer *viewer, const struct rv_act *act);

#endif
