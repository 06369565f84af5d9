/* Recognizes FILE by its content and opens the source that reads it. */
#ifndef RV_CLI_OPEN_TRACE_H
#define RV_CLI_OPEN_TRACE_H

#include <stdbool.h>

#include "ring/map.h"
#include "import/formats.h"
#include "source/live_drain.h"

struct rv_open_trace_params {
    const char *path;
    const struct rv_import_format *format; /* --import; NULL = recognized by content */
    struct rv_live_drain_params live;      /* the filter applies to every source */
    bool needs_few_blocks;                 /* large recordings may be opened by their index */
};

/* Is it a recording, by its first bytes? False if unreadable. */
bool rv_open_trace_is_recording(const char *path);

/*
 * Open a live trace file, a recording, or a trace of another tool.
 *   map      map of a live trace file, to be closed by the caller; else stays zeroed
 *   source   owned by the caller; borrows params' filter
 *   returns  0, or a negative errno with one line printed
 */
int rv_open_trace(struct rv_map *map, struct rv_source **source, const struct rv_open_trace_params *params);

#endif
