#include "window/debugger_content.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct content { /* data borrowed by a rv_debugger_panel */
    char name[RV_LANE_NAME_BYTES], about[RV_LANE_NAME_BYTES + 48], state[320];
    char places[RV_DEBUG_SESSION_FRAMES][288];
    char keys[RV_DEBUGGER_PANEL_BUTTONS][32];
    struct rv_debugger_panel_frame frames[RV_DEBUG_SESSION_FRAMES];
    struct rv_debugger_panel_line lines[RV_SOURCE_LINES_LINES];
    struct rv_debugger_panel_watch watches[RV_DEBUG_SESSION_WATCHES];
    struct rv_debugger_panel_break breaks[RV_DEBUG_SESSION_BREAKS];
};

static const struct {
    enum rv_action action;
    const char *label;
} BUTTONS[RV_DEBUGGER_PANEL_BUTTONS] = {{RV_ACTION_RUN_THREAD, "Run"},
                                        {RV_ACTION_STOP_THREAD, "Stop"},
                                        {RV_ACTION_NEXT_STATEMENT, "Next"},
                                        {RV_ACTION_STEP_STATEMENT, "Step"},
                                        {RV_ACTION_FINISH_CALL, "Finish"}};

static const char NO_DEBUGGER[] = "not started with a debugger: only threads of Perl and Ruby programs have one";

static void format_place(char *out, size_t out_bytes, const struct rv_debug_session_frame *frame)
{
    if (frame->file[0] && frame->line)
        (void)snprintf(out, out_bytes, "%s:%" PRIu32, frame->file, frame->line);
    else if (frame->line)
        (void)snprintf(out, out_bytes, "line %" PRIu32, frame->line);
    else
        (void)snprintf(out, out_bytes, "%s", frame->file);
}

static void format_state(struct content *it, const struct rv_viewer_debugger *debugger)
{
    static const char *const words[] = {
        [RV_DEBUG_SESSION_NOBODY] = "click a thread's name, or one of its calls, to debug it",
        [RV_DEBUG_SESSION_UNKNOWN] = "waiting for its state",
        [RV_DEBUG_SESSION_GONE] = "has ended",
        [RV_DEBUG_SESSION_UNSTEERED] = "runs without a debugger",
        [RV_DEBUG_SESSION_RUNNING] = "running",
        [RV_DEBUG_SESSION_STEPPING] = "running to its next stop",
        [RV_DEBUG_SESSION_STOPPED] = "stopped",
    };
    const struct rv_debug_session_report *report = &debugger->report;
    char place[288] = "";
    if (!debugger->debug_session) {
        (void)snprintf(it->state, sizeof it->state, "only a running program can be debugged: this capture has ended");
        return;
    }
    if (report->state == RV_DEBUG_SESSION_STOPPED && report->n_frames && !report->is_silent && !report->is_stale)
        format_place(place, sizeof place, &report->frames[0]);
    bool is_awaited = report->is_asked && report->state == RV_DEBUG_SESSION_RUNNING;
    (void)snprintf(it->state, sizeof it->state, "%s%s%s%s", words[report->state], place[0] ? " at " : "", place,
                   is_awaited ? ": no answer yet" : "");
}

static void format_thread(struct content *it, const struct rv_viewer *viewer)
{
    const struct rv_viewer_debugger *debugger = &viewer->debugger;
    const char *name = debugger->debug_session ? "Debugger" : "Debugger: no running program";
    (void)snprintf(it->name, sizeof it->name, "%s", name);
    if (!debugger->has_lane)
        return;
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, debugger->lane_idx);
    pthread_rwlock_wrlock(&lane->lock);
    (void)snprintf(it->name, sizeof it->name, "%s", lane->name);
    (void)snprintf(it->about, sizeof it->about, "%.40s %" PRIu32, lane->process_name, lane->pid);
    pthread_rwlock_unlock(&lane->lock);
    bool has_ring = debugger->report.state >= RV_DEBUG_SESSION_UNSTEERED;
    size_t n = strlen(it->about);
    if (has_ring)
        (void)snprintf(it->about + n, sizeof it->about - n, ", ring %" PRIu32, debugger->report.ring);
}

static const char *why_not(const struct rv_debug_session_report *report, enum rv_action action)
{
    switch (report->state) {
    case RV_DEBUG_SESSION_NOBODY:
    case RV_DEBUG_SESSION_UNKNOWN:
        return "its state is not known yet";
    case RV_DEBUG_SESSION_GONE:
        return "it has ended";
    case RV_DEBUG_SESSION_UNSTEERED:
        return NO_DEBUGGER;
    case RV_DEBUG_SESSION_RUNNING:
        return action == RV_ACTION_STOP_THREAD ? NULL : action == RV_ACTION_RUN_THREAD ? "it runs" : "stop it first";
    case RV_DEBUG_SESSION_STEPPING:
        return action == RV_ACTION_STOP_THREAD ? NULL : "it is running to its next stop";
    case RV_DEBUG_SESSION_STOPPED:
        return action == RV_ACTION_STOP_THREAD ? "it is stopped" : NULL;
    }
    return NULL;
}

