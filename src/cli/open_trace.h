/* What FILE is, told by its content, and the source that reads it. */
#ifndef RV_CLI_OPEN_TRACE_H
#define RV_CLI_OPEN_TRACE_H

#include <stdbool.h>

#include "ring/map.h"
#include "import/formats.h"
#include "source/live.h"

struct rv_open_trace_params {
    const char *path;
    const struct rv_import_format *format; /* --import; NULL = told by content */
    struct rv_live_params live;            /* its filter is every source's */
    bool is_for_looks;                     /* a large recording may be summarized: what is looked at is read then */
};

/* By its first bytes; false where it cannot be read. */
bool rv_open_trace_is_recording(const char *path);

/*
 * Open a live trace file, a recording, or a trace of another tool.
 *   map      of a live trace file, the caller's to close; stays zeroed for anything else
 *   source   the caller's; takes nothing of params but the filter, which outlives it
 *   returns  0, or a negative errno with one line printed
 */
int rv_open_trace(struct rv_map *map, struct rv_source **source, const struct rv_open_trace_params *params);

#endif
