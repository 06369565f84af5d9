/* The payload of INDEX chunks: tables of rows, to bytes and back. */
#ifndef RV_RECORDING_INDEX_CHUNK_H
#define RV_RECORDING_INDEX_CHUNK_H

#include "recording/column_compression.h"

struct rv_rec_index_table { /* zeroed = empty; reusable, keeps its memory */
    struct rv_rec_index head;
    struct rv_rec_buffer columns[RV_REC_INDEX_COLUMN_END]; /* rows by enum rv_rec_index_column */
    struct rv_rec_buffer planes;                           /* scratch */
};

void rv_rec_index_fini(struct rv_rec_index_table *table);

/* Remove all rows; keeps the memory. */
void rv_rec_index_clear(struct rv_rec_index_table *table);

/* Rows of a column, never NULL, and their number. Valid until the table changes. */
const void *rv_rec_index_rows(const struct rv_rec_index_table *table, enum rv_rec_index_column column, size_t *n);

/* Has an older recorder left out changes of states of a stack with many? */
bool rv_rec_index_lacks_states(const struct rv_rec_index_table *table);

/* Append one row, of the column's struct. */
void rv_rec_index_add(struct rv_rec_index_table *table, enum rv_rec_index_column column, const void *row);

/* Append the payload to out; sets head.n_columns. */
void rv_rec_index_encode(struct rv_compressor *compressor, const struct rv_rec_index_table *table,
                         struct rv_rec_buffer *out);

/*
 * Decode the rows of a payload.
 *   offset   of the chunk in its file
 *   returns  0, or -EBADMSG. The result is consistent: counts add up, offsets increase within [head.begin, offset),
 *            streams, levels, rows, columns and buckets are in range. n_kept is not checked
 */
int rv_rec_index_decode(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        uint64_t offset, struct rv_rec_index_table *table);

/* The same of all that pictures need; of WAITERS, WAITS and RELEASES; and of FOLDS and their rows. Other columns are
 * empty. */
int rv_rec_index_decode_picture(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk,
                                const uint8_t *payload, uint64_t offset, struct rv_rec_index_table *table);
int rv_rec_index_decode_waits(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk,
                              const uint8_t *payload, uint64_t offset, struct rv_rec_index_table *table);
int rv_rec_index_decode_folds(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk,
                              const uint8_t *payload, uint64_t offset, struct rv_rec_index_table *table);

/* The same of BLOCKS, STACKS, FRAMES and DEPTHS only, which a block is decoded with; other columns are empty. */
int rv_rec_index_decode_entries(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk,
                                const uint8_t *payload, uint64_t offset, struct rv_rec_index_table *table);

#endif
