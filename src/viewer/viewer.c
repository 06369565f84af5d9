#include "viewer/viewer.h"

#include <math.h>

#include "viewer/call_cursor.h"
#include "viewer/filter_actions.h"
#include "viewer/lane_actions.h"
#include "viewer/navigation.h"
#include "viewer/search.h"
#include "viewer/show_call.h"
#include "viewer/playback.h"
#include "ui/settings_panel.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"

#define SWITCH_NS 200000000u /* transition from one view to another */
#define SETTLE_NS 200000000u
#define ROW_STEP 1.5 /* of the height of rows */
#define ROW_SCALE_MIN 0.25
#define ROW_SCALE_MAX 1000.0 /* rows of a lane of 100,000 levels can be read */
#define ROW_READABLE 16.0    /* points */
#define PAGE_SHARE 0.8
#define LANE_POINTS 12.0    /* of dragging, that scroll past a lane in depth */
#define ORBIT_SIDE_MAX 1.1f /* radians to either side of the view's own direction, down and up */
#define ORBIT_DOWN_MAX 0.35f
#define ORBIT_UP_MAX 0.9f
#define ORBIT_STEP 0.1 /* of a key */

bool rv_viewer_shows_rows(const struct rv_viewer *viewer)
{
    return rv_view_mode_get(viewer->look.shown)->has_rows;
}

bool rv_viewer_counts_from_start(const struct rv_viewer *viewer)
{
    return rv_viewer_calls_view_is_shown(viewer) ||
           (rv_viewer_tasks_view_is_shown(viewer) && viewer->tasks_view.is_aligned);
}

const char *rv_viewer_caption(struct rv_viewer *viewer, const struct rv_view *view)
{
    if (rv_viewer_calls_view_is_shown(viewer))
        return rv_viewer_calls_view_caption(viewer);
    return rv_viewer_tasks_view_is_shown(viewer) ? rv_viewer_tasks_view_caption(viewer, view) : NULL;
}

void rv_viewer_touch(struct rv_viewer *viewer)
{
    viewer->is_dirty = viewer->is_touched = true;
    viewer->input_ns = rv_clock_mono_ns();
}

void rv_viewer_point(struct rv_viewer *viewer)
{
    viewer->is_dirty = true;
    viewer->input_ns = rv_clock_mono_ns();
}

/* Lanes behind each other, of which there are too many. */
static void pass_lanes(struct rv_viewer *viewer, double n_lanes)
{
    const struct rv_view *view = viewer->view;
    const double most = view ? (double)(view->n_in_front + view->n_behind) : 0.0;
    const double first_lane = fmin(fmax(viewer->look.first_lane + n_lanes, 0.0), most);
    if (first_lane == viewer->look.first_lane)
        return;
    viewer->look.first_lane = first_lane;
    rv_viewer_touch(viewer);
}

static void scroll(struct rv_viewer *viewer, double points)
{
    viewer->look.awaited.is_on = false;
    if (rv_view_mode_get(viewer->look.shown)->most_lanes) {
        pass_lanes(viewer, points / LANE_POINTS);
        return;
    }
    double range[2] = {0.0, 0.0};
    if (viewer->scene)
        rv_scene_scroll_range(viewer->scene, range);
    if (range[1] > range[0])
        viewer->look.scroll = fmin(fmax(viewer->look.scroll + points, range[0]), range[1]);
    rv_viewer_touch(viewer);
}

/* What is in the middle stays there as far as rows are as high as the picture's. Tips above the first lane grow upwards. */
static void scale_rows(struct rv_viewer *viewer, double factor)
{
    double before = viewer->look.row_scale > 0.0 ? viewer->look.row_scale : 1.0;
    double after = fmin(fmax(before * factor, ROW_SCALE_MIN), ROW_SCALE_MAX), growth = after / before;
    double middle = viewer->scene ? 0.5 * rv_scene_page_height(viewer->scene) : 0.0, range[2] = {0.0, 0.0};
    if (viewer->scene)
        rv_scene_scroll_range(viewer->scene, range);
    viewer->look.row_scale = after;
    viewer->look.scroll = range[0] < 0.0 ? fmin((viewer->look.scroll - middle) * growth + middle, range[1] * growth)
                                         : fmax((viewer->look.scroll + middle) * growth - middle, 0.0);
    rv_viewer_touch(viewer);
}

