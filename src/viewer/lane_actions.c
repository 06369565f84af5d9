#include "viewer/lane_actions.h"

#include <string.h>

#include "model/lane_choices_text.h"
#include "model/lane_sort.h"

/* The lane given by the action, or the one under the cursor, or the pinned call's. False when there is none. */
static bool find_lane(const struct rv_viewer *viewer, const struct rv_act *act, uint32_t *lane_idx)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    if (!act->idx && rv_viewer_find_lane(viewer, lane_idx))
        return true;
    *lane_idx = act->idx ? act->idx - 1 : hover->is_pinned ? hover->lane_idx : UINT32_MAX;
    return *lane_idx < viewer->lane_order.n_lanes;
}

/* An invisible lane is shown first, in the next picture. */
static void show_lane(struct rv_viewer *viewer, uint32_t lane_idx)
{
    struct rv_lane_choices *lane_order = &viewer->lane_order;
    if (lane_order->lanes[lane_idx].is_hidden)
        rv_lane_choices_toggle_hidden(lane_order, lane_idx);
    if (!rv_lane_choices_shows(lane_order, lane_idx))
        rv_lane_choices_expand(lane_order, lane_idx);
    rv_viewer_scroll_to(viewer, lane_idx, 0);
    rv_viewer_debugger_choose(&viewer->debugger, viewer->lanes, lane_idx);
}

static void crop(struct rv_viewer *viewer, int steps)
{
    uint32_t n_rows = viewer->lane_order.most_depth;
    for (size_t i = 0; viewer->view && i < viewer->view->n_lanes; i++)
        if (viewer->view->lanes[i].whole_depth > n_rows)
            n_rows = viewer->view->lanes[i].whole_depth;
    rv_lane_choices_crop(&viewer->lane_order, steps, n_rows);
}

static void act_on_lane(struct rv_viewer *viewer, enum rv_action action, uint32_t lane_idx)
{
    struct rv_lane_choices *lane_order = &viewer->lane_order;
    if (action == RV_ACTION_HIDE_LANE)
        rv_lane_choices_toggle_hidden(lane_order, lane_idx);
    else if (action == RV_ACTION_COLLAPSE_LANE)
        rv_lane_choices_toggle_collapsed(lane_order, lane_idx);
    else if (action == RV_ACTION_COLLAPSE_PROCESS)
        rv_lane_choices_toggle_process(lane_order, lane_idx);
    else if (action == RV_ACTION_COLLAPSE_GROUP)
        rv_lane_choices_toggle_group(lane_order, lane_idx);
    else if (action == RV_ACTION_PIN_LANE)
        rv_lane_choices_toggle_pinned(lane_order, lane_idx);
    else if (action == RV_ACTION_SHOW_LANE)
        show_lane(viewer, lane_idx);
    else if (action == RV_ACTION_LANE_FORWARD)
        rv_lane_choices_move(lane_order, lane_idx, -1);
    else if (action == RV_ACTION_LANE_BACK)
        rv_lane_choices_move(lane_order, lane_idx, 1);
}

void rv_viewer_lanes_arrange(struct rv_viewer *viewer)
{
    if (!viewer->lanes_asked)
        return;
    rv_lane_choices_update(&viewer->lane_order, viewer->lanes);
    const char *unknown = rv_lane_choices_text_apply(&viewer->lane_order, viewer->lanes, viewer->lanes_asked);
    if (unknown)
        rv_message_warn(&viewer->message, "--lanes: no such lane: %.*s", (int)strcspn(unknown, ","), unknown);
}

bool rv_viewer_lanes_are_meant(enum rv_action action)
{
    switch ((int)action) {
    case RV_ACTION_HIDE_LANE:
    case RV_ACTION_COLLAPSE_LANE:
    case RV_ACTION_COLLAPSE_PROCESS:
    case RV_ACTION_COLLAPSE_GROUP:
    case RV_ACTION_SORT_LANES:
    case RV_ACTION_PIN_LANE:
    case RV_ACTION_LANE_FORWARD:
    case RV_ACTION_LANE_BACK:
        return true;
    default:
        return false;
    }
}

bool rv_viewer_lanes_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    uint32_t lane_idx;
    if (act->action < RV_ACTION_HIDE_LANE || act->action > RV_ACTION_CROP_MORE)
        return false;
    if (act->action == RV_ACTION_SHOW_ALL_LANES)
        rv_lane_choices_show_all(&viewer->lane_order);
    else if (act->action == RV_ACTION_COLLAPSE_ALL)
        rv_lane_choices_toggle_all(&viewer->lane_order);
    else if (act->action == RV_ACTION_SORT_LANES)
        rv_lane_sort(&viewer->lane_order, viewer->lanes,
                     (enum rv_lanes_sorted)((viewer->lane_order.sorted + 1) % RV_LANES_SORTED_COUNT));
    else if (act->action == RV_ACTION_CROP_LESS)
        crop(viewer, -1);
    else if (act->action == RV_ACTION_CROP_MORE)
        crop(viewer, 1);
    else if (find_lane(viewer, act, &lane_idx))
        act_on_lane(viewer, act->action, lane_idx);
    else
        return true;
    viewer->is_touched = true;
    rv_viewer_point(viewer);
    return true;
}
