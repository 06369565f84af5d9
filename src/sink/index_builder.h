/*
 * Builds the index of a recording from its chunks in file order: their offsets, the frames open at each block's
 * beginning, and summaries for pictures and statistics.
 */
#ifndef RV_SINK_INDEX_BUILDER_H
#define RV_SINK_INDEX_BUILDER_H

#include <stdbool.h>

#include "model/stats.h"
#include "recording/column_compression.h"
#include "sink/indexed_stream.h"
#include "stream/batch.h"

struct rv_index_builder; /* opaque; one thread at a time */

struct rv_index_builder *rv_index_builder_create(void);

void rv_index_builder_destroy(struct rv_index_builder *index_builder);

/* Do not count calls: the caller counts them anyway and gives the totals before the last INDEX. */
void rv_index_builder_leave_totals(struct rv_index_builder *index_builder);

/* Keep only where the blocks are, which frames are open at their begins, and waits: no totals, sums or notes. */
void rv_index_builder_leave_sums(struct rv_index_builder *index_builder);

/*
 * Give the totals. False, with nothing taken: too many for an INDEX, or they may differ from the chunks'. A frame that
 * is learnt late may enclose finished calls; whether these count as its children depends on where batches end.
 */
bool rv_index_builder_give_totals(struct rv_index_builder *index_builder, const struct rv_stats *totals);

/* A chunk at an offset; chunks that an index does not cover are ignored. */
struct rv_indexed_chunk {
    const struct rv_rec_chunk *chunk;
    uint64_t offset;
    const uint8_t *payload;  /* of ACCOUNT: at least a struct rv_rec_account */
    struct rv_event *events; /* of EVENTS, times in ns; chunk->n_events, room for RV_BATCH_PADDING: modified */
    uint64_t ordinal;        /* of EVENTS: number of the stream's earlier events */
    uint64_t n_bytes;        /* in the file */
};
void rv_index_builder_add(struct rv_index_builder *index_builder, const struct rv_indexed_chunk *chunk);

/* Is an INDEX due? It is written before the next chunk, so that the last INDEX covers something. */
bool rv_index_builder_is_due(const struct rv_index_builder *index_builder);

/* Let the next INDEX have the folds that another one has chosen: see rv_indexed_folds_choose(). */
void rv_index_builder_choose_folds(struct rv_index_builder *index_builder, const struct rv_rec_index_table *other);

/*
 * Append the payload of the INDEX chunk for this offset, and start the next.
 *   has_totals  include totals: the last one must, others when they would get too long
 *   returns     false: nothing to write, out unchanged
 */
bool rv_index_builder_put(struct rv_index_builder *index_builder, struct rv_compressor *compressor, uint64_t offset,
                          bool has_totals, struct rv_rec_buffer *out);

/* Are there totals not written yet? Are there so many that the next INDEX must have them? */
bool rv_index_builder_has_totals(const struct rv_index_builder *index_builder);
bool rv_index_builder_has_many_totals(struct rv_index_builder *index_builder);

/* Number of open calls in all streams. */
uint64_t rv_index_builder_n_open(const struct rv_index_builder *index_builder);

/* Offset of the last INDEX; 0: none. The setter is for INDEXes before the first one of this builder. */
uint64_t rv_index_builder_last(const struct rv_index_builder *index_builder);
void rv_index_builder_set_last(struct rv_index_builder *index_builder, uint64_t offset);

/* A stream's state; NULL: no events, or closed. Valid until the next rv_index_builder_add(). */
struct rv_indexed_stream *rv_index_builder_stream(const struct rv_index_builder *index_builder, uint32_t number);

#endif
