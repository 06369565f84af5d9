/* See density.h. Sums are exact in 64 bits; only a finished cell is rounded to 16-bit coverage. */
#include "model/density.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define FIRST_ROWS 4u
#define FULL_COVERAGE 65534u

struct cell {        /* finished */
    uint32_t column; /* minus the chunk's base */
    uint32_t n_calls, id;
    uint16_t row, coverage;
};

struct open_columns { /* open columns of all levels up to one level, within one column of that level */
    const struct rv_density_column *columns[2 * RV_TIMELINE_LEVELS];
    unsigned n;
};

static unsigned n_words(uint32_t n_rows)
{
    return (n_rows + 63) / 64;
}

void rv_density_grow_rows(struct rv_density_level *level, uint32_t row)
{
    uint32_t n_rows = level->n_rows ? level->n_rows : FIRST_ROWS;
    while (n_rows <= row)
        n_rows *= 2;
    for (unsigned i = 0; i < 2; i++) {
        struct rv_density_column *column = &level->open[i];
        struct rv_density_sum *sums = rv_alloc(n_rows, sizeof *sums);
        uint64_t *masks = rv_alloc(n_words(n_rows), sizeof *masks);
        if (level->n_rows) {
            memcpy(sums, column->sums, level->n_rows * sizeof *sums);
            memcpy(masks, column->masks, n_words(level->n_rows) * sizeof *masks);
        }
        free(column->sums);
        free(column->masks);
        column->sums = sums;
        column->masks = masks;
    }
    level->n_rows = n_rows;
}

static uint16_t coverage_of(uint64_t covered_ns, unsigned shift)
{
    uint64_t width = UINT64_C(1) << shift;
    if (covered_ns >= width)
        return FULL_COVERAGE;
    return (uint16_t)((covered_ns * FULL_COVERAGE + width / 2) >> shift);
}

static uint32_t count_of(uint64_t n_calls)
{
    return n_calls < UINT32_MAX ? (uint32_t)n_calls : UINT32_MAX;
}

/* Turn rows [64 word, 64 word + 64) of a finished column into cells, and add them to the next level's column. */
static void finish_word(struct rv_density_level *level, struct rv_density_column *column, unsigned word,
                        uint64_t column_idx, unsigned shift, struct rv_density_sum *up)
{
    for (uint64_t mask = column->masks[word]; mask;) {
        struct rv_chunk *chunk = rv_chunked_log_tail(&level->cells, column_idx);
        struct cell *cells = (struct cell *)(void *)chunk->items;
        uint32_t n = chunk->n, key = (uint32_t)(column_idx - chunk->base);
        for (; mask && n < chunk->capacity; mask &= mask - 1) {
            uint32_t row = word * 64 + (unsigned)__builtin_ctzll(mask);
            struct rv_density_sum *sum = &column->sums[row];
            cells[n++] = (struct cell){.column = key,
                                       .n_calls = count_of(sum->n_calls),
                                       .id = sum->id,
                                       .row = (uint16_t)row,
                                       .coverage = coverage_of(sum->covered_ns, shift)};
            rv_density_sum_add(&up[row], sum);
            *sum = (struct rv_density_sum){0};
        }
        chunk->n = n;
    }
}

static void finish_column(struct rv_density *density, uint32_t level_idx, uint64_t column_idx)
{
    struct rv_density_level *level = &density->levels[level_idx], *next = level + 1;
    struct rv_density_column *column = &level->open[column_idx & 1], *up = &next->open[(column_idx >> 2) & 1];
    if (next->n_rows < level->n_rows)
        rv_density_grow_rows(next, level->n_rows - 1);
    for (uint64_t words = column->words; words; words &= words - 1) {
        unsigned word = (unsigned)__builtin_ctzll(words);
        up->masks[word] |= column->masks[word];
        finish_word(level, column, word, column_idx, rv_density_shift(level_idx), up->sums);
        column->masks[word] = 0;
    }
    up->words |= column->words;
    column->words = 0;
}

