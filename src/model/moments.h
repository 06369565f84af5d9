/* Moments of a lane, and the calls in which they were: when its thread was off the CPU, and the like. */
#ifndef RV_MODEL_MOMENTS_H
#define RV_MODEL_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "scan/span.h"

enum rv_moment_kind {
    RV_MOMENT_STRETCH, /* the end of a time in which the thread did not run */
    RV_MOMENT_SPLIT,   /* of one whose call is known already: how much of it was runnable, not blocked */
    RV_MOMENT_WOKEN,   /* its wait for an object ended */
    RV_MOMENT_RELEASE, /* it released an object that others waited for */
    RV_MOMENT_TAKEN,   /* it took one */
    RV_MOMENT_STEP,    /* it told a step of a flow or task; also at the begin of a call that tells it first */
    RV_MOMENT_LEFT     /* its task is no longer current */
};

struct rv_moment {
    uint64_t at_ns;
    struct rv_state_times times; /* of a stretch; of a split, what is added to it: sums wrap */
    enum rv_moment_kind kind;
    uint32_t of;   /* WOKEN, STEP: the caller's number of the wait, of the step; RELEASE, TAKEN: id of the object */
    uint32_t call; /* id of the innermost call; 0: none */
};

/*
 * Set the calls of moments in one block of a lane: a call is innermost when it began before the moment and no deeper
 * one did. ORPHANs are skipped: in which block one is found depends on how events were cut into blocks.
 *   moments  n of them, by time
 *   spans    the block's finished calls, in closing order
 *   open     the frames open after the block, outermost first
 *   scratch  room for n indices
 */
void rv_moments_find_calls(struct rv_moment *moments, size_t n, const struct rv_span *spans, size_t n_spans,
                           const struct rv_lane_frame *open, size_t n_open, size_t *scratch);

#endif
