/*
 * --check and --repair: reads a whole recording, decodes every block, says what it holds and what is damaged, and
 * optionally writes the valid parts to a new file.
 */
#ifndef RV_SINK_CHECK_RECORDING_H
#define RV_SINK_CHECK_RECORDING_H

#include <stdio.h>

#include "recording/chunk_reader.h"

struct rv_check_result { /* what was found */
    uint64_t n_bytes;    /* without freed parts */
    uint64_t n_chunks, n_blocks, n_events, n_streams, n_strings, n_indexes;
    uint64_t first_ns, last_ns;    /* of the events */
    uint64_t n_damages, n_damaged; /* places, bytes */
    uint64_t n_missing;            /* events that their streams counted and no block has */
    uint64_t n_gone;               /* discarded events before or between the present ones */
    bool is_finished;
};

/*
 * Read a recording.
 *   params    receives each damage, with intact chunks of invalid content
 *   out_path  NULL; else the valid parts are written there as a finished recording
 *   returns   0 whatever was found; negative errno with one line printed when it is not a recording, has more open
 *             calls than possible, or on an I/O error
 */
int rv_check_read(const char *path, const struct rv_rec_reader_params *params, const char *out_path, bool is_forced,
                  struct rv_check_result *found);

/* Neither damaged nor truncated. */
bool rv_check_is_whole(const struct rv_check_result *found);

struct rv_check {
    const char *path, *out_path; /* of the recording; of the copy with its valid parts, or NULL */
    bool is_forced;              /* an existing copy is replaced */
};

/*
 * Read a recording and write the findings.
 *   returns  0 when it is undamaged or was repaired; negative errno with one line printed when damaged or not a
 *            recording
 */
int rv_check_write(const struct rv_check *check, FILE *out);

#endif
