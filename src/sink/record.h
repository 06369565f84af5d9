/*
 * --record: everything that a session captures into one file. Events gather per stream until they fill a block or have
 * waited for a second; blocks are encoded and written by threads of the recording's own.
 */
#ifndef RV_SINK_RECORD_H
#define RV_SINK_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "sink/segments.h"
#include "sink/sink.h"

struct rv_record; /* opaque */

struct rv_record_params { /* zero = default */
    const char *path;
    const char *program; /* the title */
    uint32_t pid;
    uint64_t mono_ns,
        real_ns;    /* CLOCK_MONOTONIC and CLOCK_REALTIME at one moment where the events are from; 0, 0 = here */
    bool is_forced; /* replace an existing file */
    bool is_all;    /* it begins and ends with a session that looks at all depths, and whose totals are then its own */
    struct rv_record_limit limit;
};

/* Nothing is recorded yet. n_threads that encode; 0 = as many as there are CPUs. */
struct rv_record *rv_record_create(unsigned n_threads);
void rv_record_destroy(struct rv_record *record);

/* The sink that feeds it, in one session. */
struct rv_sink rv_record_sink(struct rv_record *record);

/*
 * Begin a file: before the session, for all of it; else for what comes from now on. Any thread.
 *   returns  0, or negative errno with one line printed; -EBUSY, silent: one is being written
 */
int rv_record_start(struct rv_record *record, const struct rv_record_params *params);

/* Give the file its final name, if none has that yet. 0, or negative errno. Before the session starts. */
int rv_record_rename(struct rv_record *record, const char *path);

struct rv_record_totals {
    uint64_t n_events, n_bytes; /* in the file */
    uint64_t n_events_gone;     /* that the limit had no room for */
};

/*
 * End the file, if there is one: in the middle of a session, or after it. One that holds nothing is removed.
 *   totals   n_bytes 0: there is no file
 *   returns  0, or the negative errno of what had failed, which has been said
 *   thread   any
 */
int rv_record_stop(struct rv_record *record, struct rv_record_totals *totals);

#endif
