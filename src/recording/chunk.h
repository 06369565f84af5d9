/* Chunks: header, payload and zeros up to the next multiple of 64 bytes, in one piece of memory. */
#ifndef RV_RECORDING_CHUNK_H
#define RV_RECORDING_CHUNK_H

#include <stdbool.h>

#include "recording/column.h"

/* Empty the buffer and leave room for the header; the payload is then added to it. */
void rv_chunk_begin(struct rv_rec_buffer *buffer);

/*
 * The payload is complete: pad it, and write the header in front of it.
 *   chunk  type, stream, and what the type asks for; the rest is filled in, but for sequence and checksum, which
 *          rv_chunk_seal() sets. Its checksum is the payload's until then
 */
void rv_chunk_end(struct rv_rec_buffer *buffer, const struct rv_rec_chunk *chunk);

/* Give the chunk its place in the file. */
void rv_chunk_seal(struct rv_rec_buffer *buffer, uint64_t sequence);

/* Could this be a header? Magic and sizes. */
bool rv_chunk_is_plausible(const struct rv_rec_chunk *chunk);

/* Bytes in the file, at most a little over RV_REC_MAX_PAYLOAD. Of a plausible one. */
uint64_t rv_chunk_bytes(const struct rv_rec_chunk *chunk);

/* Can a file of n_bytes have the chunk's stream? Every stream has a chunk. */
bool rv_chunk_has_stream_within(const struct rv_rec_chunk *chunk, uint64_t n_bytes);

/* Is this what was written? */
bool rv_chunk_is_whole(const struct rv_rec_chunk *chunk, const uint8_t *payload);

#endif
