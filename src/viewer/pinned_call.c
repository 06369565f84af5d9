#include "viewer/pinned_call.h"

#include "viewer/viewer.h"

static bool is_same_call(const struct rv_pinned_call *call, const struct rv_box *box, uint32_t lane_idx)
{
    return call->measure.range && call->place.start_ns == box->start_ns && call->place.depth == box->depth &&
           call->place.lane_idx == lane_idx && call->id == box->id;
}

static void measure(struct rv_pinned_call *call, const struct rv_box *box, uint32_t lane_idx, struct rv_viewer *viewer)
{
    call->place = (struct rv_search_place){box->start_ns, lane_idx, box->depth};
    call->id = box->id;
    call->duration_ns = box->duration_ns ? box->duration_ns : 1;
    rv_range_job_start(&call->measure,
                       &(struct rv_range_statistics_params){.from_ns = box->start_ns,
                                                            .to_ns = box->start_ns + call->duration_ns,
                                                            .lanes = viewer->lanes,
                                                            .subroutines = viewer->subroutines,
                                                            .lane_idxs = &lane_idx,
                                                            .n_lane_idxs = 1},
                       viewer->session);
}

bool rv_pinned_call_update(struct rv_pinned_call *call, struct rv_viewer *viewer)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    const bool is_call = hover->is_pinned && hover->box.coverage == RV_BOX_EXACT;
    if (!is_call || !is_same_call(call, &hover->box, hover->lane_idx))
        rv_range_job_stop(&call->measure);
    if (is_call && !call->measure.range)
        measure(call, &hover->box, hover->lane_idx, viewer);
    return rv_range_job_poll(&call->measure);
}

void rv_pinned_call_fini(struct rv_pinned_call *call)
{
    rv_range_job_stop(&call->measure);
}

/* What encloses the call fills its time, as the call itself does: the innermost of those, not deeper than it is. */
uint32_t rv_pinned_call_node(const struct rv_pinned_call *call)
{
    size_t n;
    uint32_t found = 0;
    if (!rv_range_job_is_done(&call->measure))
        return 0;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(call->measure.range, &n);
    uint32_t at = nodes[0].first_child, id = rv_range_statistics_id(call->measure.range, call->id);
    for (uint32_t depth = 0; at && depth <= call->place.depth; depth++, at = nodes[at].first_child)
        if (nodes[at].id == id && nodes[at].n_calls == 1)
            found = at;
    return found;
}
