#include "viewer/navigation.h"

#include <math.h>

#include "viewer/playback.h"
#include "viewer/time_input.h"
#include "base/clock.h"
#include "model/busy_range.h"

#define ZOOM_STEP 0.85
#define PAN_STEP 0.08

double rv_navigation_cursor_share(const struct rv_viewer *viewer)
{
    if (!viewer->scene)
        return 0.5;
    const float *at_px = viewer->pointer.at_px;
    return fmin(fmax(rv_scene_share_at(viewer->scene, (double)at_px[0], (double)at_px[1]), 0.0), 1.0);
}

static void zoom(struct rv_viewer *viewer, double factor)
{
    rv_time_window_zoom(&viewer->time_window, rv_navigation_cursor_share(viewer), factor);
    rv_viewer_touch(viewer);
}

static void pan(struct rv_viewer *viewer, double share)
{
    rv_time_window_pan(&viewer->time_window, share);
    rv_viewer_touch(viewer);
}

/* A picture that stands still during the capture falls behind. */
static void follow(struct rv_viewer *viewer)
{
    if (!viewer->live_edge.is_done && !viewer->playhead.is_playing)
        rv_playback_act(viewer, &(struct rv_act){.action = RV_ACTION_END});
    rv_time_window_follow(&viewer->time_window, viewer->live_edge.now_ns);
    rv_viewer_touch(viewer);
}

static void show_quietly(struct rv_viewer *viewer, uint64_t from_ns, uint64_t to_ns)
{
    viewer->time_window.is_following = false;
    rv_time_window_set(&viewer->time_window, from_ns, to_ns);
    viewer->is_dirty = true;
}

/* Where the calls are; everything, if that is shown already. */
static void fit_all(struct rv_viewer *viewer)
{
    const struct rv_live_edge *live_edge = &viewer->live_edge;
    uint64_t to_ns = live_edge->last_ns > live_edge->first_ns ? live_edge->last_ns : live_edge->now_ns;
    uint64_t from_ns = live_edge->first_ns, busy_ns[2], shown_ns[2];
    rv_time_window_get(&viewer->time_window, &shown_ns[0], &shown_ns[1]);
    bool is_known = viewer->lanes && rv_busy_range(viewer->lanes, &busy_ns[0], &busy_ns[1]);
    if (is_known && (busy_ns[0] != shown_ns[0] || busy_ns[1] != shown_ns[1])) {
        from_ns = busy_ns[0];
        to_ns = busy_ns[1];
    }
    show_quietly(viewer, from_ns, to_ns);
}

void rv_navigation_show_whole(struct rv_viewer *viewer)
{
    const struct rv_live_edge *live_edge = &viewer->live_edge;
    uint64_t from_ns = live_edge->first_ns + viewer->at_ns;
    if (viewer->has_at)
        show_quietly(viewer, from_ns,
                     viewer->has_width              ? from_ns + (uint64_t)viewer->time_window.window_ns
                     : live_edge->last_ns > from_ns ? live_edge->last_ns
                                                    : from_ns + 1);
    else if (!viewer->has_width)
        fit_all(viewer);
}

static bool focus(struct rv_viewer *viewer)
{
    uint64_t from_ns, to_ns;
    if (!rv_hover_window(&viewer->pointer.hover, &from_ns, &to_ns))
        return false;
    viewer->time_window.is_following = false;
    rv_time_window_set(&viewer->time_window, from_ns, to_ns);
    rv_time_window_get(&viewer->time_window, &viewer->focus.from_ns, &viewer->focus.to_ns);
    rv_viewer_touch(viewer);
    return true;
}

/* Focus the call; fit everything if there is none or it fills the window already. */
static void focus_or_fit(struct rv_viewer *viewer)
{
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    bool is_focused = from_ns == viewer->focus.from_ns && to_ns == viewer->focus.to_ns;
    if (is_focused || !focus(viewer))
        fit_all(viewer);
    rv_viewer_touch(viewer);
}

static void show(struct rv_viewer *viewer, uint64_t from_ns, uint64_t to_ns)
{
    viewer->time_window.is_following = false;
    rv_time_window_set(&viewer->time_window, from_ns, to_ns);
    rv_viewer_touch(viewer);
}

uint64_t rv_navigation_time_at(const struct rv_viewer *viewer, double share)
{
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    return from_ns + (uint64_t)(share * (double)(to_ns - from_ns));
}

void rv_navigation_center(struct rv_viewer *viewer, uint64_t ns)
{
    uint64_t width_ns = (uint64_t)viewer->time_window.window_ns, from_ns = ns > width_ns / 2 ? ns - width_ns / 2 : 0;
    show(viewer, from_ns, from_ns + width_ns);
}

/* Live, the window follows the newest event. */
static struct rv_time_input_context times_of(const struct rv_viewer *viewer)
{
    const struct rv_live_edge *live_edge = &viewer->live_edge;
    return (struct rv_time_input_context){live_edge->first_ns, live_edge->now_ns, rv_navigation_time_at(viewer, 0.5)};
}

static void go_to(struct rv_viewer *viewer, const char *text)
{
    const struct rv_time_input_context times = times_of(viewer);
    uint64_t ns;
    viewer->panels.has_select = false;
    viewer->panels.has_go_to = !text || rv_time_input_parse(text, &times, &ns) != 0;
    viewer->panels.is_entry_wrong = text && viewer->panels.has_go_to;
    if (!viewer->panels.has_go_to) {
        rv_navigation_center(viewer, ns);
        rv_playback_go(viewer, ns);
    }
}