void rv_density_init(struct rv_density *density)
{
    *density = (struct rv_density){.finest = 1};
    for (uint32_t i = 1; i < RV_TIMELINE_LEVELS; i++)
        density->levels[i].cells.item_bytes = sizeof(struct cell);
}

void rv_density_fini(struct rv_density *density)
{
    for (uint32_t i = 1; i <= RV_TIMELINE_LEVELS; i++) {
        struct rv_density_level *level = &density->levels[i];
        for (unsigned j = 0; j < 2; j++) {
            free(level->open[j].sums);
            free(level->open[j].masks);
        }
        rv_chunked_log_fini(&level->cells);
    }
}

size_t rv_density_bytes(const struct rv_density *density)
{
    size_t n_bytes = 0;
    for (uint32_t i = 1; i <= RV_TIMELINE_LEVELS; i++) {
        const struct rv_density_level *level = &density->levels[i];
        n_bytes += rv_chunked_log_bytes(&level->cells);
        n_bytes += 2 * (level->n_rows * sizeof(struct rv_density_sum) + n_words(level->n_rows) * sizeof(uint64_t));
    }
    return n_bytes;
}

/*
 * Finer levels first: their cells are added to the next level's columns while these are still open, because a level's
 * current column always contains the finer level's.
 */
void rv_density_advance_far(struct rv_density *density, uint64_t end_ns)
{
    bool is_first = density->first_column_end_ns == 0;
    const unsigned shift = rv_density_shift(density->finest);
    for (uint32_t i = density->finest; i < RV_TIMELINE_LEVELS; i++) {
        struct rv_density_level *level = &density->levels[i];
        uint64_t column = end_ns >> rv_density_shift(i), current = level->current;
        if (!is_first && column == current)
            break;
        if (!is_first && current > 0)
            finish_column(density, i, current - 1);
        if (!is_first && column > current + 1)
            finish_column(density, i, current);
        level->current = column;
    }
    density->first_column_end_ns = ((end_ns >> shift) + 1) << shift;
}

size_t rv_density_add_run(struct rv_density *density, uint32_t level_idx, const struct rv_span *spans, size_t n,
                          uint64_t *last_ns)
{
    const struct rv_density_level *level = &density->levels[level_idx];
    struct rv_density_column *column = &density->levels[level_idx].open[level->current & 1];
    const uint64_t begin_ns = level->current << rv_density_shift(level_idx), end_ns = density->first_column_end_ns;
    const uint32_t n_rows = level->n_rows;
    uint64_t last = *last_ns;
    size_t i = 0;
    if (last < begin_ns || last >= end_ns)
        return 0;
    for (; i < n; i++) {
        const struct rv_span *span = &spans[i];
        bool ends_here = span->end - last < end_ns - last;
        bool begins_here = span->start - begin_ns <= span->end - begin_ns;
        if (!ends_here || !begins_here || span->depth >= n_rows)
            break;
        last = span->end;
        uint64_t inside = span->end - span->start;
        struct rv_density_sum more = {.covered_ns = inside, .n_calls = 1, .weight = inside + 1, .id = span->id};
        rv_density_sum_add(rv_density_touch(column, span->depth), &more);
    }
    *last_ns = last;
    return i;
}

static void empty_column(struct rv_density_column *column)
{
    for (; column->words; column->words &= column->words - 1) {
        unsigned word = (unsigned)__builtin_ctzll(column->words);
        for (uint64_t *mask = &column->masks[word]; *mask; *mask &= *mask - 1)
            column->sums[word * 64 + (unsigned)__builtin_ctzll(*mask)] = (struct rv_density_sum){0};
    }
}

static struct rv_density_sum *touch_row(struct rv_density_level *level, uint64_t column, uint32_t row)
{
    if (row >= level->n_rows)
        rv_density_grow_rows(level, row);
    return rv_density_touch(&level->open[column & 1], row);
}

