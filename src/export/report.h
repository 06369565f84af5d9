/* The report: per subroutine statistics, threads, loss; as text, CSV or JSON. */
#ifndef RV_EXPORT_REPORT_H
#define RV_EXPORT_REPORT_H

#include <stdio.h>

#include "export/full_rings.h"
#include "export/group_by.h"
#include "export/table.h"
#include "model/lanes.h"
#include "model/stats.h"
#include "model/subroutines.h"
#include "stream/loss.h"
#include "stream/silent_threads.h"

struct rv_report {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    const struct rv_stats *stats;       /* or */
    const struct rv_group_by *group_by; /* rows by argument, or by result; NULL = by subroutine alone */
    bool lacks_objects;                 /* some of the objects made are unknown: they are not counted */
    uint64_t n_produced, n_consumed, n_dropped, n_spans, n_switches;
    const struct rv_losses *losses;  /* NULL = none */
    struct rv_silent_threads silent; /* threads without a lane */
    struct rv_full_rings full_rings;
    unsigned width; /* of the terminal, in characters: text leaves out columns and rows; 0 = it is none */
};

/* Rows with equal (package-qualified name, file, line) are one subroutine. Groups have their text besides: "argument",
 * and as CSV the last column. 0, or the negative errno of the stream. */
int rv_report_write(const struct rv_report *report, enum rv_report_format format, FILE *out);

#endif
