/*
 * Lanes of what threads waited for, in a view of threads: before its other lanes, one for each object, locks
 * first, then most waiting first. Its lower row is who had it, by the call that released it; above it is who waited, by
 * the call that waited. They are drawn and picked like others; rv_lock_lanes_at() tells what a box is of.
 */
#ifndef RV_QUERY_LOCK_LANES_H
#define RV_QUERY_LOCK_LANES_H

#include "model/subroutines.h"
#include "model/view.h"
#include "waits/holders.h"

#define RV_LOCK_LANES_MOST 6u

struct rv_lock_lanes_params {
    const struct rv_holders *holders; /* NULL: no lanes */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
};

/* The view was made with view_params, and has no such lanes. Any thread, one at a time. */
void rv_lock_lanes_add(struct rv_view *view, const struct rv_lock_lanes_params *params,
                       const struct rv_view_params *view_params);

/* The object of a lane of the view; NULL: it is another one, or the object is none of these. */
const struct rv_held_object *rv_lock_lanes_object(const struct rv_holders *holders, const struct rv_view_lane *lane);

/* What a box of an object's lane is of; NULL: of several. */
const struct rv_hold *rv_lock_lanes_at(const struct rv_holders *holders, const struct rv_held_object *object,
                                       const struct rv_box *box);

#endif
