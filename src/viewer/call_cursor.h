/*
 * The pinned call as a cursor of the keyboard: it goes to the caller, a callee, the calls before and after, and to
 * other threads, among what the last picture shows. Part of rv_viewer_act().
 */
#ifndef RV_VIEWER_CALL_CURSOR_H
#define RV_VIEWER_CALL_CURSOR_H

#include "viewer/viewer.h"

/*
 * Pin the box that is next to the pinned one in the direction of the action. With none pinned, that of the first thread
 * which has a call in the middle of the window. Where the window has no next or previous one it moves by half of its
 * width, and where a page of lanes has none it is turned; a pinned call that is elsewhere comes back into it first.
 * False for other actions.
 */
bool rv_viewer_call_cursor_act(struct rv_viewer *viewer, const struct rv_act *act);

#endif
