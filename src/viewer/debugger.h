/*
 * The thread that the user steers: which lane it is, what is known of it, and which lanes are stopped. Nothing here
 * waits for a thread: requests go to the session, and its reports are taken when there are any. Main thread.
 */
#ifndef RV_VIEWER_DEBUGGER_H
#define RV_VIEWER_DEBUGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/action.h"
#include "debugger/session.h"
#include "model/lanes.h"
#include "model/subroutines.h"

struct rv_viewer;

struct rv_viewer_debugger {                 /* zeroed = nothing that could be steered */
    struct rv_debug_session *debug_session; /* NULL = what is looked at is no program that is traced now */
    struct rv_debug_session_report report;
    bool has_lane;
    uint32_t lane_idx;                              /* of the chosen thread */
    uint32_t stopped[RV_DEBUG_SESSION_STOPPED_MAX]; /* lanes of threads that are stopped */
    uint32_t n_stopped;
    size_t n_lanes; /* that there were then */
    struct rv_debug_session_frame
        open[RV_DEBUG_SESSION_FRAMES]; /* its open calls, as the picture has them, innermost first */
    uint32_t n_open;
    uint64_t opened_ns; /* when they were looked up */
};

/* map: of the trace file of a program that may run; it outlives the debugging. NULL = nothing to steer. */
void rv_viewer_debugger_start(struct rv_viewer_debugger *debugger, struct rv_map *map);

/* What was stopped goes on; there is nothing to steer then. */
void rv_viewer_debugger_stop(struct rv_viewer_debugger *debugger);

/* Steer the thread of this lane from now on. */
void rv_viewer_debugger_choose(struct rv_viewer_debugger *debugger, struct rv_lanes *lanes, uint32_t lane_idx);

/* Take what is new; returns whether anything is. *has_other_stops: other lanes are stopped than before. */
bool rv_viewer_debugger_advance(struct rv_viewer_debugger *debugger, struct rv_lanes *lanes,
                                struct rv_subroutines *subroutines, bool *has_other_stops);

/* Does the thread itself say where it is? Else its open calls are all that is known. */
bool rv_viewer_debugger_has_stack(const struct rv_viewer_debugger *debugger);

/* Do an act that is about the thread that is steered. */
void rv_viewer_debugger_act(struct rv_viewer *viewer, const struct rv_act *act);

/* What a click chooses: the thread of the pinned call, or the one whose name is at the pointer, which opens the panel.
 */
void rv_viewer_debugger_click(struct rv_viewer *viewer);

#endif