static void select_between(struct rv_viewer *viewer, const char *text)
{
    const struct rv_time_input_context times = times_of(viewer);
    uint64_t range_ns[2];
    viewer->panels.has_go_to = false;
    viewer->panels.has_select = !text || rv_time_input_parse_range(text, &times, range_ns) != 0;
    viewer->panels.is_entry_wrong = text && viewer->panels.has_select;
    if (!viewer->panels.has_select)
        rv_viewer_statistics_select(viewer, &(struct rv_range_ns){range_ns[0], range_ns[1]}, true);
    rv_viewer_point(viewer);
}

char *rv_navigation_offer_range(const struct rv_viewer *viewer, char *out, size_t out_bytes)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    uint64_t range_ns[2] = {hover->box.start_ns, rv_box_end_ns(&hover->box)};
    if (!hover->is_pinned)
        rv_time_window_get(&viewer->time_window, &range_ns[0], &range_ns[1]);
    return rv_time_input_format_range(range_ns, viewer->live_edge.first_ns, out, out_bytes);
}

static struct rv_view_history_place place_of(const struct rv_viewer *viewer)
{
    struct rv_view_history_place place = {.is_following = viewer->time_window.is_following};
    rv_time_window_get(&viewer->time_window, &place.from_ns, &place.to_ns);
    return place;
}

static void travel(struct rv_viewer *viewer, bool is_back)
{
    struct rv_view_history_place place = place_of(viewer);
    if (!(is_back ? rv_view_history_back : rv_view_history_forward)(&viewer->history, &place))
        return;
    viewer->time_window.is_following = false;
    rv_time_window_set(&viewer->time_window, place.from_ns, place.to_ns);
    if (place.is_following)
        rv_time_window_follow(&viewer->time_window, viewer->live_edge.now_ns);
    rv_viewer_touch(viewer);
}

/* Actions before which the history stores the window. */
static bool moves_window(const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_ZOOM_IN:
    case RV_ACTION_ZOOM_OUT:
    case RV_ACTION_ZOOM:
    case RV_ACTION_PAN_LEFT:
    case RV_ACTION_PAN_RIGHT:
    case RV_ACTION_PAN:
    case RV_ACTION_SHOW:
    case RV_ACTION_NEXT_MARK:
    case RV_ACTION_FOLLOW:
    case RV_ACTION_START:
    case RV_ACTION_END:
    case RV_ACTION_FOCUS:
    case RV_ACTION_FOCUS_OR_FIT:
    case RV_ACTION_SHOW_WAKER:
    case RV_ACTION_SHOW_FLOW:
    case RV_ACTION_NEXT_HIT:
    case RV_ACTION_PREVIOUS_HIT:
    case RV_ACTION_LONGEST_CALL:
    case RV_ACTION_LONGER_CALL:
    case RV_ACTION_FIRST_CALL:
    case RV_ACTION_NEXT_CALL:
    case RV_ACTION_PREVIOUS_CALL:
    case RV_ACTION_SHOW_CALL:
        return true;
    case RV_ACTION_GO_TO:
        return act->text;
    default:
        return false;
    }
}

void rv_navigation_note(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_view_history_place place = place_of(viewer);
    if (moves_window(act))
        rv_view_history_note(&viewer->history, &place, rv_clock_mono_ns());
}

/* How far an action zooms, or pans; 0: it does not. */
static double zoom_of(const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_ZOOM_IN:
        return ZOOM_STEP;
    case RV_ACTION_ZOOM_OUT:
        return 1.0 / ZOOM_STEP;
    case RV_ACTION_ZOOM:
        return act->amount;
    default:
        return 0.0;
    }
}

static double pan_of(const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_PAN_LEFT:
        return -PAN_STEP;
    case RV_ACTION_PAN_RIGHT:
        return PAN_STEP;
    case RV_ACTION_PAN:
        return act->amount;
    default:
        return 0.0;
    }
}

bool rv_navigation_move_from_start(const struct rv_viewer *viewer, struct rv_time_window *time_window,
                                   const struct rv_act *act)
{
    const double zoom_by = zoom_of(act), pan_by = pan_of(act);
    if (zoom_by > 0.0)
        rv_time_window_zoom(time_window, rv_navigation_cursor_share(viewer), zoom_by);
    rv_time_window_pan(time_window, pan_by);
    if (time_window->from_ns < 0)
        rv_time_window_pan(time_window, -(double)time_window->from_ns / time_window->window_ns);
    return zoom_by > 0.0 || pan_by != 0.0;
}

bool rv_navigation_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_ZOOM_IN:
    case RV_ACTION_ZOOM_OUT:
    case RV_ACTION_ZOOM:
        zoom(viewer, zoom_of(act));
        return true;
    case RV_ACTION_PAN_LEFT:
    case RV_ACTION_PAN_RIGHT:
    case RV_ACTION_PAN:
        pan(viewer, pan_of(act));
        return true;
    case RV_ACTION_GLIDE:
        rv_time_window_glide(&viewer->time_window, act->amount);
        return true;
    case RV_ACTION_SHOW:
        show(viewer, act->from_ns, act->to_ns);
        return true;
    case RV_ACTION_GO_TO:
        go_to(viewer, act->text);
        return true;
    case RV_ACTION_SELECT_BETWEEN:
        select_between(viewer, act->text);
        return true;
    case RV_ACTION_BACK:
        travel(viewer, true);
        return true;
    case RV_ACTION_FORWARD:
        travel(viewer, false);
        return true;
    case RV_ACTION_FOLLOW:
        follow(viewer);
        return true;
    case RV_ACTION_FOCUS_OR_FIT:
        focus_or_fit(viewer);
        return true;
    case RV_ACTION_FOCUS:
        (void)focus(viewer);
        return true;
    default:
        return false;
    }
}
