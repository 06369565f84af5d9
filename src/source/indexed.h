/* A recording read through its index: the summary of all blocks first, the events of a block on demand. */
#ifndef RV_SOURCE_INDEXED_H
#define RV_SOURCE_INDEXED_H

#include "source/source.h"

/* So many events are replayed wholly as fast as one looks. */
#define RV_INDEXED_LEAST_EVENTS 20000000u

/*
 * Open, if the recording has at least so many events and an index that reaches from its beginning to its end.
 *   source   for an intake with pages; NULL: it is to be replayed wholly
 *   returns  0, or negative errno with one line printed: it cannot be read
 */
int rv_indexed_open(struct rv_source **source, const char *path, uint64_t least_events);

#endif
