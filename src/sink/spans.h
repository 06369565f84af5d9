/* Every span as CSV or JSON lines: spooled while the program runs, written with names when it has ended. */
#ifndef RV_SINK_SPANS_H
#define RV_SINK_SPANS_H

#include <stdio.h>

#include "model/lanes.h"
#include "model/subroutines.h"
#include "sink/sink.h"

enum rv_spans_format { RV_SPANS_CSV, RV_SPANS_JSON };

struct rv_spans; /* opaque; internally locked */

/* Spool in an unlinked temporary file. NULL with one line printed. */
struct rv_spans *rv_spans_create(void);
void rv_spans_destroy(struct rv_spans *spans);

/* The sink that fills it. */
struct rv_sink rv_spans_sink(struct rv_spans *spans);

/*
 * CSV with a header line, or one JSON object a line: process, thread, depth, start_ns (CLOCK_MONOTONIC), duration_ns,
 * name, file, line, flags ("cut", "orphan", "open", joined by '|'), in the order they were added. After a full disk
 * what was spooled before it is written, and its error returned. 0 or negative errno.
 */
int rv_spans_write(struct rv_spans *spans, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                   enum rv_spans_format format, FILE *out);

#endif
