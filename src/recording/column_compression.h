/* Columns: numbered byte arrays in a chunk's payload, each compressed separately if that helps. */
#ifndef RV_RECORDING_COLUMN_COMPRESSION_H
#define RV_RECORDING_COLUMN_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "ringviz/recording.h"

/* A growing byte array. Zeroed = empty. */
struct rv_rec_buffer {
    uint8_t *bytes;
    size_t n, capacity;
};

/* Reserve n more bytes, not initialized; the caller adds n. */
uint8_t *rv_rec_buffer_reserve(struct rv_rec_buffer *buffer, size_t n);
void rv_rec_buffer_add(struct rv_rec_buffer *buffer, const void *bytes, size_t n);
void rv_rec_buffer_fini(struct rv_rec_buffer *buffer);

struct rv_compressor; /* zstd's working memory: for one thread */

struct rv_compressor *rv_compressor_create(void);
void rv_compressor_destroy(struct rv_compressor *compressor);

/* Append a column, with its header. */
void rv_compress_column(struct rv_compressor *compressor, struct rv_rec_buffer *out, uint16_t id, const void *raw,
                        size_t n);

/* Likewise for data with few repetitions: faster and hardly larger. */
void rv_compress_noise(struct rv_compressor *compressor, struct rv_rec_buffer *out, uint16_t id, const void *raw,
                       size_t n);

/* A column in a payload. */
struct rv_compressed_column {
    struct rv_rec_column header;
    const uint8_t *stored;
};

/*
 * Read the column at *at; advances *at past it.
 *   returns  0, or -EBADMSG: it reaches beyond end, or its method is unknown
 */
int rv_compress_next_column(const uint8_t **at, const uint8_t *end, struct rv_compressed_column *column);

/* Decompress header.raw_bytes bytes into out. 0 or -EBADMSG. */
int rv_compress_unpack(struct rv_compressor *compressor, const struct rv_compressed_column *column, uint8_t *out);

#endif
