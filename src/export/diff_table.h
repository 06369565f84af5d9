/* Writes a comparison of two runs as text, CSV or JSON. */
#ifndef RV_EXPORT_DIFF_TABLE_H
#define RV_EXPORT_DIFF_TABLE_H

#include <stdio.h>

#include "model/diff.h"
#include "stream/loss.h"
#include "export/table.h"

struct rv_diff_table {
    const struct rv_diff *diff;
    const char *title[RV_DIFF_SIDES]; /* of the runs */
    uint64_t n_spans[RV_DIFF_SIDES];
    bool has_states[RV_DIFF_SIDES]; /* the threads' states are known */
    struct rv_losses losses[RV_DIFF_SIDES];
    unsigned width; /* of the terminal, in characters: text leaves out columns; 0 = it is none */
};

/* Rows in the comparison's order. 0, or the negative errno of the stream. */
int rv_diff_table_write(const struct rv_diff_table *table, enum rv_report_format format, FILE *out);

#endif
