/* A table's end: it is written as text, CSV or JSON. */
#ifndef RV_EXPORT_TABLE_H
#define RV_EXPORT_TABLE_H

#include <stdio.h>

#include "export/text_buffer.h"

enum rv_report_format { RV_REPORT_TEXT, RV_REPORT_CSV, RV_REPORT_JSON };

typedef void rv_table_add_fn(struct rv_text_buffer *text, const void *table);

struct rv_table_forms { /* append a table, with its line end */
    rv_table_add_fn *text, *csv, *json;
};

/* Write it in one of the forms; or return error, if that is not 0. 0, or the negative errno of the stream. */
int rv_table_write(const struct rv_table_forms *forms, const void *table, enum rv_report_format format, FILE *out,
                   int error);

#endif
