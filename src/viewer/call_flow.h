/* The first flow or task that the pinned or hovered call tells, and where that leads. Part of viewer/viewer.h. */
#ifndef RV_VIEWER_CALL_FLOW_H
#define RV_VIEWER_CALL_FLOW_H

#include "model/view.h"
#include "tasks/flow_table.h"

struct rv_call_flow { /* zeroed = none known */
    bool is_on, is_task, has_from, has_to;
    uint32_t flow, name;                 /* its number in the table, id */
    size_t n_more;                       /* steps of other flows that the call tells */
    struct rv_flow_step from, to, begin; /* the steps before and after its last one, and the flow's first */
};

/* Of an exact call; none where flows are not known (table NULL), or for a cell. */
void rv_call_flow_find(struct rv_call_flow *found, const struct rv_flow_table *table, const struct rv_box *box,
                       uint32_t lane_idx);

struct rv_viewer;

/* Pin the call to which the pinned call's flow leads; of its last one, the one where it began. */
void rv_viewer_show_flow(struct rv_viewer *viewer);

#endif
