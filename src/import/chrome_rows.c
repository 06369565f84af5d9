#include "import/chrome_rows.h"

#include <stdlib.h>

#include "base/vec.h"

enum { BITS = 64 };

struct rv_chrome_row *rv_chrome_rows_find(struct rv_chrome_rows *rows, uint64_t key)
{
    const uint32_t number = rv_hash_index_get(&rows->lasts, key);
    struct rv_chrome_row *row = number ? &rows->rows[number - 1] : NULL;
    return row && row->key == key ? row : NULL;
}

static struct rv_chrome_row *add(struct rv_chrome_rows *rows)
{
    rows->rows = rv_vec_reserve(rows->rows, &rows->capacity, rows->n + 1, sizeof *rows->rows);
    rows->rows[rows->n] = (struct rv_chrome_row){0};
    return &rows->rows[rows->n++];
}

static struct rv_chrome_row *first_free(struct rv_chrome_rows *rows)
{
    while (rows->first < rows->n_words && !rows->free[rows->first])
        rows->first++;
    if (rows->first >= rows->n_words)
        return add(rows);
    uint64_t *word = &rows->free[rows->first];
    const size_t idx = rows->first * BITS + (size_t)__builtin_ctzll(*word);
    *word &= *word - 1;
    return &rows->rows[idx];
}

struct rv_chrome_row *rv_chrome_rows_take(struct rv_chrome_rows *rows, uint64_t key)
{
    struct rv_chrome_row *row = first_free(rows);
    const uint32_t number = (uint32_t)(row - rows->rows) + 1;
    uint32_t *last = rv_hash_index_at(&rows->lasts, key);
    row->key = key;
    if (last)
        *last = number;
    else
        rv_hash_index_put(&rows->lasts, rv_hash_u64(key), number);
    return row;
}

void rv_chrome_rows_give_back(struct rv_chrome_rows *rows, struct rv_chrome_row *row)
{
    const size_t idx = (size_t)(row - rows->rows), word = idx / BITS;
    if (word >= rows->n_words)
        rows->free = rv_vec_extend(rows->free, &rows->n_words, word + 1, sizeof *rows->free);
    rows->free[word] |= 1ull << idx % BITS;
    rows->first = word < rows->first ? word : rows->first;
    row->key = 0;
}

void rv_chrome_rows_fini(struct rv_chrome_rows *rows)
{
    rv_hash_index_fini(&rows->lasts);
    free(rows->free);
    free(rows->rows);
}
