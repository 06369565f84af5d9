/*
 * The critical path of a run, of a range of time or of a call (model/critical_path_walk.h) as a table: the subroutines
 * that ran on it, the objects for which one thread of it waited for another, the waits whose waker is not known; as
 * text, CSV or JSON.
 */
#ifndef RV_EXPORT_CRITICAL_PATH_TABLE_H
#define RV_EXPORT_CRITICAL_PATH_TABLE_H

#include <stdio.h>

#include "export/lane_calls.h"
#include "export/critical_path_sums.h"
#include "export/slice.h"
#include "export/table.h"
#include "waits/waits.h"

struct rv_critical_path_report {
    struct rv_lanes *lanes; /* of a session that has ended */
    struct rv_subroutines *subroutines;
    struct rv_waits *waits;
    struct rv_lane_calls calls;
    struct rv_critical_path_sums *sums; /* of the recording, kept from path to path; NULL: nothing is */
    struct rv_slice part;               /* with a filter: the path of the longest call in it; else of its time */
    uint64_t most_fold_bytes;           /* of a recording's folds in memory: without some, events are read */
    const struct rv_losses *losses;
    /* Told how much was read, from 0 to 1. May be NULL. */
    void (*tell)(void *teller, double done);
    void *teller;
};

struct rv_critical_path_end { /* where a path ends, and what it is of */
    uint32_t lane_idx, call;  /* call: id of its subroutine; 0: it is of a time */
    uint64_t from_ns, to_ns;
};

/* 0 with *end set, or a negative errno; with one line printed unless it is the stream's error. */
int rv_critical_path_table_write(const struct rv_critical_path_report *report, enum rv_report_format format, FILE *out,
                                 struct rv_critical_path_end *end);

#endif
