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

/* Characters in a line of the terminal that the stream goes to; 0 = it goes to none. */
unsigned rv_table_width(FILE *out);

struct rv_table_group { /* columns that are left out together where there is no room */
    const char *name;
    int width; /* 0: there are none */
};

/*
 * How many of n groups, the least telling first, a terminal has no room for.
 *   others  width of all other columns
 *   width   of the terminal; 0 = it is none
 */
int rv_table_leave_out(const struct rv_table_group *groups, int n, int others, unsigned width);

/* The line that names them. */
void rv_table_add_left_out(struct rv_text_buffer *text, const struct rv_table_group *groups, int n_left_out);

/* Lines that are longer than width go on below their last column. */
void rv_table_wrap(struct rv_text_buffer *text, unsigned width);

/*
 * Write it in one of the forms, on a terminal with its lines wrapped; or return error, if that is not 0. 0, or the
 * negative errno of the stream.
 */
int rv_table_write(const struct rv_table_forms *forms, const void *table, enum rv_report_format format, FILE *out,
                   int error);

#endif
