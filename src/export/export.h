/*
 * Exports to other tools' formats: lane by lane in order of threads, calls in calling order. Memory does not grow with
 * the number of spans.
 *
 *   chrome      Chrome Trace Event JSON: chrome://tracing, Perfetto, speedscope and others
 *   perfetto    Perfetto's protobuf trace of TrackEvents
 *   folded      "process;thread;caller;callee SELF_NS" a line: flame graphs, of wall time or of a part of it
 *   speedscope  speedscope's evented profiles, one a thread
 *   html        one page for a browser: the calls over time, a flame graph, a table
 *
 * Processes and threads keep their numbers. When a number is not unique (a reused id, an image replaced by exec, a
 * second stack of a thread), all but the first get a number that the kernel never assigns.
 */
#ifndef RV_EXPORT_EXPORT_H
#define RV_EXPORT_EXPORT_H

#include <stdio.h>

#include "stream/loss.h"
#include "model/lanes.h"
#include "model/subroutines.h"
#include "tasks/flows.h"
#include "waits/waits.h"
#include "export/slice.h"
#include "export/spool.h"

#define EXPORT_FORMAT(id, name) RV_EXPORT_##id,
enum rv_export_kind {
#include "export/format_rows.h"
    RV_EXPORT_KIND_COUNT
};
#undef EXPORT_FORMAT

struct rv_export {
    struct rv_lanes *lanes; /* of a session that has ended */
    struct rv_subroutines *subroutines;
    const struct rv_spool *spool; /* sealed */
    struct rv_slice part;         /* zeroed = all */
    const char *title;
    const struct rv_losses *losses; /* NULL = none */
    struct rv_waits *waits;         /* NULL = none; of chrome, perfetto and html */
    struct rv_flows *flows;         /* likewise; of chrome and perfetto */
    enum rv_time_kind flame;        /* of folded only */
    /* Called now and then with the number of spans done. May be NULL. */
    void (*progress)(void *context, uint64_t n_done, uint64_t n_all);
    void *context;
};

/* 0, or a negative errno; with one line printed unless it is the stream's error. */
int rv_export_write(const struct rv_export *export, enum rv_export_kind kind, FILE *out);

#endif
