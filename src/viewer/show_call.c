#include "viewer/show_call.h"

#include "base/clock.h"
#include "model/timeline_query.h"
#include "viewer/playback.h"

#define SHARE_LEAST 0.02 /* of the window: a shorter call is brought to SHARE_NEW */
#define SHARE_NEW 0.25
#define SHARE_MOST 0.9 /* that a call as long as the window is brought to */
#define WINDOW_LEAST_NS 1000.0

void rv_viewer_pin_call(struct rv_viewer *viewer, const struct rv_box *box, uint32_t lane_idx)
{
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, lane_idx);
    struct rv_act show_lane = {.action = RV_ACTION_SHOW_LANE, .idx = lane_idx + 1};
    if (lane_idx < viewer->lane_order.n_lanes && !rv_lane_choices_shows(&viewer->lane_order, lane_idx))
        rv_viewer_act(viewer, &show_lane);
    rv_playback_reveal(viewer, rv_box_end_ns(box));
    if (lane)
        rv_pointer_pin_box(&viewer->pointer, box, lane);
    rv_viewer_scroll_to(viewer, lane_idx, box->depth);
}

static void move_window(struct rv_viewer *viewer, const struct rv_box *box)
{
    uint64_t from_ns, to_ns, end_ns = rv_box_end_ns(box);
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    double width_ns = (double)(to_ns - from_ns), share = (double)box->duration_ns / width_ns;
    if (share >= SHARE_LEAST && box->start_ns >= from_ns && end_ns <= to_ns)
        return;
    if (share < SHARE_LEAST || share > SHARE_MOST)
        width_ns = (double)box->duration_ns / (share < SHARE_LEAST ? SHARE_NEW : SHARE_MOST);
    width_ns = width_ns > WINDOW_LEAST_NS ? width_ns : WINDOW_LEAST_NS;
    double before_ns = 0.5 * (width_ns - (double)box->duration_ns);
    from_ns = (double)box->start_ns > before_ns ? box->start_ns - (uint64_t)before_ns : 0;
    rv_time_window_set(&viewer->time_window, from_ns, from_ns + (uint64_t)width_ns);
}

void rv_viewer_show_call(struct rv_viewer *viewer, const struct rv_box *box, uint32_t lane_idx)
{
    viewer->time_window.is_following = false;
    move_window(viewer, box);
    rv_viewer_pin_call(viewer, box, lane_idx);
    viewer->is_dirty = viewer->is_touched = true;
}

void rv_viewer_show_time(struct rv_viewer *viewer, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t n_ns = to_ns > from_ns ? to_ns - from_ns : (uint64_t)WINDOW_LEAST_NS;
    viewer->time_window.is_following = false;
    rv_time_window_set(&viewer->time_window, from_ns > n_ns ? from_ns - n_ns : 0, rv_clock_after_ns(to_ns, n_ns));
    rv_viewer_touch(viewer);
}

struct innermost {
    struct rv_box *box;
    uint64_t from_ns, to_ns;
    bool is_found;
};

static void keep_deepest(void *context, const struct rv_box *box)
{
    struct innermost *innermost = context;
    if (box->start_ns > innermost->from_ns || rv_box_end_ns(box) < innermost->to_ns ||
        (innermost->is_found && box->depth < innermost->box->depth))
        return;
    *innermost->box = *box;
    innermost->is_found = true;
}

bool rv_viewer_innermost_around(struct rv_lane *lane, uint64_t from_ns, uint64_t to_ns, struct rv_box *box)
{
    struct innermost innermost = {box, from_ns, to_ns, false};
    pthread_rwlock_wrlock(&lane->lock);
    rv_timeline_query_across(lane->timeline, from_ns, keep_deepest, &innermost);
    for (size_t i = 0; i < lane->n_open && lane->open[i].start_ns <= from_ns; i++) {
        const struct rv_box open = rv_lane_open_box(lane, i);
        keep_deepest(&innermost, &open);
    }
    pthread_rwlock_unlock(&lane->lock);
    return innermost.is_found;
}

void rv_viewer_show_innermost(struct rv_viewer *viewer, uint32_t lane_idx, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, lane_idx);
    struct rv_box box;
    if (rv_viewer_innermost_around(lane, from_ns, to_ns, &box) || rv_viewer_innermost_around(lane, to_ns, to_ns, &box))
        rv_viewer_show_call(viewer, &box, lane_idx);
    else
        rv_viewer_show_time(viewer, from_ns, to_ns);
}
