#include "viewer/tasks_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "model/timeline_query.h"
#include "viewer/lane_actions.h"
#include "viewer/navigation.h"
#include "viewer/show_call.h"
#include "viewer/viewer.h"

#define ROOM_SHARE 0.02 /* of an aligned window, behind the longest task */

bool rv_viewer_tasks_view_is_shown(const struct rv_viewer *viewer)
{
    return viewer->look.shown == RV_VIEW_MODE_TASKS;
}

static bool is_aligned(const struct rv_viewer *viewer)
{
    return rv_viewer_tasks_view_is_shown(viewer) && viewer->tasks_view.is_aligned;
}

/* ---- which ---- */

/* The one that the call tells, else the task for which its thread worked then. */
static const struct rv_flow *flow_of(const struct rv_viewer *viewer)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    const struct rv_flow_table *table = viewer->pointer.flows;
    struct rv_call_flow told;
    if (!hover->is_on || !hover->is_pinned || !table)
        return NULL;
    rv_call_flow_find(&told, table, &hover->box, hover->lane_idx);
    return told.is_on ? &table->flows[told.flow] : rv_flow_table_task(table, hover->lane_idx, hover->box.start_ns);
}

void rv_viewer_tasks_view_choose(struct rv_viewer *viewer)
{
    const struct rv_flow *flow = flow_of(viewer);
    viewer->tasks_view.is_whole = true;
    viewer->tasks_view.followed = (struct rv_followed){.is_on = false};
    if (!flow)
        return;
    viewer->tasks_view.followed = (struct rv_followed){true, flow->is_task, flow->id, flow->begin_ns};
    if (!viewer->tasks_view.is_aligned)
        rv_viewer_show_time(viewer, flow->begin_ns, flow->end_ns);
}

bool rv_viewer_tasks_view_unfollow(struct rv_viewer *viewer)
{
    const bool was_on = rv_viewer_tasks_view_is_shown(viewer) && viewer->tasks_view.followed.is_on;
    viewer->tasks_view.followed.is_on = viewer->tasks_view.followed.is_on && !was_on;
    return was_on;
}

/* ---- pictures ---- */

static void show_whole(struct rv_viewer *viewer)
{
    const uint64_t longest_ns = rv_tasks_view_longest_ns(viewer->pointer.flows);
    rv_time_window_set(&viewer->tasks_view.time_window, 0,
                       longest_ns + (uint64_t)(ROOM_SHARE * (double)longest_ns) + 1);
}

struct rv_tasks_view_params rv_viewer_tasks_view_apply(struct rv_viewer *viewer, struct rv_view_params *view)
{
    const struct rv_viewer_tasks_view *tasks_view = &viewer->tasks_view;
    view->is_past = false;
    if (tasks_view->is_aligned && tasks_view->is_whole)
        show_whole(viewer);
    if (tasks_view->is_aligned)
        rv_time_window_get(&tasks_view->time_window, &view->from_ns, &view->to_ns);
    return (struct rv_tasks_view_params){.table = viewer->pointer.flows,
                                         .lanes = viewer->lanes,
                                         .subroutines = viewer->subroutines,
                                         .is_aligned = tasks_view->is_aligned,
                                         .is_longest_first = tasks_view->is_longest_first,
                                         .followed = tasks_view->followed};
}

const char *rv_viewer_tasks_view_caption(struct rv_viewer *viewer, const struct rv_view *view)
{
    struct rv_viewer_tasks_view *tasks_view = &viewer->tasks_view;
    const struct rv_flow_table *table = viewer->pointer.flows;
    char shown[48] = "", more[80] = "";
    if (!table || !table->n_flows) {
        const bool lacks_flows = viewer->session && rv_session_lacks_flows(viewer->session);
        (void)snprintf(tasks_view->caption, sizeof tasks_view->caption, "%s",
                       lacks_flows
                           ? "the recording's index has no tasks or flows: ringviz --view=tasks FILE reads all of it"
                           : "no tasks or flows: programs report them by ringviz_task_begin() and ringviz_flow()");
        return tasks_view->caption;
    }
    if (view->n_lanes < view->n_meant)
        (void)snprintf(shown, sizeof shown, "%zu of ", view->n_lanes);
    if (table->n_more)
        (void)snprintf(more, sizeof more, "; %" PRIu64 " later step%s not kept", table->n_more,
                       rv_units_word(table->n_more, " was", "s were"));
    (void)snprintf(tasks_view->caption, sizeof tasks_view->caption, "%s%" PRIu64 " task%s%s, %s in front%s%s", shown,
                   view->n_meant, rv_units_word(view->n_meant, "", "s"),
                   tasks_view->is_aligned ? " from their begin" : "",
                   tasks_view->is_longest_first ? "the longest" : "the earliest",
                   *shown ? "; each is the longest of its group" : "", more);
    return tasks_view->caption;
}

/* ---- actions ---- */

