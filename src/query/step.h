/*
 * Steps to the next or previous event: the begin or end of a call, in the lanes and in blocks that are not loaded. A
 * call whose begin was not seen only has an end; evicted calls have no events.
 */
#ifndef RV_QUERY_STEP_H
#define RV_QUERY_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lane_choices.h"
#include "model/lanes.h"
#include "pipeline/session.h"

struct rv_step {   /* zeroed = no steps pending */
    int n_steps;   /* pending steps with the current one; negative: backward */
    bool is_begun; /* the current step */
    uint64_t at_ns, found_ns;
    bool is_found; /* a nearest event so far */
    struct rv_span_reader *reader;
};

struct rv_step_params {
    struct rv_session *session; /* NULL = all calls are in the lanes */
    struct rv_lanes *lanes;
    const struct rv_lane_choices *lane_order; /* up to date; hidden lanes are ignored */
    const uint32_t *lane_idx;                 /* only this lane; NULL = all */
    uint64_t at_ns;                           /* start of the step; read when it begins */
};

/* Add a step forward or backward. */
void rv_step_request(struct rv_step *step, bool is_forward);

/* Cancel all steps. */
void rv_step_stop(struct rv_step *step);

/*
 * Continue the step: microseconds, plus some for each loaded block. Main thread; never waits.
 *   returns  true when done, with its time in *ns. A step without a target ends all of them
 */
bool rv_step_go_on(struct rv_step *step, const struct rv_step_params *params, uint64_t *ns);

/*
 * The time of the first event of a lane after at_ns, or of the last one before it; false when there is none. Ignores
 * sums. One search per log plus the calls that end within the log's limit. Under the lane's lock.
 */
bool rv_step_next(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns);
bool rv_step_previous(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns);

#endif
