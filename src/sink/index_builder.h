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

struct rv_index_builder; /* opaque; one thread at a time */

struct rv_index_builder *rv_index_builder_create(void);
void rv_index_builder_destroy(struct rv_index_builder *index_builder);

/* From its beginning on it counts no calls: whoever counts them anyway gives the totals before the last INDEX. */
void rv_index_builder_leave_totals(struct rv_index_builder *index_builder);

/*
 * False, and nothing was taken: they are more than an INDEX has room for, or others than those of the chunks may be. A
 * frame that is learnt late may enclose calls that have ended; whether these are counted with it depends on where
 * batches end.
 */
bool rv_index_builder_give_totals(struct rv_index_builder *index_builder, const struct rv_stats *totals);

/* A chunk at an offset; those that an index does not cover are passed over. */
struct rv_indexed_chunk {
    const struct rv_rec_chunk *chunk;
    uint64_t offset;
    const uint8_t *payload;  /* of ACCOUNT: a struct rv_rec_account at least */
    struct rv_event *events; /* of EVENTS, times in ns; chunk->n_events, room for RV_BATCH_PADDING: they are changed */
    uint64_t ordinal;        /* of EVENTS: events of the stream before these */
};
void rv_index_builder_add(struct rv_index_builder *index_builder, const struct rv_indexed_chunk *chunk);

/* Is there enough for an INDEX? It goes before the next chunk, so that the last one has something to cover. */
bool rv_index_builder_is_due(const struct rv_index_builder *index_builder);

/*
 * Append the payload of the INDEX chunk that is to stand at this offset, and begin the next.
 *   has_totals  it tells what was called: the last one has to, others where waiting would make that too long
 *   returns     false: there is nothing to tell, out is as it was
 */
bool rv_index_builder_put(struct rv_index_builder *index_builder, uint64_t offset, bool has_totals,
                          struct rv_rec_buffer *out);

/* Was something called that no INDEX has covered? And so much that the next one is to cover it? */
bool rv_index_builder_has_totals(const struct rv_index_builder *index_builder);
bool rv_index_builder_has_many_totals(struct rv_index_builder *index_builder);

/* Calls that are open, in all streams. */
uint64_t rv_index_builder_n_open(const struct rv_index_builder *index_builder);

/* Offset of the last INDEX; 0: none. Set, it is of those before what this one covers. */
uint64_t rv_index_builder_last(const struct rv_index_builder *index_builder);
void rv_index_builder_set_last(struct rv_index_builder *index_builder, uint64_t offset);

/* What is known of a stream; NULL: nothing happened in it, or it is closed. Until the next rv_index_builder_add(). */
struct rv_indexed_stream *rv_index_builder_stream(const struct rv_index_builder *index_builder, uint32_t number);

#endif
