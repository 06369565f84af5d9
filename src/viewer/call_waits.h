/* What the pinned or hovered call waited for, and the call that ended its longest wait. Part of viewer/viewer.h. */
#ifndef RV_VIEWER_CALL_WAITS_H
#define RV_VIEWER_CALL_WAITS_H

#include "waits/index.h"

struct rv_call_waits { /* zeroed = none known */
    struct rv_wait_sum sum;
    struct rv_wait_edge longest;
};

/* Of an exact call; none where waits are not kept (index NULL), or for a cell. */
void rv_call_waits_find(struct rv_call_waits *waits, struct rv_wait_index *index, const struct rv_box *box,
                        uint32_t lane_idx);

struct rv_viewer;

/* Pin the call that ended the pinned call's longest wait, wherever it is; nothing where that is not known. */
void rv_viewer_show_waker(struct rv_viewer *viewer);

#endif
