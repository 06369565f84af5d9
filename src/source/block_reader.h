/*
 * Reads blocks of a recording that is opened by its index: the calls that are open at a block's beginning, from its
 * INDEX, and the events. One thread at a time, but any; each of several threads has a reader of its own.
 */
#ifndef RV_SOURCE_BLOCK_READER_H
#define RV_SOURCE_BLOCK_READER_H

#include "source/block_entry.h"
#include "stream/batch.h"

struct rv_block_reader; /* opaque */
struct rv_rec_reader;
struct rv_recorded_names;

/* file: taken; names: outlive the reader. */
struct rv_block_reader *rv_block_reader_create(struct rv_rec_reader *file, struct rv_recorded_names *names);
void rv_block_reader_destroy(struct rv_block_reader *reader); /* NULL-safe */

struct rv_read_block { /* until the next one is read; of its entry, ids are the pipeline's */
    const struct rv_rec_index_block *row;
    struct rv_block_entry *entry;
    /* row->n_events as they are in the file, and room for RV_BATCH_PADDING: they may be changed. */
    struct rv_event *events;
    uint32_t n_alike;  /* ids of events below this are the pipeline's */
    bool lacks_frames; /* its INDEX is damaged: calls may be missing from its entry */
};

/* Read the block at an offset, which is in the INDEX at another one. 0, or -EBADMSG if it cannot be read. */
int rv_block_reader_read(struct rv_block_reader *reader, uint64_t index, uint64_t offset, struct rv_read_block *out);

/* Events from `first` on as a batch: see rv_batch_fit(); ids are the pipeline's. Returns the number of those
 * consumed. */
uint32_t rv_block_reader_fit(struct rv_block_reader *reader, const struct rv_read_block *block, uint32_t first,
                             struct rv_batch *batch, uint64_t *last_ns);

#endif
