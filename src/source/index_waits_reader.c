#include "source/index_waits_reader.h"

#include <string.h>

#include "base/vec.h"

void rv_index_waits_reader_init(struct rv_index_waits_reader *waits, const char *path, struct rv_recorded_names *names)
{
    *waits = (struct rv_index_waits_reader){.path = path, .names = names};
    pthread_mutex_init(&waits->lock, NULL);
}

void rv_index_waits_reader_fini(struct rv_index_waits_reader *waits)
{
    rv_rec_reader_close(waits->reader);
    rv_compressor_destroy(waits->compressor);
    rv_rec_index_fini(&waits->table);
    pthread_mutex_destroy(&waits->lock);
}

/* A file that is being written has grown. */
static bool is_open(struct rv_index_waits_reader *waits)
{
    if (waits->reader)
        return rv_rec_reader_grow(waits->reader) == 0;
    waits->compressor = rv_compressor_create();
    return rv_rec_reader_open(&waits->reader, waits->path, NULL) == 0;
}

static bool decode(struct rv_index_waits_reader *waits, uint64_t index)
{
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    if (!is_open(waits) || rv_rec_reader_at(waits->reader, index, &chunk, &payload) <= 0 ||
        chunk.type != RV_REC_INDEX ||
        rv_rec_index_decode_waits(waits->compressor, &chunk, payload, index, &waits->table) != 0)
        return false;
    rv_recorded_map_index(waits->names, &waits->table);
    return true;
}

static void *take(const struct rv_rec_index_table *table, enum rv_rec_index_column column, size_t row_bytes, size_t *n)
{
    const void *rows = rv_rec_index_rows(table, column, n);
    void *taken = rv_alloc_scratch(*n + 1, row_bytes);
    if (*n)
        memcpy(taken, rows, *n * row_bytes);
    return taken;
}

bool rv_index_waits_reader_read(struct rv_index_waits_reader *waits, uint64_t index, struct rv_source_waits *out)
{
    pthread_mutex_lock(&waits->lock);
    const bool is_read = decode(waits, index);
    if (is_read) {
        out->waits = take(&waits->table, RV_REC_INDEX_WAITS, sizeof *out->waits, &out->n_waits);
        out->releases = take(&waits->table, RV_REC_INDEX_RELEASES, sizeof *out->releases, &out->n_releases);
    }
    pthread_mutex_unlock(&waits->lock);
    return is_read;
}