static void fill_buttons(struct content *it, const struct rv_viewer_debugger *debugger, struct rv_debugger_panel *out)
{
    for (size_t i = 0; i < RV_DEBUGGER_PANEL_BUTTONS; i++) {
        enum rv_action action = BUTTONS[i].action;
        rv_key_bindings_text(action, it->keys[i], sizeof it->keys[i]);
        out->buttons[i] =
            (struct rv_debugger_panel_button){action, BUTTONS[i].label, it->keys[i], why_not(&debugger->report, action),
                                              rv_key_bindings_get(action)->words};
    }
}

static void fill_stack(struct content *it, const struct rv_viewer_debugger *debugger, struct rv_debugger_panel *out)
{
    const struct rv_debug_session_report *report = &debugger->report;
    bool has_stack = rv_viewer_debugger_has_stack(debugger);
    const struct rv_debug_session_frame *frames = has_stack ? report->frames : debugger->open;
    out->n_frames = has_stack ? report->n_frames : report->state == RV_DEBUG_SESSION_GONE ? 0 : debugger->n_open;
    for (size_t i = 0; i < out->n_frames; i++) {
        format_place(it->places[i], sizeof it->places[i], &frames[i]);
        it->frames[i] = (struct rv_debugger_panel_frame){frames[i].call, it->places[i],
                                                         frames[i].number == RV_DEBUG_SESSION_UNNUMBERED};
    }
    out->frames = it->frames;
    out->frame = has_stack ? report->frame : UINT32_MAX;
    if (!has_stack && out->n_frames)
        out->no_frames = report->state == RV_DEBUG_SESSION_UNSTEERED
                             ? "its open calls, with the places of their definitions:"
                             : "it does not answer now: its open calls, with the places of their definitions:";
    else if (!out->n_frames && report->state == RV_DEBUG_SESSION_UNSTEERED)
        out->no_frames = "no call is open";
}

static void fill_lines(struct content *it, const struct rv_debug_session_report *report, struct rv_debugger_panel *out)
{
    const struct rv_source_lines *listing = &report->listing;
    if (out->frame >= report->n_frames)
        return;
    for (uint32_t i = 0; i < listing->n; i++)
        it->lines[i] = (struct rv_debugger_panel_line){listing->first + i, listing->lines[i],
                                                       listing->first + i == report->frames[out->frame].line};
    out->lines = it->lines;
    out->n_lines = listing->n;
}

static void fill_queries(struct content *it, const struct rv_debug_session_report *report,
                         struct rv_debugger_panel *out)
{
    for (uint32_t i = 0; i < RV_DEBUG_SESSION_WATCHES; i++) {
        const struct rv_debug_session_watch *watch = &report->watches[i];
        if (watch->is_used)
            it->watches[out->n_watches++] = (struct rv_debugger_panel_watch){
                watch->expression, watch->has_value ? watch->value : NULL, i, watch->is_error};
    }
    for (uint32_t i = 0; i < report->n_breaks; i++)
        it->breaks[out->n_breaks++] =
            (struct rv_debugger_panel_break){report->breaks[i].where, report->breaks[i].number};
    out->watches = it->watches;
    out->breaks = it->breaks;
    out->expression = report->expression;
    out->value = report->value;
    out->is_value_error = report->is_value_error;
}

static const char *message_of(const struct rv_debug_session_report *report)
{
    if (report->why[0])
        return report->why;
    if (report->state == RV_DEBUG_SESSION_STOPPED && report->reason[0])
        return report->reason;
    return report->has_other_monitor ? "another monitor is debugging this program, possibly ringviz --control" : "";
}

void rv_debugger_content_show(struct rv_ui *ui, const struct rv_viewer *viewer, struct rv_debugger_panel_state *state,
                              struct rv_ui_acts *acts)
{
    struct content it = {.name = ""};
    const struct rv_viewer_debugger *debugger = &viewer->debugger;
    const struct rv_debug_session_report *report = &debugger->report;
    struct rv_debugger_panel shown = {
        .name = it.name,
        .about = it.about,
        .state = it.state,
        .message = "",
        .no_frames = "",
        .expression = "",
        .value = "",
        .has_buttons = debugger->debug_session && debugger->has_lane,
        .is_stopped = report->state == RV_DEBUG_SESSION_STOPPED,
        .is_steered = report->state >= RV_DEBUG_SESSION_RUNNING,
    };
    format_thread(&it, viewer);
    format_state(&it, debugger);
    if (shown.has_buttons) {
        fill_buttons(&it, debugger, &shown);
        fill_stack(&it, debugger, &shown);
        fill_lines(&it, report, &shown);
        fill_queries(&it, report, &shown);
        shown.message = message_of(report);
    }
    rv_debugger_panel_show(ui, &shown, state, acts);
}
