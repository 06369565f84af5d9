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

void rv_viewer_show_waker(struct rv_viewer *viewer)
{
    const struct rv_wait_edge *edge = &viewer->pointer.waits.longest;
    const uint64_t at_ns = edge->released_ns    ? edge->released_ns
                           : edge->wait.woke_ns ? edge->wait.woke_ns
                                                : edge->wait.end_ns;
    if (!viewer->pointer.hover.is_on || !viewer->pointer.waits.sum.n || !edge->waker)
        return;
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, edge->waker->idx);
    struct rv_box waker;
    if (rv_viewer_innermost_around(lane, at_ns, at_ns, &waker))
        rv_viewer_show_call(viewer, &waker, lane->idx);
}
