#include "viewer/search.h"

#include "viewer/show_call.h"

#define HIT_SHARE 0.4 /* share of the window before the hit */

/* Pin the hit, and move the window if it does not show the hit's begin. */
static void show_hit(struct rv_viewer *viewer, const struct rv_search_hit *hit)
{
    uint64_t from_ns, to_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    viewer->time_window.is_following = false;
    if (hit->place.start_ns < from_ns || hit->place.start_ns >= to_ns) {
        uint64_t before_ns = (uint64_t)(HIT_SHARE * (double)(to_ns - from_ns));
        from_ns = hit->place.start_ns > before_ns ? hit->place.start_ns - before_ns : 0;
        rv_time_window_set(&viewer->time_window, from_ns, from_ns + (uint64_t)viewer->time_window.window_ns);
    }
    rv_viewer_pin_call(viewer, &hit->box, hit->place.lane_idx);
}

void rv_viewer_search_go_on(struct rv_viewer *viewer)
{
    uint64_t from_ns, to_ns;
    struct rv_analysis *analysis = &viewer->analysis;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    if (!rv_analysis_fulfil(analysis, viewer->lanes, from_ns))
        return;
    show_hit(viewer, &analysis->hit);
    viewer->is_dirty = true;
}

/* At once if the trace has been searched, else when it has. */
static void go_to_hit(struct rv_viewer *viewer, bool is_forward)
{
    struct rv_analysis *analysis = &viewer->analysis;
    if (!analysis->search.is_on || !viewer->lanes)
        return;
    rv_hit_request(analysis, is_forward);
    (void)rv_analysis_update(analysis, viewer->lanes, viewer->subroutines, false);
    rv_viewer_search_go_on(viewer);
    viewer->is_touched = true;
}

static void change_filter(struct rv_analysis *analysis, const struct rv_act *act)
{
    bool has_rule = act->idx < rv_filter_n_rules(analysis->filter);
    if (act->action == RV_ACTION_LET)
        (void)rv_analysis_let(analysis, act->text);
    else if (act->action == RV_ACTION_HIDE)
        rv_filter_set_mode(&analysis->filter,
                           rv_filter_mode(analysis->filter) == RV_FILTER_HIDE ? RV_FILTER_DIM : RV_FILTER_HIDE);
    else if (act->action == RV_ACTION_INVERT_RULE && has_rule)
        rv_filter_invert(&analysis->filter, act->idx);
    else if (act->action == RV_ACTION_REMOVE_RULE && has_rule)
        rv_filter_remove(&analysis->filter, act->idx);
    while (act->action == RV_ACTION_RESET_FILTER && rv_filter_n_rules(analysis->filter))
        rv_filter_remove(&analysis->filter, 0);
}

static void end_search(struct rv_viewer *viewer)
{
    rv_analysis_find(&viewer->analysis, NULL);
    viewer->panels.has_search = false;
}

bool rv_viewer_search_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_SEARCH:
        viewer->panels.has_search = true;
        viewer->panels.n_asked++;
        break;
    case RV_ACTION_FIND:
        rv_analysis_find(&viewer->analysis, act->text);
        viewer->statistics.calls.stands_out = false;
        break;
    case RV_ACTION_END_SEARCH:
        end_search(viewer);
        break;
    case RV_ACTION_NEXT_HIT:
    case RV_ACTION_PREVIOUS_HIT:
        go_to_hit(viewer, act->action == RV_ACTION_NEXT_HIT);
        break;
    case RV_ACTION_LET:
    case RV_ACTION_INVERT_RULE:
    case RV_ACTION_REMOVE_RULE:
    case RV_ACTION_HIDE:
    case RV_ACTION_RESET_FILTER:
        change_filter(&viewer->analysis, act);
        break;
    default:
        return false;
    }
    rv_viewer_point(viewer);
    return true;
}

bool rv_viewer_search_end(struct rv_viewer *viewer)
{
    if (!viewer->panels.has_search && !viewer->analysis.find[0])
        return false;
    end_search(viewer);
    rv_viewer_point(viewer);
    return true;
}
