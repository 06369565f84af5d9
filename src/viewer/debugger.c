#include "viewer/debugger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/viewer.h"
#include "base/clock.h"
#include "base/err.h"

#define OPEN_NS 250000000u /* interval of looking up open calls */

void rv_viewer_debugger_start(struct rv_viewer_debugger *debugger, struct rv_map *map)
{
    debugger->debug_session = map ? rv_debug_session_start(map) : NULL;
}

void rv_viewer_debugger_stop(struct rv_viewer_debugger *debugger)
{
    rv_debug_session_stop(debugger->debug_session);
    *debugger = (struct rv_viewer_debugger){.debug_session = NULL};
}

void rv_viewer_debugger_choose(struct rv_viewer_debugger *debugger, struct rv_lanes *lanes, uint32_t lane_idx)
{
    if (!debugger->debug_session || lane_idx >= rv_lanes_n(lanes))
        return;
    const struct rv_lane *lane = rv_lanes_get(lanes, lane_idx);
    debugger->has_lane = true;
    debugger->lane_idx = lane_idx;
    debugger->n_open = 0;
    debugger->opened_ns = 0;
    rv_debug_session_choose(debugger->debug_session, (struct rv_debug_session_who){lane->pid, lane->tid});
}

/* ---- what is known ---- */

bool rv_viewer_debugger_has_stack(const struct rv_viewer_debugger *debugger)
{
    const struct rv_debug_session_report *report = &debugger->report;
    return report->n_frames && !report->is_silent && report->state != RV_DEBUG_SESSION_GONE;
}

static bool is_stopped(const struct rv_debug_session_report *report, struct rv_lane *lane)
{
    bool is_found = false;
    for (uint32_t i = 0; !is_found && i < report->n_named; i++)
        is_found = report->stopped[i].pid == lane->pid && report->stopped[i].tid == lane->tid;
    return is_found && !rv_lane_has_ended(lane); /* whose ids may have been reused */
}

static bool find_stopped(struct rv_viewer_debugger *debugger, struct rv_lanes *lanes)
{
    uint32_t before[RV_DEBUG_SESSION_STOPPED_MAX], n_before = debugger->n_stopped;
    memcpy(before, debugger->stopped, sizeof before);
    debugger->n_lanes = rv_lanes_n(lanes);
    debugger->n_stopped = 0;
    for (size_t i = 0; debugger->report.n_named && i < debugger->n_lanes; i++)
        if (debugger->n_stopped < RV_DEBUG_SESSION_STOPPED_MAX && is_stopped(&debugger->report, rv_lanes_get(lanes, i)))
            debugger->stopped[debugger->n_stopped++] = (uint32_t)i;
    return n_before != debugger->n_stopped || memcmp(before, debugger->stopped, n_before * sizeof *before) != 0;
}

static void name_open(struct rv_debug_session_frame *frame, struct rv_subroutines *subroutines, uint32_t id)
{
    struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    memset(frame, 0, sizeof *frame);
    rv_subroutine_full_name(&subroutine, frame->call, sizeof frame->call);
    (void)snprintf(frame->file, sizeof frame->file, "%s", subroutine.file);
    frame->line = subroutine.line;
}

/* Look names up after unlocking the lane. */
static bool find_open(struct rv_viewer_debugger *debugger, struct rv_lanes *lanes, struct rv_subroutines *subroutines)
{
    uint32_t ids[RV_DEBUG_SESSION_FRAMES], n = 0;
    struct rv_debug_session_frame before[RV_DEBUG_SESSION_FRAMES];
    uint32_t n_before = debugger->n_open;
    struct rv_lane *lane = rv_lanes_get(lanes, debugger->lane_idx);
    memcpy(before, debugger->open, sizeof before);
    pthread_rwlock_wrlock(&lane->lock);
    for (size_t i = lane->n_open; i > 0 && n < RV_DEBUG_SESSION_FRAMES; i--)
        ids[n++] = lane->open[i - 1].id;
    pthread_rwlock_unlock(&lane->lock);
    for (uint32_t i = 0; i < n; i++)
        name_open(&debugger->open[i], subroutines, ids[i]);
    debugger->n_open = n;
    return n != n_before || memcmp(before, debugger->open, n * sizeof *before) != 0;
}

