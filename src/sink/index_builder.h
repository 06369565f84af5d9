/*
 * The index of a recording, made of its chunks in the order of the file: where they are, what is open where each block
 * begins, and what a picture and the statistics of all need of what is in it.
 */
#ifndef RV_SINK_INDEX_BUILDER_H
#define RV_SINK_INDEX_BUILDER_H

#include <stdbool.h>

#include "flow/batch.h"
#include "model/stats.h"
#include "recording/column.h"
#include "sink/indexed_stream.h"

struct rv_indexer; /* opaque; one thread at a time */

struct rv_indexer *rv_indexer_create(void);
void rv_indexer_destroy(struct rv_indexer *indexer);

/* From its beginning on it counts no calls: whoever counts them anyway gives the totals before the last INDEX. */
void rv_indexer_leave_totals(struct rv_indexer *indexer);

/*
 * False, and nothing was taken: they are more than an INDEX has room for, or others than those of the chunks may be. A
 * frame that is told of late may enclose calls that have ended; whether these are counted with it depends on where
 * batches end.
 */
bool rv_indexer_give_totals(struct rv_indexer *indexer, const struct rv_stats *totals);

/* A chunk at an offset; those that an index does not tell of are passed over. */
struct rv_indexed_chunk {
    const struct rv_rec_chunk *chunk;
    uint64_t offset;
    const uint8_t *payload;  /* of ACCOUNT: a struct rv_rec_account at least */
    struct rv_event *events; /* of EVENTS, times in ns; chunk->n_events, room for RV_BATCH_PADDING: they are changed */
    uint64_t ordinal;        /* of EVENTS: events of the stream before these */
};
void rv_indexer_add(struct rv_indexer *indexer, const struct rv_indexed_chunk *chunk);

/* Is there enough for an INDEX? It goes before the next chunk, so that the last one has something to tell of. */
bool rv_indexer_is_due(const struct rv_indexer *indexer);

/*
 * Append the payload of the INDEX chunk that is to stand at this offset, and begin the next.
 *   has_totals  it tells what was called: the last one has to, others where waiting would make that too long
 *   returns     false: there is nothing to tell, out is as it was
 */
bool rv_indexer_put(struct rv_indexer *indexer, uint64_t offset, bool has_totals, struct rv_rec_buffer *out);

/* Was something called of which no INDEX has told? And so much that the next one is to tell of it? */
bool rv_indexer_has_totals(const struct rv_indexer *indexer);
bool rv_indexer_has_many_totals(struct rv_indexer *indexer);

/* Calls that are open, in all streams. */
uint64_t rv_indexer_n_open(const struct rv_indexer *indexer);

/* Offset of the last INDEX; 0: none. Set, it is of those before what this one tells of. */
uint64_t rv_indexer_last(const struct rv_indexer *indexer);
void rv_indexer_set_last(struct rv_indexer *indexer, uint64_t offset);

/* What is known of a stream; NULL: nothing happened in it, or it is closed. Until the next rv_indexer_add(). */
struct rv_indexed_stream *rv_indexer_stream(const struct rv_indexer *indexer, uint32_t number);

#endif
