/* Stretches of time in which a thread was off the CPU, and the calls that they belong to. */
#ifndef RV_MODEL_OFF_CPU_H
#define RV_MODEL_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "scan/span.h"

struct rv_off_cpu {
    uint64_t end_ns, n_ns; /* the thread ran again at end_ns, after n_ns */
    bool is_blocked;       /* it waited; else it was preempted */
    uint32_t id;           /* of the innermost call; 0: none */
};

/*
 * Set the ids of stretches that ended in one block of a lane: a call is innermost when it began before the stretch's
 * end and no deeper one did. ORPHANs are skipped: in which block one is found depends on how events were cut into
 * blocks.
 *   stretches  n of them, by end_ns
 *   spans      the block's finished calls, in closing order
 *   open       the frames open after the block, outermost first
 *   scratch    room for n indices
 */
void rv_off_cpu_attribute(struct rv_off_cpu *stretches, size_t n, const struct rv_span *spans, size_t n_spans,
                          const struct rv_lane_frame *open, size_t n_open, size_t *scratch);

#endif
