/* Actions that move the window of time: zoom, pan, follow, focus, go to, back. Part of rv_viewer_act(). Main thread. */
#ifndef RV_VIEWER_NAVIGATION_H
#define RV_VIEWER_NAVIGATION_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/viewer.h"

/* False for other actions. */
bool rv_navigation_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Before any action: the history stores the window that it will leave, if it does. */
void rv_navigation_note(struct rv_viewer *viewer, const struct rv_act *act);

/* At the end of the capture: show the part that was asked for, or all. */
void rv_navigation_show_whole(struct rv_viewer *viewer);

/* The range of time that is offered where one is to be entered: that of the pinned call, else what is in view. Returns
 * out. */
char *rv_navigation_offer_range(const struct rv_viewer *viewer, char *out, size_t out_bytes);

/* Move the window's middle to a time; its width stays. */
void rv_navigation_center(struct rv_viewer *viewer, uint64_t ns);

/* Where the cursor is in the window, from 0 to 1. */
double rv_navigation_cursor_share(const struct rv_viewer *viewer);

/* Zoom or pan a window of time that counts from a start, and does not go before it. False: the action is another
 * one. */
bool rv_navigation_move_from_start(const struct rv_viewer *viewer, struct rv_time_window *time_window,
                                   const struct rv_act *act);

/* The time at such a place. */
uint64_t rv_navigation_time_at(const struct rv_viewer *viewer, double share);

#endif
