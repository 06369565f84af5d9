/* A recording being written: whole chunks, one write each, so that whoever is killed leaves a readable file. */
#ifndef RV_RECORDING_WRITER_H
#define RV_RECORDING_WRITER_H

#include <stdbool.h>

#include "recording/chunk.h"

struct rv_rec_writer { /* zeroed = closed. One thread at a time */
    int fd;
    char *path;
    uint64_t n_bytes;  /* of whole chunks: where the next one goes */
    uint64_t n_chunks; /* the next one's sequence */
    int error;         /* negative errno of the first failure; nothing is written after it */
};

/*
 * Create the file, with its FILE chunk.
 *   file       magic, versions and uuid are filled in, and clock stamps of now where real_ns is 0
 *   program    of the recording; shown in titles
 *   is_forced  an existing file is removed first, whoever reads it reads on; else it is an error
 *   returns    0, or negative errno with one line printed
 */
int rv_rec_writer_open(struct rv_rec_writer *writer, const char *path, const struct rv_rec_file *file,
                       const char *program, bool is_forced);

/*
 * Append a chunk that rv_chunk_end() has completed. The first failure prints one line and takes its torn chunk back;
 * it and all later calls return its errno.
 */
int rv_rec_writer_put(struct rv_rec_writer *writer, struct rv_rec_buffer *buffer);

/*
 * The bytes from `from` to `to` of what was written are not needed any more: they become zeros that take no room. With
 * none, nothing but whether that can be done. Says nothing.
 *   returns  0, or negative errno; -EOPNOTSUPP: the file system cannot
 */
int rv_rec_writer_give_back(struct rv_rec_writer *writer, uint64_t from, uint64_t to);

/* Give the file another name, if none has it yet. 0 or negative errno; says nothing. */
int rv_rec_writer_rename(struct rv_rec_writer *writer, const char *path);

/* Close without an END: that is for the caller to put. Returns writer->error or that of close(), said. */
int rv_rec_writer_close(struct rv_rec_writer *writer);

#endif
