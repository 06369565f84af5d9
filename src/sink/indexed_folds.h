/*
 * The sums of critical paths in the index builder (struct rv_rec_index_fold): each stretch of a stack's time in which
 * it waited, released something or left a CPU, and sums of the time between these. At the end of an INDEX stretches in
 * which nobody was woken become part of the sums again, if there are more than the INDEX has room for.
 */
#ifndef RV_SINK_INDEXED_FOLDS_H
#define RV_SINK_INDEXED_FOLDS_H

#include "recording/index_chunk.h"
#include "scan/block_join.h"
#include "stream/batch.h"

struct rv_indexed_folds; /* opaque */

struct rv_indexed_folds *rv_indexed_folds_create(void);
void rv_indexed_folds_destroy(struct rv_indexed_folds *folds); /* NULL-safe */

struct rv_fold_time { /* a time whose stretch is listed; zeroed = none */
    uint64_t at_ns;
    bool is_release; /* it matters only if it woke a thread */
};

/*
 * A block of a stream begins, its next batch follows, it ends.
 *   carry    of the stream, before the batch
 *   pending  of the stream: what happened after its last call or return; updated
 *   n_bytes  of the block in the file
 */
void rv_indexed_folds_begin_block(struct rv_indexed_folds *folds, uint32_t stream, const struct rv_block_join *carry);
void rv_indexed_folds_add(struct rv_indexed_folds *folds, const struct rv_block_join *carry, uint32_t entry_stack,
                          const struct rv_batch *batch, struct rv_fold_time *pending);
void rv_indexed_folds_end_block(struct rv_indexed_folds *folds, uint64_t n_bytes);

/* Let the next table have the folds of another one, borrowed until then, as far as the same blocks give them: to
 * compare. Which blocks are folded together, which stretches without a wake are part of sums, and what finds no room,
 * the other has chosen. */
void rv_indexed_folds_choose(struct rv_indexed_folds *folds, const struct rv_rec_index_table *other);

/* Move what there is to the table, which has all waits of the same blocks. The last blocks of streams are left for the
 * next table, which has the waits of threads that they have woken: what follows none is in no table. */
void rv_indexed_folds_put(struct rv_indexed_folds *folds, struct rv_rec_index_table *table);

#endif
