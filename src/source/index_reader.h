/* Reads what pictures do without of a recording's INDEXes: waits and folds, one INDEX at a time, on any thread. */
#ifndef RV_SOURCE_INDEX_READER_H
#define RV_SOURCE_INDEX_READER_H

#include <pthread.h>

#include "recording/index_chunk.h"
#include "recording/chunk_reader.h"
#include "source/recorded_names.h"

struct rv_index_reader {
    pthread_mutex_t lock; /* covers the rest */
    const char *path;
    struct rv_recorded_names *names;
    struct rv_rec_reader *file; /* NULL: not opened yet */
    struct rv_compressor *compressor;
    struct rv_rec_index_table table;
};

/* path and names outlive it. */
void rv_index_reader_init(struct rv_index_reader *reader, const char *path, struct rv_recorded_names *names);
void rv_index_reader_fini(struct rv_index_reader *reader);

/* Those of the INDEX at an offset: out's arrays are for the caller to free. False: it cannot be read. */
bool rv_index_reader_waits(struct rv_index_reader *reader, uint64_t index, struct rv_source_waits *out);

bool rv_index_reader_folds(struct rv_index_reader *reader, uint64_t index, struct rv_source_folds *out);

#endif