static void page(struct rv_viewer *viewer, double pages)
{
    const uint32_t most_lanes = rv_view_mode_get(viewer->look.shown)->most_lanes;
    if (most_lanes)
        pass_lanes(viewer, pages * PAGE_SHARE * most_lanes);
    else if (viewer->scene)
        scroll(viewer, pages * PAGE_SHARE * rv_scene_page_height(viewer->scene));
}

bool rv_viewer_find_lane(const struct rv_viewer *viewer, uint32_t *lane_idx)
{
    const float *at_px = viewer->pointer.at_px;
    if (!viewer->scene || !viewer->view)
        return false;
    size_t lane = rv_scene_lane_at(viewer->scene, (double)at_px[0], (double)at_px[1]);
    if (lane >= viewer->view->n_lanes || viewer->view->lanes[lane].object)
        return false;
    *lane_idx = viewer->view->lanes[lane].lane_idx;
    return true;
}

/* The lane is not in the view: put it in the middle, if there are too many. */
static void pass_lanes_to(struct rv_viewer *viewer, uint32_t lane_idx)
{
    const uint32_t most_lanes = rv_view_mode_get(viewer->look.shown)->most_lanes;
    const size_t place = rv_lane_choices_place(&viewer->lane_order, lane_idx);
    if (viewer->view->n_in_front + viewer->view->n_behind && most_lanes && place != SIZE_MAX)
        pass_lanes(viewer, (double)place - 0.5 * most_lanes - viewer->look.first_lane);
}

/* False if the lane is not in the view. */
static bool scroll_in_view(struct rv_viewer *viewer, uint32_t lane_idx, uint32_t depth)
{
    const struct rv_view *view = viewer->view;
    for (uint32_t i = 0; view && i < view->n_lanes; i++)
        if (view->lanes[i].lane_idx == lane_idx) {
            const struct rv_scene_place place = {.lane = i, .depth = depth};
            scroll(viewer, viewer->scene ? rv_scene_scroll_to(viewer->scene, &place) : 0.0);
            return true;
        }
    return false;
}

void rv_viewer_scroll_to(struct rv_viewer *viewer, uint32_t lane_idx, uint32_t depth)
{
    if (!viewer->view || lane_idx >= viewer->lane_order.n_lanes || scroll_in_view(viewer, lane_idx, depth))
        return;
    viewer->look.awaited = (struct rv_viewer_row){.is_on = true, .lane_idx = lane_idx, .depth = depth};
    pass_lanes_to(viewer, lane_idx);
}

static uint32_t deepest_in(const struct rv_view *view, const struct rv_view_lane *lane)
{
    uint32_t depth = 0;
    for (size_t i = lane->first_box; i < (size_t)lane->first_box + lane->n_boxes; i++)
        depth = view->boxes[i].depth > depth ? view->boxes[i].depth : depth;
    return depth;
}

/* In the lane under the cursor, else the first: bring its deepest call in view, or its outermost, into sight, in rows
 * that can be read. The rows grow once they have been drawn as high as they are asked for, and the scroll follows. */
static void go_to_depth(struct rv_viewer *viewer, bool is_deepest)
{
    uint32_t lane_idx = 0, i = 0;
    const struct rv_view *view = viewer->view;
    if (!viewer->scene || !view || !view->n_lanes || rv_scene_page_height(viewer->scene) <= 0.0)
        return;
    if (!rv_viewer_find_lane(viewer, &lane_idx))
        lane_idx = view->lanes[0].lane_idx;
    while (view->lanes[i].lane_idx != lane_idx)
        i++;
    viewer->look.awaited =
        (struct rv_viewer_row){true, true, lane_idx, is_deepest ? deepest_in(view, &view->lanes[i]) : 0};
    rv_viewer_touch(viewer);
}

