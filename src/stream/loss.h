/* Counters of everything known to be missing from a capture or a file. */
#ifndef RV_STREAM_LOSS_H
#define RV_STREAM_LOSS_H

#include <stdint.h>

enum rv_loss {
    RV_LOSS_EVENTS_DROPPED, /* by full rings */
    RV_LOSS_THREADS_WITHOUT_RING,
    RV_LOSS_EVENTS_WITHOUT_RING,    /* of those threads */
    RV_LOSS_NAMES,                  /* the name table was full */
    RV_LOSS_SWITCHES,               /* changes of threads' states that the kernel's buffers had no room for */
    RV_LOSS_ARGUMENTS,              /* calls and returns whose arguments or results were not kept */
    RV_LOSS_PROCESSES_REFUSED,      /* not allowed to open the trace file */
    RV_LOSS_PROGRAMS_NOT_PRELOADED, /* set-user-ID, in another root, ... */
    RV_LOSS_RINGS_FULL,             /* 1: a full ring ended the trace (policy fill) */
    RV_LOSS_PARTS_WRITTEN_OVER,     /* parts of the trace file that a program overwrote */
    RV_LOSS_EVENTS_LET_GO,          /* discarded by a recording's limit or trigger */
    RV_LOSS_BYTES_DAMAGED,          /* of a recording */
    RV_LOSS_CHUNKS_DAMAGED,         /* intact bytes with invalid content */
    RV_LOSS_END_MISSING,            /* 1: of a recording: cut off, or its recorder was killed or is running */
    RV_LOSS_RECORDS_LEFT_OUT,       /* of another tool's file; includes losses that the file itself reports */
    RV_LOSS_COUNT
};

struct rv_losses { /* zeroed = none */
    uint64_t n[RV_LOSS_COUNT];
};

#endif
