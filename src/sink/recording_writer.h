/*
 * --record: writes everything that a session captures to one file. Events are collected per stream until a block is
 * full or a second has passed; threads of the recording encode and write the blocks.
 */
#ifndef RV_SINK_RECORDING_WRITER_H
#define RV_SINK_RECORDING_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "sink/record_limit.h"
#include "sink/sink.h"

struct rv_recording_writer; /* opaque */

struct rv_recording_writer_params { /* zero = default */
    const char *path;
    int fd;              /* with a follower, and without a path: an empty private file, taken */
    const char *program; /* the title */
    uint32_t pid;
    uint64_t mono_ns,
        real_ns;         /* CLOCK_MONOTONIC and CLOCK_REALTIME at one time on the events' host; 0, 0 = this host */
    bool is_forced;      /* replace an existing file */
    bool is_all;         /* covers a whole session at all depths, so that the session's totals are the file's */
    size_t block_events; /* in a full block; 0 = RV_REC_MAX_EVENTS, with which files are smallest and made fastest */
    struct rv_record_limit limit;
    /* A file for a reader that follows it: its indexes have only what is needed to find and to decode blocks. */
    struct rv_record_follower follower;
};

/* Create without a file. n_threads: of the session, which sets the number of encoders; 0 = number of CPUs. */
struct rv_recording_writer *rv_recording_writer_create(unsigned n_threads);
void rv_recording_writer_destroy(struct rv_recording_writer *record);

/* The sink that feeds it, in one session. */
struct rv_sink rv_recording_writer_sink(struct rv_recording_writer *record);

/*
 * Begin a file: before the session, or during it for later events. Any thread.
 *   returns  0, or negative errno with one line printed; silent: -EBUSY, a file is being written, and with a follower
 */
int rv_recording_writer_start(struct rv_recording_writer *record, const struct rv_recording_writer_params *params);

/* Write what waits, and an INDEX of it, soon. Any thread. */
void rv_recording_writer_flush(struct rv_recording_writer *record);

/* Give the file its final name, if that does not exist. 0, or negative errno. Before the session starts. */
int rv_recording_writer_rename(struct rv_recording_writer *record, const char *path);

struct rv_recording_writer_totals {
    uint64_t n_events, n_bytes; /* in the file */
    uint64_t n_events_gone;     /* discarded by the limit */
};

/*
 * End the file, if any, during a session or after it. An empty file is removed.
 *   totals   n_bytes 0: there was no file
 *   returns  0, or the negative errno of the failure, which was printed; -ETIMEDOUT: the file of a follower is still
 *            being written to, and the record must stay
 *   thread   any
 */
int rv_recording_writer_stop(struct rv_recording_writer *record, struct rv_recording_writer_totals *totals);

#endif
