/* The critical path that is lit in the picture: of the pinned call, the selected range, or what is in view. Part of
 * viewer/viewer.h. */
#ifndef RV_VIEWER_LIT_PATH_H
#define RV_VIEWER_LIT_PATH_H

#include "model/view.h"
#include "query/critical_path_job.h"
#include "ui/action.h"

struct rv_viewer;

/* RV_ACTION_CRITICAL_PATH, RV_ACTION_SHOW_PATH_PART: the call of its longest stretch. False for other actions. */
bool rv_viewer_lit_path_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Light this one; _wait until it is found. Nothing where the session keeps no waits. */
void rv_viewer_lit_path_light(struct rv_viewer *viewer, const struct rv_critical_path_request *request);
void rv_viewer_lit_path_wait(struct rv_viewer *viewer);

/* Take what has been found. Returns whether the picture changes. */
bool rv_viewer_lit_path_advance(struct rv_viewer *viewer);

/* Is one that the user has just asked for still being found? The next picture is to have it. */
bool rv_viewer_lit_path_is_coming(const struct rv_viewer *viewer);

/* Likewise, or is it found and not in the picture yet? Other pictures are not worth the time until it is. */
bool rv_viewer_lit_path_is_due(const struct rv_viewer *viewer);

/* What views are to be made with. Borrowed. */
void rv_viewer_lit_path_apply(const struct rv_viewer *viewer, struct rv_view_params *params);

/* Returns whether one was lit. */
bool rv_viewer_lit_path_end(struct rv_viewer *viewer);

#endif
