#include "viewer/debugger.h"

#include <stdio.h>
#include <string.h>

#include "viewer/viewer.h"
#include "base/clock.h"
#include "base/err.h"

#define OPEN_NS 250000000u /* how often open calls are looked up */

void rv_debugging_start(struct rv_debugging *debugging, struct rv_map *map)
{
    debugging->pilot = map ? rv_pilot_start(map) : NULL;
}

void rv_debugging_stop(struct rv_debugging *debugging)
{
    rv_pilot_stop(debugging->pilot);
    *debugging = (struct rv_debugging){.pilot = NULL};
}

void rv_debugging_choose(struct rv_debugging *debugging, struct rv_lanes *lanes, uint32_t lane_idx)
{
    if (!debugging->pilot || lane_idx >= rv_lanes_n(lanes))
        return;
    const struct rv_lane *lane = rv_lanes_get(lanes, lane_idx);
    debugging->has_lane = true;
    debugging->lane_idx = lane_idx;
    debugging->n_open = 0;
    debugging->opened_ns = 0;
    rv_pilot_choose(debugging->pilot, (struct rv_pilot_who){lane->pid, lane->tid});
}

/* ---- what is known ---- */

bool rv_debugging_has_stack(const struct rv_debugging *debugging)
{
    const struct rv_pilot_report *report = &debugging->report;
    return report->n_frames && !report->is_silent && report->state != RV_PILOT_GONE;
}

static bool is_stopped(const struct rv_pilot_report *report, struct rv_lane *lane)
{
    bool is_found = false;
    for (uint32_t i = 0; !is_found && i < report->n_named; i++)
        is_found = report->stopped[i].pid == lane->pid && report->stopped[i].tid == lane->tid;
    if (!is_found)
        return false;
    pthread_mutex_lock(&lane->lock);
    is_found = !lane->has_ended; /* its ids may be another's by now */
    pthread_mutex_unlock(&lane->lock);
    return is_found;
}

static bool find_stopped(struct rv_debugging *debugging, struct rv_lanes *lanes)
{
    uint32_t before[RV_PILOT_STOPPED_MAX], n_before = debugging->n_stopped;
    memcpy(before, debugging->stopped, sizeof before);
    debugging->n_lanes = rv_lanes_n(lanes);
    debugging->n_stopped = 0;
    for (size_t i = 0; debugging->report.n_named && i < debugging->n_lanes; i++)
        if (debugging->n_stopped < RV_PILOT_STOPPED_MAX && is_stopped(&debugging->report, rv_lanes_get(lanes, i)))
            debugging->stopped[debugging->n_stopped++] = (uint32_t)i;
    return n_before != debugging->n_stopped || memcmp(before, debugging->stopped, n_before * sizeof *before) != 0;
}

static void name_open(struct rv_pilot_frame *frame, struct rv_subroutines *subroutines, uint32_t id)
{
    struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    memset(frame, 0, sizeof *frame);
    rv_subroutine_full_name(&subroutine, frame->call, sizeof frame->call);
    (void)snprintf(frame->file, sizeof frame->file, "%s", subroutine.file);
    frame->line = subroutine.line;
}

/* Names are looked up when the lane is free again. */
static bool find_open(struct rv_debugging *debugging, struct rv_lanes *lanes, struct rv_subroutines *subroutines)
{
    uint32_t ids[RV_PILOT_FRAMES], n = 0;
    struct rv_pilot_frame before[RV_PILOT_FRAMES];
    uint32_t n_before = debugging->n_open;
    struct rv_lane *lane = rv_lanes_get(lanes, debugging->lane_idx);
    memcpy(before, debugging->open, sizeof before);
    pthread_mutex_lock(&lane->lock);
    for (size_t i = lane->n_open; i > 0 && n < RV_PILOT_FRAMES; i--)
        ids[n++] = lane->open[i - 1].id;
    pthread_mutex_unlock(&lane->lock);
    for (uint32_t i = 0; i < n; i++)
        name_open(&debugging->open[i], subroutines, ids[i]);
    debugging->n_open = n;
    return n != n_before || memcmp(before, debugging->open, n * sizeof *before) != 0;
}

