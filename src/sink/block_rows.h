/*
 * The rows that an INDEX has of a block: of every stack that something happened in or of whose open frames it has to
 * tell, what was open as the block began, and the cells, spans and notes that were put down of it since.
 */
#ifndef RV_SINK_BLOCK_ROWS_H
#define RV_SINK_BLOCK_ROWS_H

#include "recording/index_table.h"
#include "sink/indexed_stream.h"

struct rv_block_rows { /* of one block at a time */
    struct rv_rec_index_table *table;
    uint32_t *listed; /* lanes that have a row, in that order */
    size_t n_listed, listed_capacity;
    struct rv_box *boxes; /* scratch: cells of a stack */
    size_t boxes_capacity;
};

/* They go into the table, which outlives them. */
void rv_block_rows_init(struct rv_block_rows *rows, struct rv_rec_index_table *table);
void rv_block_rows_fini(struct rv_block_rows *rows);

/* A block of the stream begins, as its carry stands: open frames that no block of this INDEX has listed go in. */
void rv_block_rows_begin(struct rv_block_rows *rows, struct rv_indexed_stream *stream);

/* The stack, one of the stream's lanes, is to have a row in the block; it may have one. */
void rv_block_rows_list(struct rv_block_rows *rows, const struct rv_indexed_stream *stream,
                        struct rv_indexed_stack *lane);

/*
 * The block ends: its rows go in, and what was put down of the listed stacks is forgotten.
 *   block    its row; n_stacks is filled in here
 *   returns  cells and spans
 */
uint64_t rv_block_rows_end(struct rv_block_rows *rows, struct rv_indexed_stream *stream,
                           const struct rv_rec_index_block *block);

#endif
