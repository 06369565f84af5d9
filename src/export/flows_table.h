/* The table of flows and tasks: how many, how long from begin to end, and the longest ones' ways; as text, CSV or
 * JSON. */
#ifndef RV_EXPORT_FLOWS_TABLE_H
#define RV_EXPORT_FLOWS_TABLE_H

#include <stdio.h>

#include "export/table.h"
#include "tasks/flows.h"

struct rv_flows_report {
    struct rv_flows *flows;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    const struct rv_losses *losses; /* NULL = none */
};

/* 0, or the negative errno of the stream. */
int rv_flows_write(const struct rv_flows_report *report, enum rv_report_format format, FILE *out);

#endif