bool rv_debugging_advance(struct rv_debugging *debugging, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                          bool *has_other_stops)
{
    uint64_t now_ns = rv_clock_mono_ns();
    *has_other_stops = false;
    if (!debugging->pilot)
        return false;
    bool is_new = rv_pilot_report(debugging->pilot, &debugging->report);
    if (is_new || (debugging->report.n_named && rv_lanes_n(lanes) != debugging->n_lanes))
        *has_other_stops = find_stopped(debugging, lanes);
    if (debugging->has_lane && !rv_debugging_has_stack(debugging) && now_ns - debugging->opened_ns >= OPEN_NS) {
        debugging->opened_ns = now_ns;
        is_new |= find_open(debugging, lanes, subroutines);
    }
    return is_new || *has_other_stops;
}

/* ---- what the user does ---- */

void rv_debugging_click(struct rv_viewer *viewer)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    uint32_t lane_idx;
    if (!viewer->debugging.pilot)
        return;
    if (hover->is_pinned) {
        rv_debugging_choose(&viewer->debugging, viewer->lanes, hover->lane_idx);
    } else if (rv_viewer_find_lane(viewer, &lane_idx) &&
               rv_scene_share_at(viewer->scene, (double)viewer->pointer.at_px[0], (double)viewer->pointer.at_px[1]) <
                   0.0) {
        rv_debugging_choose(&viewer->debugging, viewer->lanes, lane_idx);
        viewer->panels.has_cockpit = true;
    }
}

/* Who has chosen no thread means the one under the pointer, or the only one. */
static void choose_some(struct rv_viewer *viewer)
{
    uint32_t lane_idx = 0;
    if (viewer->debugging.has_lane || !viewer->lanes)
        return;
    if (rv_viewer_find_lane(viewer, &lane_idx) || rv_lanes_n(viewer->lanes) == 1)
        rv_debugging_choose(&viewer->debugging, viewer->lanes, lane_idx);
}

static void order(struct rv_viewer *viewer, enum rv_pilot_order_kind kind, const struct rv_act *act)
{
    struct rv_pilot_order order = {.kind = kind, .idx = act->idx};
    choose_some(viewer);
    viewer->panels.has_cockpit = true;
    if (!viewer->debugging.pilot || !viewer->debugging.has_lane)
        return;
    (void)snprintf(order.text, sizeof order.text, "%s", act->text ? act->text : "");
    (void)rv_pilot_order(viewer->debugging.pilot, &order); /* more than it takes: the user is faster than the program */
}

void rv_debugging_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_DEBUGGER:
        viewer->panels.has_cockpit = !viewer->panels.has_cockpit;
        if (viewer->panels.has_cockpit)
            choose_some(viewer);
        break;
    case RV_ACTION_RUN_THREAD:
        order(viewer, RV_PILOT_RUN, act);
        break;
    case RV_ACTION_STOP_THREAD:
        order(viewer, RV_PILOT_STOP, act);
        break;
    case RV_ACTION_NEXT_STATEMENT:
        order(viewer, RV_PILOT_NEXT, act);
        break;
    case RV_ACTION_STEP_STATEMENT:
        order(viewer, RV_PILOT_STEP, act);
        break;
    case RV_ACTION_FINISH_CALL:
        order(viewer, RV_PILOT_FINISH, act);
        break;
    case RV_ACTION_WATCH:
        order(viewer, RV_PILOT_WATCH, act);
        break;
    case RV_ACTION_UNWATCH:
        order(viewer, RV_PILOT_UNWATCH, act);
        break;
    case RV_ACTION_BREAK:
        order(viewer, RV_PILOT_BREAK, act);
        break;
    case RV_ACTION_UNBREAK:
        order(viewer, RV_PILOT_UNBREAK, act);
        break;
    case RV_ACTION_EVALUATE:
        order(viewer, RV_PILOT_EVAL, act);
        break;
    case RV_ACTION_LOOK_AT_FRAME:
        if (viewer->debugging.pilot)
            rv_pilot_look_at(viewer->debugging.pilot, act->idx);
        break;
    }
}
