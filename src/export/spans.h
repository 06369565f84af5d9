/* Every span as CSV or JSON lines, from the spool, after the program's end, when names are known. */
#ifndef RV_EXPORT_SPANS_H
#define RV_EXPORT_SPANS_H

#include <stdio.h>

#include "stream/loss.h"
#include "model/lanes.h"
#include "model/subroutines.h"
#include "export/slice.h"
#include "export/spool.h"

enum rv_spans_format { RV_SPANS_CSV, RV_SPANS_JSON };

struct rv_spans_params {
    const struct rv_spool *spool; /* sealed */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    enum rv_spans_format format;
    struct rv_slice part;           /* zeroed = all */
    const struct rv_losses *losses; /* NULL = none */
};

/*
 * CSV with a header line, or one JSON object a line: process, thread, depth, start_ns (CLOCK_MONOTONIC), duration_ns,
 * name, file, line, where lanes have stretches off the CPU (else empty, and not in JSON) cpu_ns, blocked_ns,
 * runnable_ns and the same of it alone, without callees, as self_cpu_ns, self_blocked_ns, self_runnable_ns, then flags
 * ("cut", "orphan", "open", joined by '|'); where arguments were captured args and result, of the calls of which they
 * were; thread by thread, in closing order. Then the losses, if any: as CSV a row each, of process 0 with the flag
 * "lost", the kind as name and the number as line; as JSON one object {"lost":{...}}.
 *   returns  0 or negative errno
 */
int rv_spans_write(const struct rv_spans_params *params, FILE *out);

#endif