void rv_viewer_tasks_view_leave(struct rv_viewer *viewer)
{
    rv_viewer_act(viewer, &(struct rv_act){.action = (enum rv_action)(RV_ACTION_LOOK_3D + viewer->tasks_view.before)});
}

struct same_call {
    struct rv_box box; /* part of it */
    bool is_found;
};

static void keep_same(void *context, const struct rv_box *box)
{
    struct same_call *same = context;
    if (same->is_found || box->id != same->box.id || box->depth != same->box.depth)
        return;
    same->box = *box;
    same->is_found = true;
}

/* The whole call that a part is of. */
static struct rv_box whole_of(struct rv_lane *lane, const struct rv_box *part)
{
    struct same_call same = {.box = *part};
    pthread_rwlock_wrlock(&lane->lock);
    rv_timeline_query_across(lane->timeline, part->start_ns, keep_same, &same);
    for (size_t i = 0; i < lane->n_open; i++) {
        const struct rv_box open = rv_lane_open_box(lane, i);
        keep_same(&same, &open);
    }
    pthread_rwlock_unlock(&lane->lock);
    same.box.flags &= (uint16_t) ~(RV_BOX_CLIPPED | RV_BOX_DIMMED | RV_BOX_HIT);
    return same.box;
}

/* To the call under the cursor in its thread's lane, in the view before; of a task's own box, to where it began. */
static void go_to_call(struct rv_viewer *viewer, const struct rv_view_lane *lane, const struct rv_box *shown)
{
    struct rv_view_part part;
    const bool is_call = rv_view_part_of(viewer->view, lane, shown, &part);
    struct rv_box box = rv_view_part_place(is_call ? &part : &viewer->view->parts[lane->first_part], shown);
    struct rv_lane *thread = rv_lanes_get(viewer->lanes, is_call ? part.lane_idx : lane->lane_idx);
    bool has_call = is_call && box.coverage == RV_BOX_EXACT;
    if (has_call)
        box = whole_of(thread, &box);
    else if (box.coverage == RV_BOX_EXACT)
        has_call = rv_viewer_innermost_around(thread, box.start_ns, box.start_ns, &box);
    rv_viewer_tasks_view_leave(viewer);
    if (has_call)
        rv_viewer_show_call(viewer, &box, thread->idx);
    else
        rv_viewer_show_time(viewer, box.start_ns, rv_box_end_ns(&box));
}

static void go_there(struct rv_viewer *viewer)
{
    struct rv_pick_hit hit;
    const float *at_px = viewer->pointer.at_px;
    const struct rv_view *view = viewer->view;
    if (viewer->pointer.arc.is_on) {
        const struct rv_arc arc = viewer->pointer.arc.arc;
        rv_viewer_tasks_view_leave(viewer);
        rv_viewer_show_arc(viewer, &arc);
        return;
    }
    if (!viewer->scene || !view ||
        !rv_scene_pick(viewer->scene, (double)at_px[0] + 0.5, (double)at_px[1] + 0.5, &hit) ||
        hit.lane >= view->n_lanes || view->lanes[hit.lane].n_parts == 0)
        return;
    rv_navigation_note(viewer, &(struct rv_act){.action = RV_ACTION_SHOW_CALL});
    go_to_call(viewer, &view->lanes[hit.lane], &view->boxes[hit.box]);
}

/* Aligned, times are not those of the capture. */
static bool act_aligned(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_viewer_tasks_view *tasks_view = &viewer->tasks_view;
    switch ((int)act->action) {
    case RV_ACTION_FOCUS_OR_FIT:
    case RV_ACTION_FOCUS:
        tasks_view->is_whole = true;
        return true;
    case RV_ACTION_GLIDE:
    case RV_ACTION_SELECT:
    case RV_ACTION_SELECT_BETWEEN:
    case RV_ACTION_MARK:
    case RV_ACTION_NOTE:
        return true;
    default:
        if (!rv_navigation_move_from_start(viewer, &tasks_view->time_window, act))
            return false;
        tasks_view->is_whole = false;
        return true;
    }
}

bool rv_viewer_tasks_view_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_viewer_tasks_view *tasks_view = &viewer->tasks_view;
    if (!rv_viewer_tasks_view_is_shown(viewer))
        return false;
    switch ((int)act->action) {
    case RV_ACTION_PIN:
        go_there(viewer);
        break;
    case RV_ACTION_ORDER_CALLS:
        tasks_view->is_longest_first = !tasks_view->is_longest_first;
        break;
    case RV_ACTION_ALIGN_TASKS:
        tasks_view->is_aligned = !tasks_view->is_aligned;
        tasks_view->is_whole = true;
        break;
    default:
        if (!rv_viewer_lanes_are_meant(act->action) && (!is_aligned(viewer) || !act_aligned(viewer, act)))
            return false;
        break;
    }
    rv_viewer_touch(viewer);
    return true;
}
