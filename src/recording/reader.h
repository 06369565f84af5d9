/*
 * A recording being read, chunk by chunk in the order of the file. What is damaged is passed over: behind it the next
 * whole chunk is looked for, so that one bad sector costs what it held and nothing else.
 */
#ifndef RV_RECORDING_READER_H
#define RV_RECORDING_READER_H

#include <stdbool.h>

#include "recording/chunk.h"

struct rv_rec_damage {
    uint64_t offset, n_bytes; /* of the file; n_bytes 0: something is missing at offset */
    const char *what;
};

struct rv_rec_reader_params {
    /* Called for each damage as it is met. May be NULL. */
    void (*on_damage)(void *context, const struct rv_rec_damage *damage);
    void *context;
};

struct rv_rec_reader; /* opaque; one thread at a time */

/* Does a file begin like a recording? n_bytes may be few. */
bool rv_rec_is_recording(const void *bytes, size_t n_bytes);

/*
 * Open, and read the FILE chunk.
 *   returns  0, or negative errno with one line printed: -EBADMSG no recording or its beginning is damaged,
 *            -EPROTONOSUPPORT of another version
 */
int rv_rec_reader_open(struct rv_rec_reader **reader, const char *path, const struct rv_rec_reader_params *params);
void rv_rec_reader_close(struct rv_rec_reader *reader);

const struct rv_rec_file *rv_rec_reader_file(const struct rv_rec_reader *reader);
const char *rv_rec_reader_program(const struct rv_rec_reader *reader);

/*
 * The next whole chunk, the FILE chunk excepted.
 *   payload  chunk->payload_bytes of it, until the next call
 *   returns  1; 0 at the end; negative errno with one line printed when the file cannot be read
 */
int rv_rec_reader_next(struct rv_rec_reader *reader, struct rv_rec_chunk *chunk, const uint8_t **payload);

/*
 * The whole chunk at an offset, as an index names it; the place of rv_rec_reader_next() stays.
 *   returns  1; 0: there is none; negative errno, said
 */
int rv_rec_reader_at(struct rv_rec_reader *reader, uint64_t offset, struct rv_rec_chunk *chunk,
                     const uint8_t **payload);

/* END, if the file ends with one. As rv_rec_reader_at(). */
int rv_rec_reader_end(struct rv_rec_reader *reader, struct rv_rec_end *end);

struct rv_rec_reader_state {
    uint64_t n_bytes;   /* of the file */
    uint64_t n_stored;  /* of those, how many take room, as far as its file system says */
    uint64_t begin;     /* of what it has behind FILE; there may be zeros between */
    uint64_t n_gone;    /* of those, and of the zeros between segments so far */
    uint64_t offset;    /* behind the last chunk read */
    uint64_t n_chunks;  /* whole ones read, FILE included */
    uint64_t n_damaged; /* bytes passed over */
    bool is_finished;   /* END was read: the recorder was not killed */
};
struct rv_rec_reader_state rv_rec_reader_state(const struct rv_rec_reader *reader);

/* The first segment of a recording of the newest events, if older ones were let go; else NULL. */
const struct rv_rec_segment *rv_rec_reader_past(const struct rv_rec_reader *reader);

/* With such a past: the time from the first to the last of its events. Events of other threads that are kept may be
 * older than some of them. */
uint64_t rv_rec_reader_past_ns(const struct rv_rec_reader *reader);

/* With such a past: when the first of the events happened that are kept, as their headers say; 0: none is there. */
uint64_t rv_rec_reader_first_ns(const struct rv_rec_reader *reader);

#endif
