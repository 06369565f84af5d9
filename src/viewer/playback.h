/*
 * Playing what was captured: what the keys of the playhead and the time bar do to a viewer, and what time does. Main
 * thread.
 *
 * While capture goes on, the playhead is where the picture was frozen, or behind the present; when it comes to the
 * present it is off. When capture has ended it stays at the end.
 */
#ifndef RV_VIEWER_PLAYBACK_H
#define RV_VIEWER_PLAYBACK_H

#include "viewer/viewer.h"

/* The actions of the playhead. False for others. */
bool rv_playback_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Play from this time of the trace, with the window following. */
void rv_playback_start(struct rv_viewer *viewer, uint64_t from_ns);

/* Advance the playhead by dt_s, after the live edge was updated. Returns whether it has moved. */
bool rv_playback_advance(struct rv_viewer *viewer, double dt_s);

/* Something at this time is to be shown: move the playhead there if it is on, or only if it is earlier. */
void rv_playback_go(struct rv_viewer *viewer, uint64_t ns);
void rv_playback_reveal(struct rv_viewer *viewer, uint64_t ns);

#endif
