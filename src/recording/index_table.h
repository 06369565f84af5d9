/* The payload of INDEX chunks: rows by column, to bytes and back. */
#ifndef RV_RECORDING_INDEX_TABLE_H
#define RV_RECORDING_INDEX_TABLE_H

#include "recording/column.h"

struct rv_rec_index_table { /* zero is empty; may be decoded into again and keeps its memory */
    struct rv_rec_index head;
    struct rv_rec_buffer columns[RV_REC_INDEX_COLUMN_END]; /* rows by enum rv_rec_index_column */
    struct rv_rec_buffer planes;                           /* scratch */
};

void rv_rec_index_fini(struct rv_rec_index_table *table);

/* No rows, memory kept. */
void rv_rec_index_clear(struct rv_rec_index_table *table);

/* Rows of a column, never NULL, and how many there are. Valid until the table changes. */
const void *rv_rec_index_rows(const struct rv_rec_index_table *table, enum rv_rec_index_column column, size_t *n);

/* Append one row, of the column's struct. */
void rv_rec_index_add(struct rv_rec_index_table *table, enum rv_rec_index_column column, const void *row);

/* Append the payload to out; head.n_columns is counted. */
void rv_rec_index_encode(struct rv_compressor *compressor, const struct rv_rec_index_table *table,
                         struct rv_rec_buffer *out);

/*
 * The rows of a payload.
 *   offset   of the chunk in its file
 *   returns  0, or -EBADMSG. What is given back is of one mind with itself: counts add up, offsets rise within
 *            [head.begin, offset), streams, levels, rows, columns and buckets are in range. n_kept is not looked at
 */
int rv_rec_index_decode(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        uint64_t offset, struct rv_rec_index_table *table);

#endif