/* Make the lane's rows, drawn as high as they were asked for, so high that they can be read. False if they are, or get no
 * higher. */
static bool grow_rows(struct rv_viewer *viewer, uint32_t lane_idx)
{
    const struct rv_view *view = viewer->view;
    const double before = viewer->look.row_scale;
    uint32_t i = 0;
    while (i < view->n_lanes && view->lanes[i].lane_idx != lane_idx)
        i++;
    const double height = rv_scene_row_height(viewer->scene, i);
    if (height > 0.0 && height < 0.99 * ROW_READABLE)
        scale_rows(viewer, ROW_READABLE / height);
    return viewer->look.row_scale != before;
}

void rv_viewer_drawn_rows(struct rv_viewer *viewer, double row_scale)
{
    const struct rv_viewer_row awaited = viewer->look.awaited;
    if (!awaited.is_on || row_scale != viewer->look.row_scale ||
        (awaited.is_to_grow && grow_rows(viewer, awaited.lane_idx)) ||
        scroll_in_view(viewer, awaited.lane_idx, awaited.depth))
        return;
    viewer->look.awaited.is_on = rv_lane_choices_shows(&viewer->lane_order, awaited.lane_idx);
    pass_lanes_to(viewer, awaited.lane_idx);
}

/* The view of threads to come back to. */
static enum rv_view_mode view_of_threads(const struct rv_viewer *viewer)
{
    if (rv_viewer_calls_view_is_shown(viewer))
        return viewer->calls_view.before;
    return rv_viewer_tasks_view_is_shown(viewer) ? viewer->tasks_view.before : viewer->look.shown;
}

/* Of the call that was pinned, if one was: hovering goes on from there. */
static void show_rows(struct rv_viewer *viewer, enum rv_view_mode look)
{
    if (look == RV_VIEW_MODE_CALLS) {
        viewer->calls_view.before = view_of_threads(viewer);
        rv_viewer_calls_view_choose(viewer, rv_viewer_calls_view_subject(viewer));
    } else {
        viewer->tasks_view.before = view_of_threads(viewer);
        rv_viewer_tasks_view_choose(viewer);
    }
    rv_pointer_unpin(&viewer->pointer);
}

/* Lanes that are calls or tasks do not move to where threads are. */
static void show_look(struct rv_viewer *viewer, enum rv_view_mode look)
{
    const bool has_rows = rv_view_mode_get(look)->has_rows;
    if (has_rows)
        show_rows(viewer, look);
    if (has_rows || rv_viewer_shows_rows(viewer)) {
        viewer->look.from = viewer->look.shown = look;
    } else if (look != viewer->look.shown) {
        viewer->look.from = viewer->look.shown;
        viewer->look.since_ns = rv_clock_mono_ns();
    }
    viewer->look.shown = look;
    rv_viewer_touch(viewer);
}

/* Collapse or expand lanes by a click on their sign. False when there is none. */
static bool fold(struct rv_viewer *viewer)
{
    const float *at_px = viewer->pointer.at_px;
    size_t lane =
        viewer->scene && viewer->view ? rv_scene_fold_at(viewer->scene, (double)at_px[0], (double)at_px[1]) : SIZE_MAX;
    if (!viewer->view || lane >= viewer->view->n_lanes)
        return false;
    rv_viewer_lanes_act(
        viewer, &(struct rv_act){.action = RV_ACTION_COLLAPSE_GROUP, .idx = viewer->view->lanes[lane].lane_idx + 1});
    return true;
}

