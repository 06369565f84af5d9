/*
 * Reads a recording chunk by chunk in file order. Damage is skipped: reading resumes at the next whole chunk, so one
 * bad sector loses only the chunks that it was part of.
 */
#ifndef RV_RECORDING_CHUNK_READER_H
#define RV_RECORDING_CHUNK_READER_H

#include <stdbool.h>

#include "recording/chunk.h"

struct rv_rec_damage {
    uint64_t offset, n_bytes; /* of the file; n_bytes 0: chunks are missing at offset */
    const char *what;
};

struct rv_rec_reader_params {
    /* Called for each damaged place. May be NULL. */
    void (*on_damage)(void *context, const struct rv_rec_damage *damage);
    void *context;
};

struct rv_rec_reader; /* opaque; one thread at a time */

/* Do these first bytes of a file belong to a recording? n_bytes may be small. */
bool rv_rec_is_recording(const void *bytes, size_t n_bytes);

/*
 * Open, and read the FILE chunk.
 *   returns  0, or negative errno with one line printed: -EBADMSG not a recording, or its beginning is damaged,
 *            -EPROTONOSUPPORT another version
 */
int rv_rec_reader_open(struct rv_rec_reader **reader, const char *path, const struct rv_rec_reader_params *params);
void rv_rec_reader_close(struct rv_rec_reader *reader);

/* The file's header, and the recorded program or ""; valid until close. */
const struct rv_rec_file *rv_rec_reader_file(const struct rv_rec_reader *reader);
const char *rv_rec_reader_program(const struct rv_rec_reader *reader);

/*
 * The next whole chunk, the FILE chunk excepted.
 *   payload  chunk->payload_bytes bytes, valid until the next call
 *   returns  1; 0 at the end; negative errno with one line printed when the file cannot be read
 */
int rv_rec_reader_next(struct rv_rec_reader *reader, struct rv_rec_chunk *chunk, const uint8_t **payload);

/*
 * The whole chunk at an offset taken from an index; does not move rv_rec_reader_next().
 *   returns  1; 0: none there; negative errno with one line printed
 */
int rv_rec_reader_at(struct rv_rec_reader *reader, uint64_t offset, struct rv_rec_chunk *chunk,
                     const uint8_t **payload);

/* The file has grown: read up to its present end. 0, or negative errno with one line printed. */
int rv_rec_reader_grow(struct rv_rec_reader *reader);

/* END, if the file ends with one. As rv_rec_reader_at(). */
int rv_rec_reader_end(struct rv_rec_reader *reader, struct rv_rec_end *end);

struct rv_rec_reader_state {
    uint64_t n_bytes;   /* of the file */
    uint64_t n_stored;  /* of these, allocated by the file system */
    uint64_t begin;     /* offset of the first chunk after FILE and possible zeros */
    uint64_t n_gone;    /* zero bytes of discarded segments met so far */
    uint64_t offset;    /* end of the last chunk read */
    uint64_t n_chunks;  /* whole chunks read, with FILE */
    uint64_t n_damaged; /* bytes skipped */
    bool is_finished;   /* END was read: the recorder was not killed */
};
/* What was read so far. */
struct rv_rec_reader_state rv_rec_reader_state(const struct rv_rec_reader *reader);

/* The first remaining segment's header if older segments were discarded; else NULL. */
const struct rv_rec_segment *rv_rec_reader_past(const struct rv_rec_reader *reader);

/* With discarded segments: time from the first to the last of their events. Other threads' remaining events may be
 * older than some of these. */
uint64_t rv_rec_reader_past_ns(const struct rv_rec_reader *reader);

/* With discarded segments: time of the first remaining event, by chunk headers; 0: no events. */
uint64_t rv_rec_reader_first_ns(const struct rv_rec_reader *reader);

#endif
