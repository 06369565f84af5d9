/* --check and --repair: a recording read wholly, every block decoded; and what is sound of it written anew. */
#ifndef RV_SINK_VERIFY_H
#define RV_SINK_VERIFY_H

#include "recording/reader.h"

struct rv_rec_verify { /* what was found */
    uint64_t n_bytes;  /* without those that were given back */
    uint64_t n_chunks, n_blocks, n_events, n_streams, n_strings, n_indexes;
    uint64_t first_ns, last_ns;    /* of the events */
    uint64_t n_damages, n_damaged; /* places, bytes */
    uint64_t n_missing;            /* events that their streams counted and no block has */
    uint64_t n_gone;               /* events before those, or between, that were let go */
    bool is_finished;
};

/*
 * Read a recording.
 *   params    receives each damage, chunks that are whole and make no sense included
 *   out_path  NULL; else what is sound is written there, as a finished recording
 *   returns   0 whatever was found; negative errno with one line printed when it is no recording, lists more open
 *             calls than any would, or a file fails
 */
int rv_rec_verify(const char *path, const struct rv_rec_reader_params *params, const char *out_path, bool is_forced,
                  struct rv_rec_verify *found);

/* Nothing damaged, nothing broken off. */
bool rv_rec_verify_is_whole(const struct rv_rec_verify *found);

#endif
