/* What is known to be missing from what was captured or read, counted by what it is. */
#ifndef RV_FLOW_LOSS_H
#define RV_FLOW_LOSS_H

#include <stdint.h>

enum rv_loss {
    RV_LOSS_EVENTS_DROPPED, /* by full rings */
    RV_LOSS_THREADS_WITHOUT_RING,
    RV_LOSS_EVENTS_WITHOUT_RING, /* of those threads */
    RV_LOSS_NAMES,               /* that found no room */
    RV_LOSS_PROCESSES_REFUSED,   /* that may not open the trace file */
    RV_LOSS_RINGS_FULL,          /* 1: one that was full ended the trace (policy fill) */
    RV_LOSS_PARTS_WRITTEN_OVER,  /* of the trace file, by a traced program */
    RV_LOSS_EVENTS_LET_GO,       /* by a recording's limit or trigger */
    RV_LOSS_BYTES_DAMAGED,       /* of a recording */
    RV_LOSS_CHUNKS_DAMAGED,      /* the same, where the bytes are whole */
    RV_LOSS_RECORDS_LEFT_OUT,    /* of another tool's file, which may count some itself */
    RV_LOSS_COUNT
};

struct rv_losses { /* zeroed = none */
    uint64_t n[RV_LOSS_COUNT];
};

#endif
