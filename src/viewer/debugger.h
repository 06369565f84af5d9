/*
 * Debugging in a viewer: the chosen lane, its state, and which lanes are stopped. Never waits for a thread: requests go
 * to the session, whose reports are polled. Main thread.
 */
#ifndef RV_VIEWER_DEBUGGER_H
#define RV_VIEWER_DEBUGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/key_bindings.h"
#include "debugger/session.h"
#include "model/lanes.h"
#include "model/subroutines.h"

struct rv_viewer;

struct rv_viewer_debugger {                 /* zeroed = no debugging */
    struct rv_debug_session *debug_session; /* NULL = not a live program */
    struct rv_debug_session_report report;
    bool has_lane;
    uint32_t lane_idx;                              /* of the chosen thread */
    uint32_t stopped[RV_DEBUG_SESSION_STOPPED_MAX]; /* lanes of threads that are stopped */
    uint32_t n_stopped;
    size_t n_lanes;                                              /* number of lanes at that time */
    struct rv_debug_session_frame open[RV_DEBUG_SESSION_FRAMES]; /* its open calls in the model, innermost first */
    uint32_t n_open;
    uint64_t opened_ns; /* time of that lookup */
};

/* map: the live trace file, which outlives the debugging; NULL = no debugging. */
void rv_viewer_debugger_start(struct rv_viewer_debugger *debugger, struct rv_map *map);

/* End debugging; stopped threads resume. */
void rv_viewer_debugger_stop(struct rv_viewer_debugger *debugger);

/* Choose the thread of this lane. */
void rv_viewer_debugger_choose(struct rv_viewer_debugger *debugger, struct rv_lanes *lanes, uint32_t lane_idx);

/* Poll the report. Returns whether it has changed; *has_other_stops: whether the set of stopped lanes has. */
bool rv_viewer_debugger_advance(struct rv_viewer_debugger *debugger, struct rv_lanes *lanes,
                                struct rv_subroutines *subroutines, bool *has_other_stops);

/* Does the thread report its stack itself? Otherwise only its open calls are known. */
bool rv_viewer_debugger_has_stack(const struct rv_viewer_debugger *debugger);

/* Perform an action on the debugged thread. False for other actions. */
bool rv_viewer_debugger_act(struct rv_viewer *viewer, const struct rv_act *act);

/* RV_ACTION_TRACE, RV_ACTION_UNTRACE: have calls of a subroutine traced, or not any more. */
void rv_viewer_debugger_trace(struct rv_viewer *viewer, const struct rv_act *act);

/* A click chooses the thread of the pinned call, or opens the panel for the thread whose name is under the pointer.
 */
void rv_viewer_debugger_click(struct rv_viewer *viewer);

#endif
