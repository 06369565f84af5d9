/* The pinned call, whose time on its lane is measured for the inspector. Main thread. */
#ifndef RV_VIEWER_PINNED_CALL_H
#define RV_VIEWER_PINNED_CALL_H

#include "query/range_job.h"
#include "query/next_hit.h"

struct rv_viewer;

struct rv_pinned_call { /* zeroed = none */
    struct rv_search_place place;
    uint32_t id;
    uint64_t duration_ns;
    struct rv_range_job measure;
};

/* Measure what the viewer has pinned, unless it is measured already; a cell is not. True: the measure is done just
 * now. */
bool rv_pinned_call_update(struct rv_pinned_call *call, struct rv_viewer *viewer);

void rv_pinned_call_fini(struct rv_pinned_call *call);

/* The call among the nodes of its measured time; 0 while it is not measured. */
uint32_t rv_pinned_call_node(const struct rv_pinned_call *call);

#endif
