/* Reads the waits of a recording's INDEXes, one at a time, on any thread. */
#ifndef RV_SOURCE_INDEX_WAITS_READER_H
#define RV_SOURCE_INDEX_WAITS_READER_H

#include <pthread.h>

#include "recording/index_chunk.h"
#include "recording/chunk_reader.h"
#include "source/recorded_names.h"

struct rv_index_waits_reader {
    pthread_mutex_t lock; /* covers the rest */
    const char *path;
    struct rv_recorded_names *names;
    struct rv_rec_reader *reader; /* NULL: not opened yet */
    struct rv_compressor *compressor;
    struct rv_rec_index_table table;
};

/* path and names outlive it. */
void rv_index_waits_reader_init(struct rv_index_waits_reader *waits, const char *path, struct rv_recorded_names *names);
void rv_index_waits_reader_fini(struct rv_index_waits_reader *waits);

/* Those of the INDEX at an offset: out's arrays are for the caller to free. False: it cannot be read. */
bool rv_index_waits_reader_read(struct rv_index_waits_reader *waits, uint64_t index, struct rv_source_waits *out);

#endif