static void pin(struct rv_viewer *viewer)
{
    if (fold(viewer))
        return;
    if (viewer->pointer.arc.is_on) {
        const struct rv_arc arc = viewer->pointer.arc.arc;
        rv_viewer_show_arc(viewer, &arc);
        return;
    }
    if (viewer->pointer.lock.is_on) {
        const struct rv_lock_hover lock = viewer->pointer.lock;
        rv_viewer_show_hold(viewer, &lock);
        return;
    }
    if (viewer->pointer.notes.is_on && !viewer->pointer.notes.notes.is_stripe) {
        const struct rv_scene_notes notes = viewer->pointer.notes.notes;
        rv_viewer_show_time(viewer, notes.from_ns, notes.to_ns);
        return;
    }
    if (viewer->scene && viewer->view)
        rv_pointer_pin(&viewer->pointer, viewer->scene, viewer->view);
    viewer->focus = (struct rv_viewer_focus){0};
    rv_viewer_debugger_click(viewer);
    rv_viewer_point(viewer);
}

/* Of a call, which is pinned meanwhile; a second time closes it. */
static void show_menu(struct rv_viewer *viewer, bool is_of_row)
{
    const bool was_shown = viewer->panels.menu != RV_MENU_CLOSED;
    const struct rv_hover before = viewer->pointer.hover;
    viewer->panels.menu = is_of_row ? RV_MENU_OF_ROW : RV_MENU_CLOSED;
    if (was_shown || is_of_row || !viewer->scene || !viewer->view)
        return;
    rv_pointer_pin(&viewer->pointer, viewer->scene, viewer->view);
    if (before.is_pinned && !viewer->pointer.hover.is_pinned) /* it was this one, or the cursor is over none */
        viewer->pointer.hover = before;
    viewer->panels.menu = viewer->pointer.hover.is_pinned ? RV_MENU_OF_CALL : RV_MENU_CLOSED;
    rv_viewer_point(viewer);
}

/* Any other action closes the menu. Returns whether that is all the action does. */
static bool close_menu(struct rv_viewer *viewer, enum rv_action action)
{
    const bool was_shown = viewer->panels.menu != RV_MENU_CLOSED;
    if (!was_shown || action == RV_ACTION_NONE || action == RV_ACTION_MENU)
        return false;
    viewer->panels.menu = RV_MENU_CLOSED;
    rv_viewer_point(viewer);
    return action == RV_ACTION_UNPIN;
}

static void turn(struct rv_viewer *viewer, float right, float up)
{
    float *at = viewer->look.orbit;
    at[0] = fminf(fmaxf(at[0] + right, -ORBIT_SIDE_MAX), ORBIT_SIDE_MAX);
    at[1] = fminf(fmaxf(at[1] + up, -ORBIT_DOWN_MAX), ORBIT_UP_MAX);
}

static void orbit(struct rv_viewer *viewer, double right, double up)
{
    turn(viewer, (float)right, (float)up);
    rv_viewer_touch(viewer);
}

/* Close the frontmost panel; false: none is open. */
static bool close_panel(struct rv_viewer_panels *panels)
{
    bool *const from_front[] = {&panels->has_go_to,    &panels->has_select,   &panels->has_note,
                                &panels->has_commands, &panels->has_settings, &panels->has_help,
                                &panels->has_threads,  &panels->has_waits,    &panels->has_debugger_panel};
    for (size_t i = 0; i < sizeof from_front / sizeof *from_front; i++)
        if (*from_front[i]) {
            *from_front[i] = false;
            return true;
        }
    return false;
}

static bool unpin(struct rv_viewer *viewer)
{
    if (!viewer->pointer.hover.is_pinned)
        return false;
    rv_pointer_unpin(&viewer->pointer);
    return true;
}

/* False: the view is none of those that one goes back from. */
static bool leave_view(struct rv_viewer *viewer)
{
    if (rv_viewer_calls_view_is_shown(viewer))
        rv_viewer_calls_view_leave(viewer);
    else if (rv_viewer_tasks_view_is_shown(viewer))
        rv_viewer_tasks_view_leave(viewer);
    else
        return false;
    return true;
}

/* Out of the innermost that is on. */
static void go_out(struct rv_viewer *viewer)
{
    (void)(close_panel(&viewer->panels) || rv_viewer_lit_path_end(viewer) || unpin(viewer) ||
           rv_viewer_tasks_view_unfollow(viewer) || leave_view(viewer) || rv_viewer_statistics_close(viewer) ||
           rv_viewer_search_end(viewer));
    rv_viewer_point(viewer);
}

