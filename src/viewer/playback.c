#include "viewer/playback.h"

#include "model/busy_range.h"

static uint64_t newest_ns(const struct rv_viewer *viewer)
{
    return viewer->live_edge.is_done ? viewer->live_edge.last_ns : viewer->live_edge.live_ns;
}

static void show_present(struct rv_viewer *viewer)
{
    struct rv_live_edge *live_edge = &viewer->live_edge;
    live_edge->is_frozen = viewer->playhead.is_on;
    live_edge->now_ns = viewer->playhead.is_on ? viewer->playhead.at_ns : live_edge->live_ns;
}

static bool is_in_window(const struct rv_viewer *viewer, uint64_t ns)
{
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    return ns >= from_ns && ns <= to_ns;
}

/* A window that does not show the playhead comes to it, and goes with it from then on. */
static void place(struct rv_viewer *viewer, uint64_t ns)
{
    const struct rv_live_edge *live_edge = &viewer->live_edge;
    uint64_t newest = newest_ns(viewer);
    ns = ns < live_edge->first_ns ? live_edge->first_ns : ns;
    rv_playhead_set(&viewer->playhead, ns < newest ? ns : newest);
    show_present(viewer);
    if (!is_in_window(viewer, viewer->playhead.at_ns))
        rv_time_window_follow(&viewer->time_window, live_edge->now_ns);
}

static void end(struct rv_viewer *viewer)
{
    rv_playhead_end(&viewer->playhead);
    show_present(viewer);
}

static void freeze(struct rv_viewer *viewer)
{
    rv_playhead_set(&viewer->playhead, viewer->live_edge.live_ns);
    viewer->playhead.is_held = true;
    show_present(viewer);
}

/* What is in the window is played from its beginning, when all was shown; what had come to its end, from the start. */
static void play(struct rv_viewer *viewer)
{
    struct rv_playhead *playhead = &viewer->playhead;
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    if (!playhead->is_on) {
        viewer->time_window.is_following = false;
        place(viewer, from_ns < newest_ns(viewer) ? from_ns : 0);
    } else if (playhead->at_ns >= newest_ns(viewer)) {
        place(viewer, 0);
    }
    playhead->is_playing = true;
}

static void play_or_pause(struct rv_viewer *viewer)
{
    struct rv_playhead *playhead = &viewer->playhead;
    if (playhead->is_playing)
        playhead->is_playing = false;
    else if (!viewer->live_edge.is_done && !playhead->is_on)
        freeze(viewer);
    else if (!viewer->live_edge.is_done && playhead->is_held)
        end(viewer);
    else
        play(viewer);
}

void rv_playback_start(struct rv_viewer *viewer, uint64_t from_ns)
{
    place(viewer, from_ns);
    viewer->playhead.is_playing = true;
    uint64_t at_ns = viewer->playhead.at_ns, window_ns = (uint64_t)viewer->time_window.window_ns;
    rv_time_window_set(&viewer->time_window, at_ns > window_ns ? at_ns - window_ns : 0,
                       at_ns > window_ns ? at_ns : window_ns);
    rv_time_window_follow(&viewer->time_window, at_ns);
}

/* ---- steps ---- */

/* From the playhead, or from the end of what is shown; in the lane of the pinned call, else in all. */
static struct rv_step_params step_params(struct rv_viewer *viewer)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    struct rv_step_params params = {.session = viewer->session,
                                    .lanes = viewer->lanes,
                                    .lane_order = &viewer->lane_order,
                                    .lane_idx = hover->is_pinned ? &hover->lane_idx : NULL};
    uint64_t from_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &params.at_ns);
    if (params.at_ns >= newest_ns(viewer))
        params.at_ns = newest_ns(viewer) + 1;
    if (viewer->playhead.is_on)
        params.at_ns = viewer->playhead.at_ns;
    return params;
}

static void go_on_stepping(struct rv_viewer *viewer)
{
    uint64_t ns;
    if (viewer->step.n_steps == 0)
        return;
    rv_lane_choices_update(&viewer->lane_order, viewer->lanes);
    struct rv_step_params params = step_params(viewer);
    while (rv_step_go_on(&viewer->step, &params, &ns)) {
        place(viewer, ns);
        viewer->is_dirty = true;
        params.at_ns = viewer->playhead.at_ns;
    }
}

