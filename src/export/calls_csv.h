/* A list of calls of one subroutine as CSV. */
#ifndef RV_EXPORT_CALLS_CSV_H
#define RV_EXPORT_CALLS_CSV_H

#include <stdio.h>

#include "model/call_list.h"
#include "model/lanes.h"
#include "model/subroutines.h"

struct rv_calls_csv_params {
    const struct rv_call_list *list; /* finished */
    const uint32_t *order;           /* places in the list, row by row; NULL = as listed */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
};

/*
 * The columns of rv_spans_write(), then self_ns (within the range of the list) and caller. Calls that the list has only
 * counted are one last row, of process 0 with the flag "left out" and their number as line.
 *   returns  0 or negative errno
 */
int rv_calls_csv_write(const struct rv_calls_csv_params *params, FILE *out);

#endif
