#include "source/index_reader.h"

#include <string.h>

#include "base/vec.h"

void rv_index_reader_init(struct rv_index_reader *reader, const char *path, struct rv_recorded_names *names)
{
    *reader = (struct rv_index_reader){.path = path, .names = names};
    pthread_mutex_init(&reader->lock, NULL);
}

void rv_index_reader_fini(struct rv_index_reader *reader)
{
    rv_rec_reader_close(reader->file);
    rv_compressor_destroy(reader->compressor);
    rv_rec_index_fini(&reader->table);
    pthread_mutex_destroy(&reader->lock);
}

/* A file that is being written has grown. */
static bool is_open(struct rv_index_reader *reader)
{
    if (reader->file)
        return rv_rec_reader_grow(reader->file) == 0;
    reader->compressor = rv_compressor_create();
    return rv_rec_reader_open(&reader->file, reader->path, NULL) == 0;
}

typedef int decode_fn(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                      uint64_t offset, struct rv_rec_index_table *table);

static bool load(struct rv_index_reader *reader, uint64_t index, decode_fn *decode)
{
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    if (!is_open(reader) || rv_rec_reader_at(reader->file, index, &chunk, &payload) <= 0 ||
        chunk.type != RV_REC_INDEX || decode(reader->compressor, &chunk, payload, index, &reader->table) != 0)
        return false;
    rv_recorded_map_index(reader->names, &reader->table);
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

bool rv_index_reader_waits(struct rv_index_reader *reader, uint64_t index, struct rv_source_waits *out)
{
    pthread_mutex_lock(&reader->lock);
    const bool is_read = load(reader, index, rv_rec_index_decode_waits);
    if (is_read) {
        out->waits = take(&reader->table, RV_REC_INDEX_WAITS, sizeof *out->waits, &out->n_waits);
        out->releases = take(&reader->table, RV_REC_INDEX_RELEASES, sizeof *out->releases, &out->n_releases);
    }
    pthread_mutex_unlock(&reader->lock);
    return is_read;
}

bool rv_index_reader_folds(struct rv_index_reader *reader, uint64_t index, struct rv_source_folds *out)
{
    pthread_mutex_lock(&reader->lock);
    const bool is_read = load(reader, index, rv_rec_index_decode_folds);
    if (is_read) {
        size_t n;
        out->folds = take(&reader->table, RV_REC_INDEX_FOLDS, sizeof *out->folds, &out->n_folds);
        out->parts = take(&reader->table, RV_REC_INDEX_PARTS, sizeof *out->parts, &n);
        out->sums = take(&reader->table, RV_REC_INDEX_SUMS, sizeof *out->sums, &n);
        out->calls = take(&reader->table, RV_REC_INDEX_CALLS, sizeof *out->calls, &n);
    }
    pthread_mutex_unlock(&reader->lock);
    return is_read;
}
