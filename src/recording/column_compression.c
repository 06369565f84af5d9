#include "recording/column_compression.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_customMem; ZSTD_c_literalCompressionMode, optional in the library */
#include <zstd.h>

#include "base/vec.h"

enum {
    LEVEL = 1,
    LEAST_BYTES = 48, /* shorter columns are stored raw */
    NOISE_HASH_LOG = 6,
    NOISE_LEAST_MATCH = 7
};

struct rv_compressor {
    ZSTD_CCtx *compress, *compress_noise;
    ZSTD_DCtx *decompress;
};

uint8_t *rv_rec_buffer_reserve(struct rv_rec_buffer *buffer, size_t n)
{
    buffer->bytes = rv_vec_reserve(buffer->bytes, &buffer->capacity, buffer->n + n, 1);
    return buffer->bytes + buffer->n;
}

void rv_rec_buffer_add(struct rv_rec_buffer *buffer, const void *bytes, size_t n)
{
    uint8_t *to = rv_rec_buffer_reserve(buffer, n);
    if (n)
        memcpy(to, bytes, n);
    buffer->n += n;
}

void rv_rec_buffer_fini(struct rv_rec_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct rv_rec_buffer){0};
}

static void *allocate(void *context, size_t n_bytes)
{
    (void)context;
    return rv_alloc_scratch(n_bytes, 1);
}

static void release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static const ZSTD_customMem never_null = {allocate, release, NULL};

static ZSTD_CCtx *create_context(void)
{
    ZSTD_CCtx *context = ZSTD_createCCtx_advanced(never_null);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    return context;
}

/* Compress by symbol frequencies (entropy coding), hardly searching for repetitions. */
static void look_for_little(ZSTD_CCtx *context)
{
    ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, NOISE_HASH_LOG);
    ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, NOISE_LEAST_MATCH);
    if (!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_literalCompressionMode, ZSTD_ps_enable)))
        ZSTD_CCtx_setParameter(context, ZSTD_c_targetLength, ZSTD_TARGETLENGTH_MAX);
}

struct rv_compressor *rv_compressor_create(void)
{
    struct rv_compressor *compressor = rv_alloc(1, sizeof *compressor);
    compressor->compress = create_context();
    compressor->compress_noise = create_context();
    look_for_little(compressor->compress_noise);
    compressor->decompress = ZSTD_createDCtx_advanced(never_null);
    return compressor;
}

void rv_compressor_destroy(struct rv_compressor *compressor)
{
    if (!compressor)
        return;
    ZSTD_freeCCtx(compressor->compress);
    ZSTD_freeCCtx(compressor->compress_noise);
    ZSTD_freeDCtx(compressor->decompress);
    free(compressor);
}

/* Compress to out. Returns the size, less than n; 0 if it does not get smaller. */
static size_t compress(ZSTD_CCtx *context, uint8_t *out, const void *raw, size_t n)
{
    if (n < LEAST_BYTES)
        return 0;
    size_t n_stored = ZSTD_compress2(context, out, n - 1, raw, n);
    return ZSTD_isError(n_stored) ? 0 : n_stored;
}

static void put(ZSTD_CCtx *context, struct rv_rec_buffer *out, uint16_t id, const void *raw, size_t n)
{
    struct rv_rec_column header = {.id = id, .method = RV_REC_ZSTD, .raw_bytes = (uint32_t)n};
    uint8_t *stored = rv_rec_buffer_reserve(out, sizeof header + n) + sizeof header;
    header.stored_bytes = (uint32_t)compress(context, stored, raw, n);
    if (header.stored_bytes == 0) {
        header.method = RV_REC_STORED;
        header.stored_bytes = (uint32_t)n;
        memcpy(stored, raw, n);
    }
    memcpy(stored - sizeof header, &header, sizeof header);
    out->n += sizeof header + header.stored_bytes;
}

void rv_compress_column(struct rv_compressor *compressor, struct rv_rec_buffer *out, uint16_t id, const void *raw,
                        size_t n)
{
    put(compressor->compress, out, id, raw, n);
}

void rv_compress_noise(struct rv_compressor *compressor, struct rv_rec_buffer *out, uint16_t id, const void *raw,
                       size_t n)
{
    put(compressor->compress_noise, out, id, raw, n);
}

int rv_compress_next_column(const uint8_t **at, const uint8_t *end, struct rv_compressed_column *column)
{
    if ((size_t)(end - *at) < sizeof column->header)
        return -EBADMSG;
    memcpy(&column->header, *at, sizeof column->header);
    column->stored = *at + sizeof column->header;
    const struct rv_rec_column *header = &column->header;
    if (header->stored_bytes > (size_t)(end - column->stored) || header->method > RV_REC_ZSTD ||
        (header->method == RV_REC_STORED && header->stored_bytes != header->raw_bytes))
        return -EBADMSG;
    *at = column->stored + header->stored_bytes;
    return 0;
}

int rv_compress_unpack(struct rv_compressor *compressor, const struct rv_compressed_column *column, uint8_t *out)
{
    const struct rv_rec_column *header = &column->header;
    if (header->method == RV_REC_STORED) {
        memcpy(out, column->stored, header->raw_bytes);
        return 0;
    }
    size_t n =
        ZSTD_decompressDCtx(compressor->decompress, out, header->raw_bytes, column->stored, header->stored_bytes);
    return n == header->raw_bytes ? 0 : -EBADMSG; /* an error code is a huge size */
}