uint32_t rv_viewer_n_schemes(const struct rv_viewer *viewer)
{
    return viewer->diff ? RV_COLOR_SCHEME_COUNT : RV_COLOR_PLAIN_SCHEMES;
}

static void choose_scheme(struct rv_viewer *viewer, uint32_t which)
{
    uint32_t scheme = which ? which - 1 : (uint32_t)viewer->look.scheme + 1;
    viewer->look.scheme = (enum rv_color_scheme)(scheme % rv_viewer_n_schemes(viewer));
}

static void choose_theme(struct rv_settings *settings, uint32_t which)
{
    const uint32_t theme = which ? which - 1 : (uint32_t)settings->theme + 1;
    settings->theme = (enum rv_color_theme)(theme % RV_COLOR_THEME_COUNT);
}

/* Those of a capture that has not come to its end. */
static void keep_bookmarks(struct rv_viewer *viewer)
{
    if (viewer->bookmarks_path && !viewer->live_edge.is_done && viewer->marks.n)
        rv_bookmarks_open(&viewer->marks, viewer->bookmarks_path, viewer->live_edge.first_ns);
}

void rv_viewer_fini(struct rv_viewer *viewer)
{
    keep_bookmarks(viewer);
    rv_step_stop(&viewer->step);
    (void)rv_viewer_lit_path_end(viewer);
    rv_viewer_arcs_fini(viewer);
    rv_viewer_waits_fini(viewer);
    rv_call_waits_stop(&viewer->pointer.waits);
    rv_bookmarks_fini(&viewer->marks);
    rv_viewer_self_times_fini(&viewer->self_times); /* it uses the memory of the statistics */
    rv_viewer_statistics_fini(&viewer->statistics);
    rv_viewer_calls_view_fini(&viewer->calls_view);
    rv_viewer_search_fini(&viewer->search);
    rv_pinned_call_fini(&viewer->pinned_call);
    rv_lane_choices_fini(&viewer->lane_order);
}

/* Show none of these kinds, or all where none is shown. */
static void switch_arcs(struct rv_viewer *viewer, unsigned kinds)
{
    const unsigned left_out = viewer->settings.arcs_left_out;
    viewer->settings.arcs_left_out = (left_out & kinds) == kinds ? left_out & ~kinds : left_out | kinds;
    rv_viewer_point(viewer);
}

/* What the action only switches on or off; NULL: it does more. */
static bool *switched_by(struct rv_viewer *viewer, enum rv_action action)
{
    switch ((int)action) {
    case RV_ACTION_RECORD:
        return &viewer->wants_recording;
    case RV_ACTION_COMMANDS:
        return &viewer->panels.has_commands;
    case RV_ACTION_HELP:
        return &viewer->panels.has_help;
    case RV_ACTION_SETTINGS:
        return &viewer->panels.has_settings;
    case RV_ACTION_THREADS:
        return &viewer->panels.has_threads;
    case RV_ACTION_LEGEND:
        return &viewer->settings.has_legend;
    case RV_ACTION_MINIMAP:
        return &viewer->settings.has_minimap;
    default:
        return NULL;
    }
}

/* The subjects that have files of their own, those of single views first. */
static bool has_acted(struct rv_viewer *viewer, const struct rv_act *act)
{
    static bool (*const SUBJECTS[])(struct rv_viewer *, const struct rv_act *) = {
        rv_viewer_calls_view_act, rv_viewer_tasks_view_act, rv_navigation_act,    rv_viewer_call_cursor_act,
        rv_viewer_bookmarks_act,  rv_viewer_lit_path_act,   rv_viewer_lanes_act,  rv_viewer_debugger_act,
        rv_viewer_waits_act,      rv_viewer_statistics_act, rv_viewer_search_act, rv_viewer_filter_act};
    for (size_t i = 0; i < sizeof SUBJECTS / sizeof *SUBJECTS; i++)
        if (SUBJECTS[i](viewer, act))
            return true;
    if (!rv_playback_act(viewer, act))
        return false;
    rv_viewer_touch(viewer);
    return true;
}

