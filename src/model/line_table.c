#include "model/line_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ringviz/wire.h"

void rv_line_table_fini(struct rv_line_table *table)
{
    free(table->rows);
    rv_hash_index_fini(&table->index);
    *table = (struct rv_line_table){0};
}

static bool is_row(const void *context, uint32_t value, const void *key)
{
    const struct rv_line_table *table = context;
    const struct rv_line_row *row = &table->rows[value - 1], *wanted = key;
    return row->line == wanted->line && row->file == wanted->file && row->subroutine == wanted->subroutine;
}

size_t rv_line_table_find(struct rv_line_table *table, uint32_t subroutine, uint32_t file, uint32_t line)
{
    const struct rv_line_row wanted = {.subroutine = subroutine, .file = file, .line = line};
    const uint64_t hash = rv_hash_combine(rv_hash_u64((uint64_t)subroutine << 32 | file), line);
    const uint32_t found = rv_hash_index_find(&table->index, hash, is_row, table, &wanted);
    if (found)
        return found - 1;
    table->rows = rv_vec_reserve(table->rows, &table->capacity, table->n + 1, sizeof *table->rows);
    table->rows[table->n++] = wanted;
    rv_hash_index_put(&table->index, hash, (uint32_t)table->n);
    return table->n - 1;
}

void rv_line_sums_add(struct rv_line_sums *into, const struct rv_line_sums *more)
{
    into->n_hits += more->n_hits;
    into->self_ns += more->self_ns;
    into->total_ns += more->total_ns;
}

void rv_line_table_merge(struct rv_line_table *table, const struct rv_line_table *other)
{
    for (size_t i = 0; i < other->n; i++) {
        const struct rv_line_row *from = &other->rows[i];
        const size_t to = rv_line_table_find(table, from->subroutine, from->file, from->line);
        rv_line_sums_add(&table->rows[to].sums, &from->sums);
    }
}

/* ---- for display ---- */

static int by_place(const void *a, const void *b)
{
    const struct rv_line_table_row *x = a, *y = b;
    const int order = strcmp(x->file, y->file);
    if (order || x->line != y->line)
        return order ? order : x->line < y->line ? -1 : 1;
    return x->subroutine < y->subroutine ? -1 : x->subroutine > y->subroutine;
}

static int by_self(const void *a, const void *b)
{
    const struct rv_line_table_row *x = a, *y = b;
    if (x->sums.self_ns != y->sums.self_ns)
        return x->sums.self_ns > y->sums.self_ns ? -1 : 1;
    if (x->sums.total_ns != y->sums.total_ns)
        return x->sums.total_ns > y->sums.total_ns ? -1 : 1;
    return by_place(a, b);
}

/* Merge rows of one place, which are sorted by place. Returns how many are left. */
static size_t merge_equal(struct rv_line_table_row *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || by_place(&rows[kept - 1], &rows[i]) != 0)
            rows[kept++] = rows[i];
        else
            rv_line_sums_add(&rows[kept - 1].sums, &rows[i].sums);
    }
    return kept;
}

static bool passes(const struct rv_filter *filter, const struct rv_line_row *row)
{
    static const struct rv_lane NO_LANE = {.name = ""};
    const struct rv_box box = {.id = row->subroutine, .count = 1, .coverage = RV_BOX_EXACT};
    return !filter || rv_filter_passes_box(filter, &NO_LANE, &box);
}

struct place {
    const char *file;
    uint32_t line; /* 0: a call's, unknown */
};

static struct place place_of(struct rv_subroutines *subroutines, const struct rv_line_row *row)
{
    const uint32_t id = row->file ? row->file : row->subroutine;
    const struct rv_subroutine named = id ? rv_subroutines_get(subroutines, id) : (struct rv_subroutine){.file = ""};
    return (struct place){named.file, row->line == RV_LINE_OF_CALL ? named.line : row->line};
}

bool rv_line_table_has_places(const struct rv_line_table *table, struct rv_subroutines *subroutines)
{
    for (size_t i = 0; i < table->n; i++)
        if (place_of(subroutines, &table->rows[i]).line)
            return true;
    return false;
}

struct rv_line_table_row *rv_line_table_take(const struct rv_line_table *table, struct rv_subroutines *subroutines,
                                             const struct rv_filter *filter, size_t *n)
{
    uint32_t n_ids, *as_id = rv_subroutines_take_namesakes(subroutines, &n_ids);
    struct rv_line_table_row *rows = rv_alloc(table->n + 1, sizeof *rows);
    *n = 0;
    (void)rv_filter_update(filter, subroutines, SIZE_MAX);
    for (size_t i = 0; i < table->n; i++) {
        const struct rv_line_row *row = &table->rows[i];
        const struct place place = place_of(subroutines, row);
        if (place.line && passes(filter, row) && (row->sums.n_hits || row->sums.self_ns || row->sums.total_ns))
            rows[(*n)++] = (struct rv_line_table_row){
                .file = place.file,
                .line = place.line,
                .subroutine = row->subroutine < n_ids ? as_id[row->subroutine] : row->subroutine,
                .sums = row->sums,
            };
    }
    free(as_id);
    qsort(rows, *n, sizeof *rows, by_place);
    *n = merge_equal(rows, *n);
    qsort(rows, *n, sizeof *rows, by_self);
    return rows;
}