/* A column is added to the next level's when it is finished, two columns later. */
static void take_finished(struct rv_density_level *into, const struct rv_chunked_log *cells, uint32_t level_idx,
                          uint64_t at_ns)
{
    uint64_t column = at_ns >> rv_density_shift(level_idx), base;
    uint64_t first = into->current ? (into->current - 1) << 2 : 0;
    struct rv_chunked_log_at at = rv_chunked_log_find(cells, first);
    struct rv_chunked_log_at end = rv_chunked_log_find_after(cells, at, column ? column - 1 : 0);
    uint32_t n;
    for (const struct cell *cell; (cell = rv_chunked_log_walk(cells, &at, end, &base, &n));)
        for (uint32_t i = 0; i < n; i++) {
            uint64_t covered_ns =
                (((uint64_t)cell[i].coverage << rv_density_shift(level_idx)) + FULL_COVERAGE / 2) / FULL_COVERAGE;
            struct rv_density_sum more = {covered_ns, cell[i].n_calls, covered_ns + 1, cell[i].id};
            rv_density_sum_add(touch_row(into, (base + cell[i].column) >> 2, cell[i].row), &more);
        }
}

void rv_density_rewind(struct rv_density *past, const struct rv_density *density, uint64_t at_ns)
{
    for (uint32_t i = 1; i < RV_TIMELINE_LEVELS; i++) {
        struct rv_density_level *level = &past->levels[i];
        empty_column(&level->open[0]);
        empty_column(&level->open[1]);
        level->current = at_ns >> rv_density_shift(i);
        if (i > 1)
            take_finished(level, &density->levels[i - 1].cells, i - 1, at_ns);
    }
}

void rv_density_add_back(struct rv_density *past, uint32_t level_idx, const struct rv_span *span)
{
    struct rv_density_level *level = &past->levels[level_idx];
    uint32_t row = span->depth < RV_DENSITY_ROWS ? span->depth : RV_DENSITY_ROWS - 1;
    uint64_t column = span->end >> rv_density_shift(level_idx), column_start = column << rv_density_shift(level_idx);
    uint64_t inside = span->end - (span->start > column_start ? span->start : column_start);
    struct rv_density_sum more = {.covered_ns = inside, .n_calls = 1, .weight = inside + 1, .id = span->id};
    rv_density_sum_add(touch_row(level, column, row), &more);
    if (span->start < column_start && column == level->current) {
        uint64_t before = column_start - span->start;
        more = (struct rv_density_sum){.covered_ns = before, .weight = before, .id = span->id};
        rv_density_sum_add(touch_row(level, column - 1, row), &more);
    }
}

void rv_density_put(struct rv_density *density, uint32_t level_idx, const struct rv_timeline_cell *cell)
{
    struct rv_density_level *level = &density->levels[level_idx];
    if (cell->depth >= level->n_rows)
        rv_density_grow_rows(level, cell->depth);
    uint64_t column = cell->start_ns >> rv_density_shift(level_idx);
    bool is_before = column < level->current && level->current > 0;
    const struct rv_density_sum more = {.covered_ns = cell->covered_ns,
                                        .n_calls = cell->n_calls,
                                        .weight = cell->covered_ns + cell->n_calls,
                                        .id = cell->id};
    rv_density_sum_add(rv_density_touch(&level->open[(level->current & 1) ^ is_before], cell->depth), &more);
}

static void open_columns(const struct rv_density *density, uint32_t level_idx, uint64_t column,
                         struct open_columns *out)
{
    out->n = 0;
    for (uint32_t i = 1; i <= level_idx; i++) {
        const struct rv_density_level *level = &density->levels[i];
        for (unsigned back = 0; back < 2 && level->current >= back; back++) {
            uint64_t own = level->current - back;
            if (level->open[own & 1].words && own >> (2 * (level_idx - i)) == column)
                out->columns[out->n++] = &level->open[own & 1];
        }
    }
}

static uint64_t union_word(const struct open_columns *open, unsigned word)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < open->n; i++)
        if (open->columns[i]->words >> word & 1)
            mask |= open->columns[i]->masks[word];
    return mask;
}

static uint64_t union_words(const struct open_columns *open)
{
    uint64_t words = 0;
    for (unsigned i = 0; i < open->n; i++)
        words |= open->columns[i]->words;
    return words;
}

