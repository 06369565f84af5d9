/*
 * The rows of one block in an INDEX: for every stack with events, or whose open frames must be listed, the frames open
 * at the block's beginning and the cells, spans and notes recorded since.
 */
#ifndef RV_SINK_INDEXED_BLOCK_H
#define RV_SINK_INDEXED_BLOCK_H

#include "recording/index_chunk.h"
#include "sink/indexed_stream.h"

struct rv_indexed_block { /* of one block at a time */
    struct rv_rec_index_table *table;
    uint32_t *listed; /* lanes that have a row, in order */
    size_t n_listed, listed_capacity;
    struct rv_box *boxes; /* scratch: cells of a stack */
    size_t boxes_capacity;
};

/* Rows are added to the table, which must outlive this. */
void rv_indexed_block_init(struct rv_indexed_block *rows, struct rv_rec_index_table *table);
void rv_indexed_block_fini(struct rv_indexed_block *rows);

/* Start a block: list the carry's open frames that no block of this INDEX has listed. */
void rv_indexed_block_begin(struct rv_indexed_block *rows, struct rv_indexed_stream *stream);

/* Give the stack, one of the stream's lanes, a row in the block if it has none. */
void rv_indexed_block_list(struct rv_indexed_block *rows, const struct rv_indexed_stream *stream,
                           struct rv_indexed_stack *lane);

/*
 * End the block: add its rows, and clear what was recorded of the listed stacks.
 *   block    its row; n_stacks is filled in here
 *   returns  number of cells and spans
 */
uint64_t rv_indexed_block_end(struct rv_indexed_block *rows, struct rv_indexed_stream *stream,
                              const struct rv_rec_index_block *block);

#endif
