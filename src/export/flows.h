/* The table of flows and tasks: how many, how long from begin to end, and the longest ones' ways; as text, CSV or JSON. */
#ifndef RV_EXPORT_FLOWS_H
#define RV_EXPORT_FLOWS_H

#include <stdio.h>

#include "export/report.h"
#include "tasks/flows.h"

/* 0, or the negative errno of the stream. */
int rv_flows_write(struct rv_flows *flows, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                   enum rv_report_format format, FILE *out);

#endif