void rv_viewer_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    rv_time_window_glide(&viewer->time_window, 0.0);
    rv_navigation_note(viewer, act);
    if (close_menu(viewer, act->action) || has_acted(viewer, act))
        return;
    bool *const is_on = switched_by(viewer, act->action);
    if (is_on) {
        *is_on = !*is_on;
        return;
    }
    switch ((int)act->action) {
    case RV_ACTION_NONE:
        return;
    case RV_ACTION_LOOK_3D:
    case RV_ACTION_LOOK_ALIGNED:
    case RV_ACTION_LOOK_FLAME:
    case RV_ACTION_LOOK_TOP:
    case RV_ACTION_LOOK_CALLS:
    case RV_ACTION_LOOK_TASKS:
        show_look(viewer, (enum rv_view_mode)(act->action - RV_ACTION_LOOK_3D));
        return;
    case RV_ACTION_ORDER_CALLS: /* of no other view */
    case RV_ACTION_ALIGN_TASKS:
        return;
    case RV_ACTION_SCHEME:
        choose_scheme(viewer, act->idx);
        rv_viewer_touch(viewer);
        return;
    case RV_ACTION_SCROLL:
        scroll(viewer, act->amount);
        return;
    case RV_ACTION_PAGE_UP:
        page(viewer, -1.0);
        return;
    case RV_ACTION_PAGE_DOWN:
        page(viewer, 1.0);
        return;
    case RV_ACTION_TALLER_ROWS:
        scale_rows(viewer, ROW_STEP);
        return;
    case RV_ACTION_LOWER_ROWS:
        scale_rows(viewer, 1.0 / ROW_STEP);
        return;
    case RV_ACTION_DEEPEST:
        go_to_depth(viewer, true);
        return;
    case RV_ACTION_OUTERMOST:
        go_to_depth(viewer, false);
        return;
    case RV_ACTION_FIELD:
        viewer->panels.n_fields_asked++;
        rv_viewer_point(viewer);
        return;
    case RV_ACTION_CLOSE_WARNING:
        viewer->panels.n_warnings_closed += rv_warning_kept(viewer->panels.n_warnings_closed) != NULL;
        rv_viewer_point(viewer);
        return;
    case RV_ACTION_COPY_COMMAND:
        viewer->wants_command = true;
        return;
    case RV_ACTION_SCREENSHOT:
        viewer->wants_screenshot = true;
        return;
    case RV_ACTION_PIN:
        pin(viewer);
        return;
    case RV_ACTION_MENU:
        show_menu(viewer, act->idx != 0);
        return;
    case RV_ACTION_SHOW_WAKER:
        rv_viewer_show_waker(viewer);
        return;
    case RV_ACTION_SHOW_FLOW:
        rv_viewer_show_flow(viewer);
        return;
    case RV_ACTION_UNTRACE:
    case RV_ACTION_TRACE:
        rv_viewer_debugger_trace(viewer, act);
        return;
    case RV_ACTION_UNPIN:
        go_out(viewer);
        return;
    case RV_ACTION_ARCS:
        switch_arcs(viewer, RV_ARC_OF_WAITS);
        return;
    case RV_ACTION_FLOW_ARCS:
        switch_arcs(viewer, RV_ARC_OF_FLOWS);
        return;
    case RV_ACTION_LOCK_LANES:
        viewer->settings.has_lock_lanes = !viewer->settings.has_lock_lanes;
        rv_viewer_point(viewer);
        return;
    case RV_ACTION_ARC_KIND:
        switch_arcs(viewer, 1u << act->idx % RV_ARC_KIND_COUNT);
        return;
    case RV_ACTION_THEME:
        choose_theme(&viewer->settings, act->idx);
        rv_viewer_touch(viewer);
        return;
    case RV_ACTION_SCALE:
        viewer->settings.scale_percent =
            act->idx ? act->idx : rv_settings_panel_next_scale(viewer->settings.scale_percent);
        rv_viewer_touch(viewer);
        return;
    case RV_ACTION_ORBIT:
        orbit(viewer, act->amount, act->amount_up);
        return;
    case RV_ACTION_TURN_LEFT:
        orbit(viewer, -ORBIT_STEP, 0.0);
        return;
    case RV_ACTION_TURN_RIGHT:
        orbit(viewer, ORBIT_STEP, 0.0);
        return;
    case RV_ACTION_TURN_UP:
        orbit(viewer, 0.0, ORBIT_STEP);
        return;
    case RV_ACTION_TURN_DOWN:
        orbit(viewer, 0.0, -ORBIT_STEP);
        return;
    case RV_ACTION_SELECT:
        rv_viewer_statistics_select(viewer, &(struct rv_range_ns){act->from_ns, act->to_ns}, act->amount > 0.0);
        rv_viewer_point(viewer);
        return;
    case RV_ACTION_UNPIN_CALL:
        rv_pointer_unpin(&viewer->pointer);
        rv_viewer_point(viewer);
        return;
    case RV_ACTION_QUIT:
        viewer->is_closing = true;
        return;
    case RV_ACTION_COPY_NAME: /* of these the window is in charge */
    case RV_ACTION_EDIT_SOURCE:
        return;
    default:
        rv_unreachable();
    }
}

