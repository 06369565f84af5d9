/* The table of waits: what threads waited for, how long, and who kept them waiting; as text, CSV or JSON. */
#ifndef RV_EXPORT_WAITS_TABLE_H
#define RV_EXPORT_WAITS_TABLE_H

#include <stdio.h>

#include "export/table.h"
#include "export/spool.h"
#include "export/text_buffer.h"
#include "stream/silent_threads.h"
#include "waits/waits.h"

struct rv_waits_report {
    struct rv_waits *waits;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    const struct rv_losses *losses;  /* NULL: none */
    struct rv_silent_threads silent; /* threads without a lane */
    const struct rv_spool *spool;    /* sealed, for the holders' stacks; NULL: none */
    bool of_arcs;                    /* a row for each call that ended waits and each call that had them, instead */
};

/* 0, or the negative errno of the stream. */
int rv_waits_write(const struct rv_waits_report *report, enum rv_report_format format, FILE *out);

/* The number of processes whose waits are not known, if that is not the number of all that have waits; 0: none. */
size_t rv_waits_count_unknown(const struct rv_lanes *lanes, bool has_waits);

/* "waits of 2 processes are not known: ...": a line, if there are any. */
void rv_waits_add_unknown(struct rv_text_buffer *text, size_t n_unknown);

/* The kind and the name of an object; for the caller to free. */
char *rv_waits_take_object(struct rv_subroutines *subroutines, enum rv_wait_kind kind, uint32_t object);

/* The object that the JSON is, of waits by object. */
void rv_waits_add_json(struct rv_text_buffer *text, const struct rv_waits_report *report);

#endif
