/* The table of source lines, as text, CSV or JSON. */
#ifndef RV_EXPORT_LINES_TABLE_H
#define RV_EXPORT_LINES_TABLE_H

#include <stdio.h>

#include "export/table.h"
#include "model/line_table.h"

struct rv_lines_report {
    const struct rv_line_table_row *rows; /* n, in their order */
    size_t n;
    struct rv_subroutines *subroutines;
    const struct rv_losses *losses; /* NULL = none */
};

/* Write the rows, and what was lost. 0, or the negative errno of the stream. */
int rv_lines_write(const struct rv_lines_report *report, enum rv_report_format format, FILE *out);

#endif
