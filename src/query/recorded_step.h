/*
 * Steps from event to event. Where the lanes have all calls a step is made at once; of a recording that is told in sum
 * it looks at what they have, then at the blocks around, until none that is left can hold a nearer event. Main thread;
 * never waits.
 */
#ifndef RV_QUERY_RECORDED_STEP_H
#define RV_QUERY_RECORDED_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lane_order.h"
#include "model/lanes.h"
#include "pipeline/session.h"

struct rv_stride { /* zeroed = no step is to be made */
    int n_steps;   /* still to be made, with the one that is being made; less than 0: back */
    bool is_begun; /* this step */
    uint64_t at_ns, found_ns;
    bool is_found;            /* the nearest so far */
    struct rv_survey *survey; /* NULL: all was looked at */
};

struct rv_stride_about {
    struct rv_session *session; /* NULL = all calls are in the lanes */
    struct rv_lanes *lanes;
    const struct rv_arrangement *arrangement; /* up to date: lanes that it hides do not count */
    const uint32_t *lane_idx;                 /* this lane alone counts; NULL = all */
    uint64_t at_ns;                           /* where the step begins; looked at when it does */
};

/* One more step, or one less. */
void rv_stride_wish(struct rv_stride *stride, bool is_forward);

/* No more steps. */
void rv_stride_stop(struct rv_stride *stride);

/*
 * Get on with the step: microseconds, and some more for each block that has come.
 *   returns  true when it is made and *ns is where it led. One that leads nowhere ends all of them
 */
bool rv_stride_go_on(struct rv_stride *stride, const struct rv_stride_about *about, uint64_t *ns);

#endif