void rv_viewer_init(struct rv_viewer *viewer, const struct rv_viewer_params *params)
{
    *viewer = (struct rv_viewer){
        .look = {.shown = params->settings.look, .from = params->settings.look, .scheme = params->settings.scheme},
        .settings = params->settings,
        .scene = params->scene,
        .view = params->view,
        .lanes = params->lanes,
        .subroutines = params->subroutines,
        .diff = params->diff,
        .playhead = {.speed = params->speed},
        .starts_playing = params->speed > 0.0,
        .start_ns = params->start_ns,
        .stop_ns = params->stop_ns,
        .at_ns = params->at_ns,
        .has_at = params->has_at,
        .has_width = params->has_width,
        .lanes_asked = params->lanes_asked,
        .lane_order = {.most_depth = params->most_depth},
        .bookmarks_path = params->bookmarks_path,
        .is_from_pipe = params->is_from_pipe,
        .session = params->session,
        .is_dirty = true,
    };
    viewer->live_edge.now_ns = viewer->live_edge.live_ns = params->now_ns;
    rv_viewer_statistics_init(&viewer->statistics, rv_session_range_bytes(params->session));
    viewer->calls_view.pattern = params->calls_of;
    turn(viewer, params->turn[0], params->turn[1]);
    viewer->tasks_view.is_aligned = viewer->tasks_view.is_whole = params->aligns_tasks;
    viewer->calls_view.is_by_time = viewer->tasks_view.is_longest_first = params->has_other_order;
    viewer->search.session = params->session;
    viewer->search.lane_order = &viewer->lane_order;
    rv_viewer_search_find(&viewer->search, params->find);
    viewer->search.filter = rv_filter_hold(params->filter);
    viewer->panels.has_search = viewer->search.find[0] || rv_filter_n_rules(viewer->search.filter);
    rv_time_window_set(&viewer->time_window, params->now_ns - params->window_ns, params->now_ns);
    rv_time_window_follow(&viewer->time_window, params->now_ns);
}

/* Continue search, statistics and pinned call. */
static void ask(struct rv_viewer *viewer)
{
    viewer->is_dirty |= rv_pinned_call_update(&viewer->pinned_call, viewer);
    viewer->is_dirty |= rv_viewer_search_update(&viewer->search, viewer->lanes, viewer->subroutines, false);
    rv_viewer_search_go_on(viewer);
    viewer->is_dirty |= rv_viewer_statistics_advance(viewer);
    viewer->is_dirty |= rv_viewer_lit_path_advance(viewer);
    viewer->is_dirty |= rv_viewer_calls_view_advance(viewer);
    viewer->is_dirty |= rv_viewer_arcs_advance(viewer);
    viewer->is_dirty |= rv_viewer_waits_advance(viewer);
    viewer->is_dirty |= rv_call_waits_advance(&viewer->pointer.waits);
}

