/*
 * Steps to the next or previous event: where a call begins or ends, of the lanes and of blocks that are not loaded. Of
 * calls whose beginning was never seen only the end is an event; what was evicted has none.
 */
#ifndef RV_QUERY_STEP_H
#define RV_QUERY_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lane_order.h"
#include "model/lanes.h"
#include "pipeline/session.h"

struct rv_step {   /* zeroed = no step is to be made */
    int n_steps;   /* still to be made, with the one that is being made; less than 0: back */
    bool is_begun; /* this step */
    uint64_t at_ns, found_ns;
    bool is_found; /* the nearest so far */
    struct rv_span_reader *reader;
};

struct rv_step_params {
    struct rv_session *session; /* NULL = all calls are in the lanes */
    struct rv_lanes *lanes;
    const struct rv_lane_order *lane_order; /* up to date: lanes that it hides do not count */
    const uint32_t *lane_idx;               /* this lane alone counts; NULL = all */
    uint64_t at_ns;                         /* where the step begins; looked at when it does */
};

/* One more step, or one less. */
void rv_step_request(struct rv_step *step, bool is_forward);

/* No more steps. */
void rv_step_stop(struct rv_step *step);

/*
 * Get on with the step: microseconds, and some more for each block that has come. Main thread; never waits.
 *   returns  true when it is made and *ns is where it led. One that leads nowhere ends all of them
 */
bool rv_step_go_on(struct rv_step *step, const struct rv_step_params *params, uint64_t *ns);

/*
 * The time of the first event of a lane after at_ns, or of the last one before it; false when there is none. They know
 * nothing of what is only summarized. A search per log and a look at what ends within the length of its calls; no walk
 * over the lane. Under the lane's lock.
 */
bool rv_step_next(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns);
bool rv_step_previous(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns);

#endif
