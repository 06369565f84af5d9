/* Chunks: header, payload and zero padding to a multiple of 64 bytes, contiguous in memory. */
#ifndef RV_RECORDING_CHUNK_H
#define RV_RECORDING_CHUNK_H

#include <stdbool.h>

#include "recording/column_compression.h"

/* Empty the buffer and reserve the header; the caller then appends the payload. */
void rv_chunk_begin(struct rv_rec_buffer *buffer);

/*
 * The payload is complete: pad it, and write the header in front of it.
 *   chunk  type, stream, and the fields that the type needs; other fields are filled in, except sequence and checksum,
 *          which rv_chunk_seal() sets. Until then checksum is the payload's
 */
void rv_chunk_end(struct rv_rec_buffer *buffer, const struct rv_rec_chunk *chunk);

/* Set the chunk's sequence and final checksum. */
void rv_chunk_seal(struct rv_rec_buffer *buffer, uint64_t sequence);

/* Could this be a header? Magic and sizes. */
bool rv_chunk_is_plausible(const struct rv_rec_chunk *chunk);

/* Size of a plausible chunk in the file, at most a little over RV_REC_MAX_PAYLOAD. */
uint64_t rv_chunk_bytes(const struct rv_rec_chunk *chunk);

/* Is the chunk's stream number possible in a file of n_bytes? Every stream has a chunk. */
bool rv_chunk_has_stream_within(const struct rv_rec_chunk *chunk, uint64_t n_bytes);

/* Do the checksums match? */
bool rv_chunk_is_whole(const struct rv_rec_chunk *chunk, const uint8_t *payload);

#endif