static uint64_t count_open(const struct rv_density *density, uint32_t level, uint64_t column)
{
    struct open_columns open;
    open_columns(density, level, column, &open);
    uint64_t n = 0;
    for (uint64_t words = union_words(&open); words; words &= words - 1)
        n += (uint64_t)__builtin_popcountll(union_word(&open, (unsigned)__builtin_ctzll(words)));
    return n;
}

static struct rv_box open_box(const struct open_columns *open, uint32_t row, uint64_t column, unsigned shift)
{
    struct rv_density_sum total = {0};
    for (unsigned i = 0; i < open->n; i++) {
        const struct rv_density_column *part = open->columns[i];
        if (!(part->words >> (row / 64) & 1) || !(part->masks[row / 64] >> (row % 64) & 1))
            continue;
        rv_density_sum_add(&total, &part->sums[row]);
    }
    return (struct rv_box){.start_ns = column << shift,
                           .duration_ns = UINT64_C(1) << shift,
                           .id = total.id,
                           .count = count_of(total.n_calls),
                           .depth = row,
                           .coverage = coverage_of(total.covered_ns, shift)};
}

static size_t query_open(const struct rv_density *density, uint32_t level, uint64_t column, struct rv_box *out,
                         size_t max)
{
    struct open_columns open;
    open_columns(density, level, column, &open);
    size_t n = 0;
    for (uint64_t words = union_words(&open); words; words &= words - 1) {
        unsigned word = (unsigned)__builtin_ctzll(words);
        for (uint64_t mask = union_word(&open, word); mask && n < max; mask &= mask - 1)
            out[n++] = open_box(&open, word * 64 + (unsigned)__builtin_ctzll(mask), column, rv_density_shift(level));
    }
    return n;
}

/* The columns that overlap a window, first and last; the window is not empty. */
static void columns_of(uint32_t level, uint64_t from_ns, uint64_t to_ns, uint64_t *first, uint64_t *last)
{
    *first = from_ns >> rv_density_shift(level);
    *last = (to_ns - 1) >> rv_density_shift(level);
}

uint64_t rv_density_count(const struct rv_density *density, uint32_t level, uint64_t from_ns, uint64_t to_ns)
{
    if (from_ns >= to_ns)
        return 0;
    const struct rv_chunked_log *cells = &density->levels[level].cells;
    uint64_t first, last, current = density->levels[level].current;
    columns_of(level, from_ns, to_ns, &first, &last);
    uint64_t n = rv_chunked_log_ordinal(cells, rv_chunked_log_find(cells, last + 1)) -
                 rv_chunked_log_ordinal(cells, rv_chunked_log_find(cells, first));
    if (current > 0 && current - 1 >= first && current - 1 <= last)
        n += count_open(density, level, current - 1);
    if (current >= first && current <= last)
        n += count_open(density, level, current);
    return n;
}

size_t rv_density_query(const struct rv_density *density, uint32_t level, uint64_t from_ns, uint64_t to_ns,
                        struct rv_box *out, size_t max)
{
    if (from_ns >= to_ns)
        return 0;
    const struct rv_chunked_log *cells = &density->levels[level].cells;
    uint64_t first, last, base, current = density->levels[level].current;
    columns_of(level, from_ns, to_ns, &first, &last);
    struct rv_chunked_log_at at = rv_chunked_log_find(cells, first), end = rv_chunked_log_find(cells, last + 1);
    unsigned shift = rv_density_shift(level);
    size_t n = 0;
    uint32_t n_cells;
    for (const struct cell *cell; (cell = rv_chunked_log_walk(cells, &at, end, &base, &n_cells));)
        for (uint32_t i = 0; i < n_cells && n < max; i++)
            out[n++] = (struct rv_box){.start_ns = (base + cell[i].column) << shift,
                                       .duration_ns = UINT64_C(1) << shift,
                                       .id = cell[i].id,
                                       .count = cell[i].n_calls,
                                       .depth = cell[i].row,
                                       .coverage = cell[i].coverage};
    if (current > 0 && current - 1 >= first && current - 1 <= last)
        n += query_open(density, level, current - 1, out + n, max - n);
    if (current >= first && current <= last)
        n += query_open(density, level, current, out + n, max - n);
    return n;
}
