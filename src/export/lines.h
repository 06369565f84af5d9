/* The table of source lines, as text, CSV or JSON. */
#ifndef RV_EXPORT_LINES_H
#define RV_EXPORT_LINES_H

#include <stdio.h>

#include "export/report.h"
#include "model/line_table.h"

/* Write n rows in their order. 0, or the negative errno of the stream. */
int rv_lines_write(const struct rv_line_times *rows, size_t n, struct rv_subroutines *subroutines,
                   enum rv_report_format format, FILE *out);

#endif
