/* Reads the waits of a recording's INDEXes, one at a time, on any thread. */
#ifndef RV_SOURCE_RECORDED_WAITS_H
#define RV_SOURCE_RECORDED_WAITS_H

#include <pthread.h>

#include "recording/index_table.h"
#include "recording/reader.h"
#include "source/recorded.h"

struct rv_recorded_waits {
    pthread_mutex_t lock; /* covers the rest */
    const char *path;
    struct rv_recorded_names *names;
    struct rv_rec_reader *reader; /* NULL: not opened yet */
    struct rv_compressor *compressor;
    struct rv_rec_index_table table;
};

/* path and names outlive it. */
void rv_recorded_waits_init(struct rv_recorded_waits *waits, const char *path, struct rv_recorded_names *names);
void rv_recorded_waits_fini(struct rv_recorded_waits *waits);

/* Those of the INDEX at an offset: out's arrays are for the caller to free. False: it cannot be read. */
bool rv_recorded_waits_read(struct rv_recorded_waits *waits, uint64_t index, struct rv_source_waits *out);

#endif