bool rv_viewer_debugger_advance(struct rv_viewer_debugger *debugger, struct rv_lanes *lanes,
                                struct rv_subroutines *subroutines, bool *has_other_stops)
{
    uint64_t now_ns = rv_clock_mono_ns();
    *has_other_stops = false;
    if (!debugger->debug_session)
        return false;
    bool is_new = rv_debug_session_report(debugger->debug_session, &debugger->report);
    if (is_new || (debugger->report.n_named && rv_lanes_n(lanes) != debugger->n_lanes))
        *has_other_stops = find_stopped(debugger, lanes);
    if (debugger->has_lane && !rv_viewer_debugger_has_stack(debugger) && now_ns - debugger->opened_ns >= OPEN_NS) {
        debugger->opened_ns = now_ns;
        is_new |= find_open(debugger, lanes, subroutines);
    }
    return is_new || *has_other_stops;
}

/* ---- what the user does ---- */

void rv_viewer_debugger_click(struct rv_viewer *viewer)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    uint32_t lane_idx;
    if (!viewer->debugger.debug_session)
        return;
    if (hover->is_pinned) {
        rv_viewer_debugger_choose(&viewer->debugger, viewer->lanes, hover->lane_idx);
    } else if (rv_viewer_find_lane(viewer, &lane_idx) &&
               rv_scene_share_at(viewer->scene, (double)viewer->pointer.at_px[0], (double)viewer->pointer.at_px[1]) <
                   0.0) {
        rv_viewer_debugger_choose(&viewer->debugger, viewer->lanes, lane_idx);
        viewer->panels.has_debugger_panel = true;
    }
}

/* Where no thread is chosen, choose the one under the cursor, or the only one. */
static void choose_some(struct rv_viewer *viewer)
{
    uint32_t lane_idx = 0;
    if (viewer->debugger.has_lane || !viewer->lanes)
        return;
    if (rv_viewer_find_lane(viewer, &lane_idx) || rv_lanes_n(viewer->lanes) == 1)
        rv_viewer_debugger_choose(&viewer->debugger, viewer->lanes, lane_idx);
}

static void order(struct rv_viewer *viewer, enum rv_debug_session_order_kind kind, const struct rv_act *act)
{
    struct rv_debug_session_order order = {.kind = kind, .idx = act->idx};
    choose_some(viewer);
    viewer->panels.has_debugger_panel = true;
    if (!viewer->debugger.debug_session || !viewer->debugger.has_lane)
        return;
    (void)snprintf(order.text, sizeof order.text, "%s", act->text ? act->text : "");
    (void)rv_debug_session_order(viewer->debugger.debug_session,
                                 &order); /* fails if the queue is full: the user is faster than the program */
}

void rv_viewer_debugger_trace(struct rv_viewer *viewer, const struct rv_act *act)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    if (!viewer->debugger.debug_session || (!act->idx && !hover->is_on))
        return;
    const struct rv_subroutine subroutine =
        rv_subroutines_get(viewer->subroutines, act->idx ? act->idx : hover->box.id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    (void)rv_debug_session_trace(viewer->debugger.debug_session, full,
                                 act->action == RV_ACTION_TRACE); /* as rv_debug_session_order() */
    free(full);
}

bool rv_viewer_debugger_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_DEBUGGER:
        viewer->panels.has_debugger_panel = !viewer->panels.has_debugger_panel;
        if (viewer->panels.has_debugger_panel)
            choose_some(viewer);
        break;
    case RV_ACTION_RUN_THREAD:
        order(viewer, RV_DEBUG_SESSION_RUN, act);
        break;
    case RV_ACTION_STOP_THREAD:
        order(viewer, RV_DEBUG_SESSION_STOP, act);
        break;
    case RV_ACTION_NEXT_STATEMENT:
        order(viewer, RV_DEBUG_SESSION_NEXT, act);
        break;
    case RV_ACTION_STEP_STATEMENT:
        order(viewer, RV_DEBUG_SESSION_STEP, act);
        break;
    case RV_ACTION_FINISH_CALL:
        order(viewer, RV_DEBUG_SESSION_FINISH, act);
        break;
    case RV_ACTION_WATCH:
        order(viewer, RV_DEBUG_SESSION_WATCH, act);
        break;
    case RV_ACTION_UNWATCH:
        order(viewer, RV_DEBUG_SESSION_UNWATCH, act);
        break;
    case RV_ACTION_BREAK:
        order(viewer, RV_DEBUG_SESSION_BREAK, act);
        break;
    case RV_ACTION_UNBREAK:
        order(viewer, RV_DEBUG_SESSION_UNBREAK, act);
        break;
    case RV_ACTION_EVALUATE:
        order(viewer, RV_DEBUG_SESSION_EVAL, act);
        break;
    case RV_ACTION_LOOK_AT_FRAME:
        if (viewer->debugger.debug_session)
            rv_debug_session_look_at(viewer->debugger.debug_session, act->idx);
        break;
    default:
        return false;
    }
    return true;
}
