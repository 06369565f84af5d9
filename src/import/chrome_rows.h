/* Rows for the asynchronous calls of a group: one for each that is open at a time, the first free one. */
#ifndef RV_IMPORT_CHROME_ROWS_H
#define RV_IMPORT_CHROME_ROWS_H

#include "base/hash_index.h"
#include "import/call_nesting.h"

struct rv_chrome_row {
    uint64_t key; /* of the asynchronous call in this row; 0 = free */
    struct rv_call_nesting nest;
};

struct rv_chrome_rows { /* zero = none. Grows to the number needed at one time */
    struct rv_chrome_row *rows;
    size_t n, capacity;
    uint64_t *free; /* a bit for each row */
    size_t n_words;
    size_t first;               /* no word before has one */
    struct rv_hash_index lasts; /* number + 1 of the row that a call had last, by its key */
};

/* The row that the call of that key has, or NULL. key: not 0. */
struct rv_chrome_row *rv_chrome_rows_find(struct rv_chrome_rows *rows, uint64_t key);

/* A row for the call of that key, which has none; valid until the next one is taken. A new one is the last of rows->n, its
 * nest zero. */
struct rv_chrome_row *rv_chrome_rows_take(struct rv_chrome_rows *rows, uint64_t key);

/* The call has ended. */
void rv_chrome_rows_give_back(struct rv_chrome_rows *rows, struct rv_chrome_row *row);

/* The nests' memory is their owner's. */
void rv_chrome_rows_fini(struct rv_chrome_rows *rows);

#endif
