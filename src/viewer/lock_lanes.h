/* What is under the cursor in a lane of what threads waited for: who had it, or who waited. Part of viewer/viewer.h. */
#ifndef RV_VIEWER_LOCK_LANES_H
#define RV_VIEWER_LOCK_LANES_H

#include <stdbool.h>

#include "query/lock_lanes.h"
#include "render/pick.h"
#include "render/tooltip.h"

struct rv_lock_hover { /* zeroed = none */
    bool is_on;
    uint32_t object; /* id of its name */
    enum rv_wait_kind kind;
    struct rv_hold hold; /* of a cell its time only */
    bool is_cell;
    uint32_t n_in_cell;
    size_t n_waiting; /* for the object, as it begins */
    uint64_t n_waits, waited_ns;
    uint32_t box_idx;
    float at_px[2];
};

struct rv_viewer;
struct rv_session;

/* Set to what was picked; hit NULL, or of another lane: none. Returns whether it is another one than before. */
bool rv_lock_hover_move(struct rv_lock_hover *hover, const struct rv_holders *holders, const struct rv_view *view,
                        const struct rv_pick_hit *hit, const float at_px[2]);

/* scale: pixels per point. */
void rv_lock_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_lock_hover *hover, struct rv_session *session,
                          double scale);

/* Go to the call in which the thread had it, or waited, and pin it. */
void rv_viewer_show_hold(struct rv_viewer *viewer, const struct rv_lock_hover *hover);

#endif
