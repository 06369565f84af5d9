#include "recording/chunk.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"

enum { MOST_HEADER_BYTES = 4096 };

static uint64_t round_up(uint64_t n)
{
    return (n + RV_REC_ALIGNMENT - 1) / RV_REC_ALIGNMENT * RV_REC_ALIGNMENT;
}

static uint64_t checksum(const struct rv_rec_chunk *chunk, uint64_t of_payload)
{
    return rv_hash_bytes_seeded(chunk, offsetof(struct rv_rec_chunk, checksum), of_payload);
}

void rv_chunk_begin(struct rv_rec_buffer *buffer)
{
    static const struct rv_rec_chunk none;
    buffer->n = 0;
    rv_rec_buffer_add(buffer, &none, sizeof none);
}

void rv_chunk_end(struct rv_rec_buffer *buffer, const struct rv_rec_chunk *chunk)
{
    static const uint8_t zeros[RV_REC_ALIGNMENT];
    struct rv_rec_chunk header = *chunk;
    header.magic = RV_REC_CHUNK_MAGIC;
    header.header_bytes = sizeof header;
    header.payload_bytes = buffer->n - sizeof header;
    header.checksum = rv_hash_bytes(buffer->bytes + sizeof header, buffer->n - sizeof header);
    rv_rec_buffer_add(buffer, zeros, round_up(buffer->n) - buffer->n);
    memcpy(buffer->bytes, &header, sizeof header);
}

void rv_chunk_seal(struct rv_rec_buffer *buffer, uint64_t sequence)
{
    struct rv_rec_chunk header;
    memcpy(&header, buffer->bytes, sizeof header);
    header.sequence = sequence;
    header.checksum = checksum(&header, header.checksum);
    memcpy(buffer->bytes, &header, sizeof header);
}

bool rv_chunk_is_plausible(const struct rv_rec_chunk *chunk)
{
    return chunk->magic == RV_REC_CHUNK_MAGIC && chunk->header_bytes >= sizeof *chunk &&
           chunk->header_bytes <= MOST_HEADER_BYTES && chunk->header_bytes % RV_REC_ALIGNMENT == 0 &&
           chunk->payload_bytes <= RV_REC_MAX_PAYLOAD && chunk->n_events <= RV_REC_MAX_EVENTS;
}

uint64_t rv_chunk_bytes(const struct rv_rec_chunk *chunk)
{
    return round_up(chunk->header_bytes + chunk->payload_bytes);
}

bool rv_chunk_has_stream_within(const struct rv_rec_chunk *chunk, uint64_t n_bytes)
{
    return chunk->stream < RV_REC_MAX_STREAMS && chunk->stream < n_bytes / RV_REC_ALIGNMENT;
}

bool rv_chunk_is_whole(const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    return checksum(chunk, rv_hash_bytes(payload, chunk->payload_bytes)) == chunk->checksum;
}