/* A range that was asked for, and is not one to be played. */
static void select_asked(struct rv_viewer *viewer)
{
    const struct rv_live_edge *edge = &viewer->live_edge;
    const uint64_t end_ns = rv_clock_after_ns(edge->last_ns, 1), stop_ns = edge->first_ns + viewer->stop_ns;
    const struct rv_range_ns range = {edge->first_ns + viewer->start_ns,
                                      viewer->stop_ns && stop_ns < end_ns ? stop_ns : end_ns};
    if (!viewer->starts_playing && (viewer->start_ns || viewer->stop_ns) && range.to_ns > range.from_ns)
        rv_viewer_statistics_select(viewer, &range, true);
}

void rv_viewer_advance(struct rv_viewer *viewer, struct rv_lanes *lanes, bool is_done, double dt_s)
{
    uint64_t clock_ns = rv_clock_mono_ns();
    bool is_end = is_done && !viewer->live_edge.is_done;
    viewer->live_edge.is_done = is_done;
    rv_live_edge_update(&viewer->live_edge, lanes, clock_ns, viewer->time_window.window_ns);
    bool has_moved = rv_playback_advance(viewer, dt_s);
    viewer->is_dirty |= is_end;
    if (is_end && viewer->bookmarks_path)
        rv_bookmarks_open(&viewer->marks, viewer->bookmarks_path, viewer->live_edge.first_ns);
    if (is_end && viewer->lanes) {
        select_asked(viewer);
        rv_viewer_lanes_arrange(viewer);
    }
    if (viewer->lanes)
        ask(viewer);
    if (is_end && !viewer->is_touched && viewer->starts_playing)
        rv_playback_start(viewer, viewer->live_edge.first_ns + viewer->start_ns);
    else if (is_end && !viewer->is_touched)
        rv_navigation_show_whole(viewer);
    has_moved |= rv_time_window_advance(&viewer->time_window, viewer->live_edge.now_ns, fmin(dt_s, 0.25));
    if (!has_moved)
        return;
    viewer->is_dirty = true;
    viewer->moved_ns = clock_ns;
}

void rv_viewer_apply(const struct rv_viewer *viewer, struct rv_view_params *params)
{
    params->most_lanes = rv_view_mode_get(viewer->look.shown)->most_lanes;
    params->first_lane = (uint32_t)viewer->look.first_lane;
    rv_viewer_search_apply(&viewer->search, params);
    rv_viewer_statistics_apply(viewer, params);
    rv_viewer_lit_path_apply(viewer, params);
}

struct rv_settings rv_viewer_settings(const struct rv_viewer *viewer)
{
    struct rv_settings settings = viewer->settings;
    settings.look = view_of_threads(viewer);
    settings.scheme = viewer->look.scheme;
    return settings;
}

double rv_viewer_passed(const struct rv_viewer *viewer)
{
    if (viewer->look.shown == viewer->look.from)
        return 1.0;
    return fmin((double)(rv_clock_mono_ns() - viewer->look.since_ns) / SWITCH_NS, 1.0);
}

void rv_viewer_drawn(struct rv_viewer *viewer, double passed)
{
    if (passed >= 1.0)
        viewer->look.from = viewer->look.shown;
    viewer->is_dirty = false;
}

bool rv_viewer_is_dirty(const struct rv_viewer *viewer)
{
    return viewer->is_dirty || viewer->look.shown != viewer->look.from;
}

bool rv_viewer_is_awaited(const struct rv_viewer *viewer)
{
    return viewer->search.request.n_hits != 0 || viewer->step.n_steps != 0 ||
           viewer->statistics.calls.request != RV_CALLS_STAY || rv_viewer_lit_path_is_coming(viewer);
}

bool rv_viewer_is_moving(const struct rv_viewer *viewer)
{
    uint64_t last_ns = viewer->input_ns > viewer->moved_ns ? viewer->input_ns : viewer->moved_ns;
    return rv_clock_mono_ns() - last_ns < SETTLE_NS;
}