static void step(struct rv_viewer *viewer, bool is_forward)
{
    if (!viewer->lanes)
        return;
    viewer->playhead.is_playing = false;
    rv_step_request(&viewer->step, is_forward);
    go_on_stepping(viewer);
}

/* ---- */

/* Where the calls begin, unless the window begins before that: then the first event, which may be days before them. */
static uint64_t start_of(const struct rv_viewer *viewer)
{
    uint64_t busy_ns[2], shown_ns[2];
    rv_time_window_get(&viewer->time_window, &shown_ns[0], &shown_ns[1]);
    bool is_known = viewer->lanes && rv_busy_range(viewer->lanes, &busy_ns[0], &busy_ns[1]);
    return is_known && shown_ns[0] >= busy_ns[0] ? busy_ns[0] : viewer->live_edge.first_ns;
}

/* The window goes to the beginning, and a playhead with it: without one nothing is hidden, nor in a frozen picture. */
static void go_to_start(struct rv_viewer *viewer)
{
    const uint64_t first_ns = start_of(viewer);
    viewer->time_window.is_following = false;
    rv_time_window_set(&viewer->time_window, first_ns, first_ns + (uint64_t)viewer->time_window.window_ns);
    if (viewer->playhead.is_on && !viewer->playhead.is_held)
        place(viewer, first_ns);
}

static void go_to_end(struct rv_viewer *viewer)
{
    end(viewer);
    rv_time_window_follow(&viewer->time_window, viewer->live_edge.now_ns);
}

bool rv_playback_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    if (act->action < RV_ACTION_PLAY || act->action > RV_ACTION_END)
        return false;
    if (!viewer->live_edge.last_ns)
        return true; /* nothing yet */
    if (act->action != RV_ACTION_STEP_FORWARD && act->action != RV_ACTION_STEP_BACK)
        rv_step_stop(&viewer->step);
    switch ((int)act->action) {
    case RV_ACTION_PLAY:
        play_or_pause(viewer);
        break;
    case RV_ACTION_FASTER:
    case RV_ACTION_SLOWER:
        rv_playhead_scale(&viewer->playhead, act->action == RV_ACTION_FASTER ? 2.0 : 0.5);
        break;
    case RV_ACTION_STEP_FORWARD:
    case RV_ACTION_STEP_BACK:
        step(viewer, act->action == RV_ACTION_STEP_FORWARD);
        break;
    case RV_ACTION_SEEK:
        place(viewer, act->from_ns);
        break;
    case RV_ACTION_START:
        go_to_start(viewer);
        break;
    case RV_ACTION_END:
        go_to_end(viewer);
        break;
    default:
        break;
    }
    return true;
}

/* How far it goes without a pause: past the time where it was to pause, to the end. */
static uint64_t limit_ns(const struct rv_viewer *viewer)
{
    uint64_t stop_ns = viewer->live_edge.first_ns + viewer->stop_ns, newest = newest_ns(viewer);
    bool has_stop = viewer->stop_ns && viewer->playhead.at_ns < stop_ns && stop_ns < newest;
    return has_stop ? stop_ns : newest;
}

/* What the playhead leaves behind it, going out of the window at its end, goes with it. */
bool rv_playback_advance(struct rv_viewer *viewer, double dt_s)
{
    go_on_stepping(viewer);
    struct rv_playhead *playhead = &viewer->playhead;
    bool was_in_window = is_in_window(viewer, playhead->at_ns);
    uint64_t limit = limit_ns(viewer);
    bool has_moved = rv_playhead_advance(playhead, dt_s, limit);
    if (has_moved && was_in_window && !is_in_window(viewer, playhead->at_ns))
        rv_time_window_follow(&viewer->time_window, playhead->at_ns);
    if (playhead->is_playing && playhead->at_ns >= limit) {
        playhead->is_playing = false;
        if (!viewer->live_edge.is_done && limit == newest_ns(viewer))
            rv_playhead_end(playhead);
    }
    show_present(viewer);
    return has_moved;
}

void rv_playback_go(struct rv_viewer *viewer, uint64_t ns)
{
    rv_step_stop(&viewer->step);
    if (viewer->playhead.is_on)
        place(viewer, ns);
}

void rv_playback_reveal(struct rv_viewer *viewer, uint64_t ns)
{
    if (viewer->playhead.at_ns < ns)
        rv_playback_go(viewer, ns);
}
