/* Brings a call into sight, wherever it is. Part of viewer/viewer.h. */
#ifndef RV_VIEWER_SHOW_CALL_H
#define RV_VIEWER_SHOW_CALL_H

#include "viewer/viewer.h"

/* Pin a call and show its lane; the window moves if the call is not in it, or too short or too long to be seen
 * there. */
void rv_viewer_show_call(struct rv_viewer *viewer, const struct rv_box *box, uint32_t lane_idx);

/*
 * Pin a call, show its lane where it is collapsed or hidden, bring its row into sight, and move the playhead behind it;
 * the window stays.
 */
void rv_viewer_pin_call(struct rv_viewer *viewer, const struct rv_box *box, uint32_t lane_idx);

/* Show a stretch of time, with as much before and behind it: for a call that is not in memory. */
void rv_viewer_show_time(struct rv_viewer *viewer, uint64_t from_ns, uint64_t to_ns);

/* Go to the innermost call of a lane around a time, else at its end; of one that is not in memory the time is shown. */
void rv_viewer_show_innermost(struct rv_viewer *viewer, uint32_t lane_idx, uint64_t from_ns, uint64_t to_ns);

/* The innermost call of a lane that has begun by from_ns and lasts until to_ns, of those in memory; false: none. */
bool rv_viewer_innermost_around(struct rv_lane *lane, uint64_t from_ns, uint64_t to_ns, struct rv_box *box);

#endif
