#include "viewer/call_flow.h"

#include "viewer/show_call.h"
#include "viewer/viewer.h"

#define MOST_STEPS 65536u /* steps searched at most */

static void set(struct rv_call_flow *found, const struct rv_flow_table *table, uint32_t number)
{
    const struct rv_flow *flow = &table->flows[table->flow_of[number]];
    *found = (struct rv_call_flow){.is_on = true,
                                   .is_task = flow->is_task,
                                   .flow = table->flow_of[number],
                                   .name = flow->name,
                                   .has_from = number > flow->first,
                                   .has_to = number + 1 < flow->first + flow->n,
                                   .begin = table->steps[flow->first]};
    if (found->has_from)
        found->from = table->steps[number - 1];
    if (found->has_to)
        found->to = table->steps[number + 1];
}

void rv_call_flow_find(struct rv_call_flow *found, const struct rv_flow_table *table, const struct rv_box *box,
                       uint32_t lane_idx)
{
    *found = (struct rv_call_flow){.is_on = false};
    if (!table || box->coverage != RV_BOX_EXACT)
        return;
    const size_t first = rv_flow_table_find(table, lane_idx, box->start_ns);
    for (size_t i = first; i < table->n_steps && i - first < MOST_STEPS; i++) {
        const struct rv_flow_step *step = &table->steps[table->by_time[i]];
        if (step->lane != lane_idx || step->at_ns > rv_box_end_ns(box))
            break;
        if (step->call != box->id)
            continue;
        if (found->is_on)
            found->n_more++;
        else
            set(found, table, table->by_time[i]);
    }
}

void rv_viewer_show_flow(struct rv_viewer *viewer)
{
    const struct rv_call_flow *flow = &viewer->pointer.flow;
    const struct rv_flow_step *step = flow->has_to ? &flow->to : &flow->begin;
    struct rv_box box;
    if (!viewer->pointer.hover.is_on || !flow->is_on)
        return;
    struct rv_lane *lane = rv_lanes_get(viewer->lanes, step->lane);
    if (rv_viewer_innermost_around(lane, step->at_ns, step->at_ns, &box))
        rv_viewer_show_call(viewer, &box, step->lane);
    else
        rv_viewer_show_time(viewer, step->at_ns, step->at_ns);
}
