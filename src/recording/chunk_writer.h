/* Writes a recording: whole chunks, one write each, so that a killed recorder leaves a readable file. */
#ifndef RV_RECORDING_CHUNK_WRITER_H
#define RV_RECORDING_CHUNK_WRITER_H

#include <stdbool.h>

#include "recording/chunk.h"

struct rv_rec_writer { /* zeroed = closed. One thread at a time */
    int fd;
    char *path;
    uint64_t n_bytes;  /* size of all whole chunks; offset of the next */
    uint64_t n_chunks; /* the next one's sequence */
    int error;         /* negative errno of the first failure; nothing is written after it */
    bool is_private;   /* of a file that the user does not know: failures are returned, and not printed */
};

/*
 * Create the file, with its FILE chunk.
 *   file       magic, versions and uuid are filled in, and current clock times if real_ns is 0
 *   program    the recorded program; shown in titles
 *   is_forced  an existing file is removed first (its readers keep it); otherwise it is an error
 *   returns    0, or negative errno with one line printed
 */
int rv_rec_writer_open(struct rv_rec_writer *writer, const char *path, const struct rv_rec_file *file,
                       const char *program, bool is_forced);

/*
 * Take an empty private file that is open for writing, and put its FILE chunk.
 *   fd       taken, closed on failure too
 *   returns  0 or negative errno
 */
int rv_rec_writer_begin(struct rv_rec_writer *writer, int fd, const struct rv_rec_file *file);

/*
 * Append a chunk that rv_chunk_end() has completed. The first failure prints one line and truncates its torn chunk; it
 * and all later calls return its errno.
 */
int rv_rec_writer_put(struct rv_rec_writer *writer, struct rv_rec_buffer *buffer);

/*
 * Free the space of bytes [from, to), which then read as zeros. With from == to, only test whether this is supported.
 * Prints nothing.
 *   returns  0, or negative errno; -EOPNOTSUPP: not supported by the file system
 */
int rv_rec_writer_give_back(struct rv_rec_writer *writer, uint64_t from, uint64_t to);

/* Rename the file, unless the name exists. 0 or negative errno; prints nothing. */
int rv_rec_writer_rename(struct rv_rec_writer *writer, const char *path);

/* Close; the caller has put END before. Returns writer->error or close()'s error, which was printed. */
int rv_rec_writer_close(struct rv_rec_writer *writer);

#endif
