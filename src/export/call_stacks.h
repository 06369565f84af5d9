/* The calls that were open at given times, from the spool: in one pass over the lanes concerned. */
#ifndef RV_EXPORT_CALL_STACKS_H
#define RV_EXPORT_CALL_STACKS_H

#include "export/spool.h"

#define RV_CALL_STACK_MOST 64u

struct rv_call_stack {
    uint32_t lane_idx;
    uint64_t at_ns;                   /* calls began before it and had not ended */
    uint32_t ids[RV_CALL_STACK_MOST]; /* the innermost ones, these first */
    size_t n;                         /* of all */
};

/* Fill in the ids of n stacks, in any order. 0, or a negative errno with one line printed. */
int rv_call_stacks_read(const struct rv_spool *spool, struct rv_call_stack *stacks, size_t n);

#endif
