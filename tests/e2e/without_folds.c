/*
 * without_folds IN OUT: the recording as an older recorder wrote it, whose indexes have no sums of critical paths: their
 * columns get numbers that no reader knows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/chunk.h"
#include "recording/chunk_writer.h"

enum { NO_COLUMN = 1000 };

static uint8_t *read_file(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        exit(1);
    *n = (size_t)ftell(file);
    uint8_t *bytes = malloc(*n + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, *n, file) != *n)
        exit(1);
    fclose(file);
    return bytes;
}

/* Returns the number of columns that were hidden. */
static unsigned hide_columns(uint8_t *payload)
{
    struct rv_rec_index head;
    struct rv_rec_column column;
    unsigned n_hidden = 0;
    memcpy(&head, payload, sizeof head);
    uint8_t *at = payload + sizeof head;
    for (uint32_t i = 0; i < head.n_columns; i++, at += sizeof column + column.stored_bytes) {
        memcpy(&column, at, sizeof column);
        if (column.id < RV_REC_INDEX_FOLDS)
            continue;
        column.id += NO_COLUMN;
        memcpy(at, &column, sizeof column);
        n_hidden++;
    }
    return n_hidden;
}

static void seal(uint8_t *bytes, const struct rv_rec_chunk *chunk)
{
    struct rv_rec_buffer buffer = {0};
    rv_chunk_begin(&buffer);
    rv_rec_buffer_add(&buffer, bytes + chunk->header_bytes, chunk->payload_bytes);
    rv_chunk_end(&buffer, chunk);
    rv_chunk_seal(&buffer, chunk->sequence);
    memcpy(bytes, buffer.bytes, sizeof *chunk);
    rv_rec_buffer_fini(&buffer);
}

int main(int argc, char **argv)
{
    size_t n = 0;
    unsigned n_hidden = 0;
    struct rv_rec_chunk chunk;
    uint8_t *bytes = argc == 3 ? read_file(argv[1], &n) : NULL;
    for (size_t at = 0; at + sizeof chunk <= n; at += rv_chunk_bytes(&chunk)) {
        memcpy(&chunk, bytes + at, sizeof chunk);
        if (chunk.type != RV_REC_INDEX)
            continue;
        n_hidden += hide_columns(bytes + at + chunk.header_bytes);
        seal(bytes + at, &chunk);
    }
    FILE *out = n_hidden ? fopen(argv[2], "wb") : NULL;
    return out && fwrite(bytes, 1, n, out) == n && fclose(out) == 0 ? 0 : 1;
}
