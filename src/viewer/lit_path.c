#include "viewer/lit_path.h"

#include "base/clock.h"
#include "viewer/show_call.h"

#define AWAITED_NS 200000000u /* after the key: what takes longer is not waited for */

void rv_viewer_lit_path_light(struct rv_viewer *viewer, const struct rv_critical_path_request *request)
{
    struct rv_waits *waits = viewer->session ? rv_session_waits(viewer->session) : NULL;
    viewer->path_asked_ns = rv_clock_mono_ns();
    if (waits)
        rv_critical_path_job_start(&viewer->path, viewer->lanes, waits, request);
}

static struct rv_critical_path_request request_of(const struct rv_viewer *viewer)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    const struct rv_range_ns *selected = &viewer->selected;
    struct rv_critical_path_request request = {
        .lane_idx = RV_CRITICAL_PATH_LAST, .from_ns = selected->from_ns, .to_ns = selected->to_ns};
    if (hover->is_on && hover->is_pinned && hover->n_lanes <= 1)
        return (struct rv_critical_path_request){hover->lane_idx, hover->box.id, hover->box.start_ns,
                                                 rv_box_end_ns(&hover->box)};
    if (request.to_ns <= request.from_ns)
        rv_time_window_get(&viewer->time_window, &request.from_ns, &request.to_ns);
    return request;
}

/* The innermost call around the stretch; else the innermost at its end. */
static bool find_call(const struct rv_viewer *viewer, const struct rv_critical_path_part *part, struct rv_box *box)
{
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, part->lane_idx);
    return rv_viewer_innermost_around(lane, part->from_ns, part->to_ns, box) ||
           rv_viewer_innermost_around(lane, part->to_ns, part->to_ns, box);
}

/* Of a call that is not in memory, its time is shown. */
static void show_part(struct rv_viewer *viewer, size_t idx)
{
    const struct rv_critical_path_found *found = rv_critical_path_job_found(&viewer->path);
    struct rv_box box;
    if (!found || idx >= found->n_parts)
        return;
    const struct rv_critical_path_part *part = &found->parts[idx];
    if (find_call(viewer, part, &box)) {
        rv_viewer_show_call(viewer, &box, part->lane_idx);
        return;
    }
    rv_viewer_show_time(viewer, part->from_ns, part->to_ns);
}

bool rv_viewer_lit_path_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    if (act->action != RV_ACTION_CRITICAL_PATH && act->action != RV_ACTION_SHOW_PATH_PART)
        return false;
    if (act->action == RV_ACTION_SHOW_PATH_PART) {
        show_part(viewer, act->idx);
    } else if (!rv_viewer_lit_path_end(viewer)) {
        const struct rv_critical_path_request request = request_of(viewer);
        rv_viewer_lit_path_light(viewer, &request);
    }
    rv_viewer_point(viewer);
    return true;
}

void rv_viewer_lit_path_wait(struct rv_viewer *viewer)
{
    rv_critical_path_job_wait(&viewer->path);
}

bool rv_viewer_lit_path_advance(struct rv_viewer *viewer)
{
    return rv_critical_path_job_poll(&viewer->path);
}

static bool is_awaited(const struct rv_viewer *viewer)
{
    return viewer->path.is_on && rv_clock_mono_ns() - viewer->path_asked_ns < AWAITED_NS;
}

bool rv_viewer_lit_path_is_coming(const struct rv_viewer *viewer)
{
    return is_awaited(viewer) && viewer->path.thread.is_running;
}

bool rv_viewer_lit_path_is_due(const struct rv_viewer *viewer)
{
    return is_awaited(viewer) && !viewer->view->has_path;
}

void rv_viewer_lit_path_apply(const struct rv_viewer *viewer, struct rv_view_params *params)
{
    const struct rv_critical_path_found *found = rv_critical_path_job_found(&viewer->path);
    params->path = found ? found->path : NULL;
}

bool rv_viewer_lit_path_end(struct rv_viewer *viewer)
{
    const bool was_on = viewer->path.is_on;
    rv_critical_path_job_stop(&viewer->path);
    return was_on;
}
