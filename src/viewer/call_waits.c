#include "viewer/call_waits.h"

#include "viewer/show_call.h"

void rv_call_waits_find(struct rv_call_waits *waits, struct rv_wait_index *index, const struct rv_box *box,
                        uint32_t lane_idx)
{
    *waits = (struct rv_call_waits){0};
    if (!index || box->coverage != RV_BOX_EXACT)
        return;
    rv_wait_index_update(index);
    if (rv_wait_index_sum(index, lane_idx, box->start_ns, rv_box_end_ns(box), &waits->sum))
        (void)rv_wait_index_get(index, waits->sum.longest, &waits->longest);
}

struct innermost {
    struct rv_box box;
    bool is_found;
};

static void keep_deepest(void *context, const struct rv_box *box)
{
    struct innermost *innermost = context;
    if (innermost->is_found && box->depth < innermost->box.depth)
        return;
    innermost->box = *box;
    innermost->is_found = true;
}

/* The innermost call of a lane at a time, of those that are in memory. */
static struct innermost find_innermost(struct rv_lane *lane, uint64_t at_ns)
{
    struct innermost innermost = {.is_found = false};
    pthread_mutex_lock(&lane->lock);
    rv_timeline_each_across(lane->timeline, at_ns, keep_deepest, &innermost);
    for (size_t i = 0; i < lane->n_open && lane->open[i].start_ns <= at_ns; i++) {
        const struct rv_box box = rv_lane_open_box(lane, i);
        keep_deepest(&innermost, &box);
    }
    pthread_mutex_unlock(&lane->lock);
    return innermost;
}

void rv_viewer_show_waker(struct rv_viewer *viewer)
{
    const struct rv_wait_edge *edge = &viewer->pointer.waits.longest;
    const uint64_t at_ns = edge->released_ns    ? edge->released_ns
                           : edge->wait.woke_ns ? edge->wait.woke_ns
                                                : edge->wait.end_ns;
    if (!viewer->pointer.hover.is_on || !viewer->pointer.waits.sum.n || !edge->waker)
        return;
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, edge->waker->idx);
    const struct innermost waker = find_innermost(lane, at_ns);
    if (waker.is_found)
        rv_viewer_show_call(viewer, &waker.box, lane->idx);
}
