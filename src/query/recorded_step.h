/*
 * Steps to the next or previous event. In the lanes a step is made at once; in a summarized recording it looks at the
 * lanes, then at the blocks around, until none that is left can hold a nearer event. Main thread; never waits.
 */
#ifndef RV_QUERY_RECORDED_STEP_H
#define RV_QUERY_RECORDED_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lane_order.h"
#include "model/lanes.h"
#include "pipeline/session.h"

struct rv_recorded_step { /* zeroed = no step is to be made */
    int n_steps;          /* still to be made, with the one that is being made; less than 0: back */
    bool is_begun;        /* this step */
    uint64_t at_ns, found_ns;
    bool is_found;                        /* the nearest so far */
    struct rv_block_reader *block_reader; /* NULL: all was looked at */
};

struct rv_recorded_step_about {
    struct rv_session *session; /* NULL = all calls are in the lanes */
    struct rv_lanes *lanes;
    const struct rv_lane_order *lane_order; /* up to date: lanes that it hides do not count */
    const uint32_t *lane_idx;               /* this lane alone counts; NULL = all */
    uint64_t at_ns;                         /* where the step begins; looked at when it does */
};

/* One more step, or one less. */
void rv_recorded_step_request(struct rv_recorded_step *recorded_step, bool is_forward);

/* No more steps. */
void rv_recorded_step_stop(struct rv_recorded_step *recorded_step);

/*
 * Get on with the step: microseconds, and some more for each block that has come.
 *   returns  true when it is made and *ns is where it led. One that leads nowhere ends all of them
 */
bool rv_recorded_step_go_on(struct rv_recorded_step *recorded_step, const struct rv_recorded_step_about *about,
                            uint64_t *ns);

#endif
