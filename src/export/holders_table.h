/* The table of holders: who had what threads waited for, and who waited, one after the other; as text, CSV or JSON. */
#ifndef RV_EXPORT_HOLDERS_TABLE_H
#define RV_EXPORT_HOLDERS_TABLE_H

#include <stdio.h>

#include "export/table.h"
#include "waits/waits.h"

struct rv_holders_report {
    struct rv_waits *waits;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    const struct rv_losses *losses; /* NULL: none */
};

/* 0, or the negative errno of the stream. */
int rv_holders_write(const struct rv_holders_report *report, enum rv_report_format format, FILE *out);

#endif
