/*
 * What was captured, in the formats of other tools: one lane after the other, thread by thread, calls in calling
 * order. Memory does not grow with the number of spans.
 *
 *   chrome      Chrome Trace Event JSON: chrome://tracing, Perfetto, speedscope and others
 *   perfetto    Perfetto's protobuf trace of TrackEvents
 *   folded      "process;thread;caller;callee SELF_NS" a line: flame graphs
 *   speedscope  speedscope's evented profiles, one a thread
 *
 * Processes and threads keep their numbers. Where one number means several (a reused id, an image that was replaced by
 * exec, a second stack of a thread), all but the first get a number that no kernel gives.
 */
#ifndef RV_EXPORT_EXPORT_H
#define RV_EXPORT_EXPORT_H

#include <stdio.h>

#include "flow/loss.h"
#include "model/lanes.h"
#include "model/subroutines.h"
#include "export/slice.h"
#include "export/spool.h"

enum rv_export_kind {
    RV_EXPORT_CHROME,
    RV_EXPORT_PERFETTO,
    RV_EXPORT_FOLDED,
    RV_EXPORT_SPEEDSCOPE,
    RV_EXPORT_KIND_COUNT
};

struct rv_export {
    struct rv_lanes *lanes; /* of a session that has ended */
    struct rv_subroutines *subroutines;
    const struct rv_spool *spool; /* sealed */
    struct rv_slice part;         /* zeroed = all */
    const char *title;
    const struct rv_losses *losses; /* NULL = none */
    /* Told now and then how many of the spool's spans are done. May be NULL. */
    void (*progress)(void *context, uint64_t n_done, uint64_t n_all);
    void *context;
};

/* 0, or a negative errno; one line is printed unless it is the stream's. */
int rv_export_write(const struct rv_export *export, enum rv_export_kind kind, FILE *out);

#endif
