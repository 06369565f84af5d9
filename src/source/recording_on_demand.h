/* A recording read through its index: the summary of all blocks first, the events of a block on demand. */
#ifndef RV_SOURCE_RECORDING_ON_DEMAND_H
#define RV_SOURCE_RECORDING_ON_DEMAND_H

#include "source/source.h"

/* Recordings with fewer events are replayed in full, which is fast enough. */
#define RV_INDEXED_LEAST_EVENTS 20000000u

/*
 * Open a recording that has at least least_events events and a complete index.
 *   source   needs an intake with pages; NULL: replay the recording instead
 *   returns  0, or negative errno with one line printed: not readable
 */
int rv_recording_on_demand_open(struct rv_source **source, const char *path, uint64_t least_events);

/*
 * Open a recording that this process is writing: rv_recording_on_demand_add() gives its INDEXes, oldest first. Its ids
 * are used as they are, and no names are defined. Blocks that were discarded give nothing.
 *   returns  0, or negative errno with one line printed
 */
int rv_recording_on_demand_follow(struct rv_source **source, const char *path);

/* Between two turns, on their thread. */
void rv_recording_on_demand_add(struct rv_source *source, uint64_t offset);

#endif
