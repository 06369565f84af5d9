/*
 * Streams of threads that make no calls, so that it is seen when they ran, when they waited and for what: the switches
 * that the kernel reports of them, and the system calls in which it says that they are blocked. Those of traced
 * processes, once they have been silent for half a second. All functions: drain thread.
 */
#ifndef RV_SOURCE_SILENT_STREAMS_H
#define RV_SOURCE_SILENT_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "source/context_switches.h"
#include "source/source.h"
#include "symbols/symbolizer.h"
#include "ring/map.h"

struct rv_silent_stream; /* opaque */

struct rv_silent_streams {
    struct rv_map *map;                   /* borrowed, as are the next two */
    struct rv_symbolizer *symbolizer;
    struct rv_context_switches *switches; /* NULL: there are no such streams */
    struct rv_silent_stream *all;         /* those that are open */
    size_t n, capacity;
    uint64_t looked_ns; /* for new ones */
};

void rv_silent_streams_fini(struct rv_silent_streams *streams);

/*
 * Hand over the switches since the turn before. A stream ends where its thread does, or makes a call.
 *   until  ticks: those before have been read
 */
void rv_silent_streams_turn(struct rv_silent_streams *streams, uint64_t until, const struct rv_intake *intake);

/* No turn follows: close all. */
void rv_silent_streams_end(struct rv_silent_streams *streams, uint64_t now, const struct rv_intake *intake);

#endif
