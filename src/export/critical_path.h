/*
 * The critical path of a run, of a range of time or of a call (model/critical_path.h) as a table: the subroutines that
 * ran on it, the objects for which one thread of it waited for another, the waits whose waker is not known; as text, CSV
 * or JSON.
 */
#ifndef RV_EXPORT_CRITICAL_PATH_H
#define RV_EXPORT_CRITICAL_PATH_H

#include <stdio.h>

#include "export/report.h"
#include "export/slice.h"
#include "export/spool.h"
#include "model/waits.h"

struct rv_critical_path_report {
    struct rv_lanes *lanes; /* of a session that has ended */
    struct rv_subroutines *subroutines;
    struct rv_waits *waits;
    const struct rv_spool *spool; /* sealed */
    struct rv_slice part;         /* with a filter: the path of the longest call in it; else of its time */
    const struct rv_losses *losses;
};

/* 0, or a negative errno; with one line printed unless it is the stream's error. */
int rv_critical_path_write(const struct rv_critical_path_report *report, enum rv_report_format format, FILE *out);

#endif
