#include "recording/index_chunk.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/vec.h"

/* Limits of frame keys and losses: far above real values, low enough that sums do not overflow. */
static const int64_t MOST_DEPTH = INT64_C(1) << 60;

static const size_t ROW_BYTES[RV_REC_INDEX_COLUMN_END] = {
    [RV_REC_INDEX_CHUNKS] = sizeof(struct rv_rec_index_chunk),
    [RV_REC_INDEX_BLOCKS] = sizeof(struct rv_rec_index_block),
    [RV_REC_INDEX_STACKS] = sizeof(struct rv_rec_index_stack),
    [RV_REC_INDEX_FRAMES] = sizeof(struct rv_rec_index_frame),
    [RV_REC_INDEX_CELLS] = sizeof(struct rv_rec_index_cell),
    [RV_REC_INDEX_SPANS] = sizeof(struct rv_rec_index_span),
    [RV_REC_INDEX_NOTES] = sizeof(struct rv_event),
    [RV_REC_INDEX_TOTALS] = sizeof(struct rv_rec_index_total),
    [RV_REC_INDEX_BUCKETS] = sizeof(struct rv_rec_index_bucket),
    [RV_REC_INDEX_DEPTHS] = sizeof(struct rv_rec_index_depth),
    [RV_REC_INDEX_WAITERS] = sizeof(struct rv_rec_index_waiter),
    [RV_REC_INDEX_WAITS] = sizeof(struct rv_rec_index_wait),
    [RV_REC_INDEX_RELEASES] = sizeof(struct rv_rec_index_release),
    [RV_REC_INDEX_FOLDS] = sizeof(struct rv_rec_index_fold),
    [RV_REC_INDEX_PARTS] = sizeof(struct rv_rec_index_part),
    [RV_REC_INDEX_SUMS] = sizeof(struct rv_rec_index_sum),
    [RV_REC_INDEX_CALLS] = sizeof(struct rv_rec_index_call),
    [RV_REC_INDEX_INNERS] = sizeof(struct rv_rec_index_inner),
};

void rv_rec_index_fini(struct rv_rec_index_table *table)
{
    for (size_t i = 0; i < RV_REC_INDEX_COLUMN_END; i++)
        rv_rec_buffer_fini(&table->columns[i]);
    rv_rec_buffer_fini(&table->planes);
}

void rv_rec_index_clear(struct rv_rec_index_table *table)
{
    table->head = (struct rv_rec_index){0};
    for (size_t i = 0; i < RV_REC_INDEX_COLUMN_END; i++)
        table->columns[i].n = 0;
}

const void *rv_rec_index_rows(const struct rv_rec_index_table *table, enum rv_rec_index_column column, size_t *n)
{
    static const uint64_t none = 0;
    *n = table->columns[column].n / ROW_BYTES[column];
    return table->columns[column].bytes ? (const void *)table->columns[column].bytes : &none;
}

bool rv_rec_index_lacks_states(const struct rv_rec_index_table *table)
{
    size_t n, i = 0;
    const struct rv_rec_index_stack *stacks = rv_rec_index_rows(table, RV_REC_INDEX_STACKS, &n);
    while (i < n && stacks[i].n_notes < RV_REC_INDEX_OLD_NOTES)
        i++;
    return i < n && !(table->head.flags & RV_REC_INDEX_HAS_STATES);
}

void rv_rec_index_add(struct rv_rec_index_table *table, enum rv_rec_index_column column, const void *row)
{
    rv_rec_buffer_add(&table->columns[column], row, ROW_BYTES[column]);
}

/* Bytes of equal significance are stored together: the numbers in rows differ little. */
static void to_planes(const struct rv_rec_buffer *rows, size_t row_bytes, struct rv_rec_buffer *planes)
{
    size_t n = rows->n / row_bytes;
    planes->n = 0;
    uint8_t *to = rv_rec_buffer_reserve(planes, rows->n);
    for (size_t k = 0; k < row_bytes; k++)
        for (size_t i = 0; i < n; i++)
            *to++ = rows->bytes[i * row_bytes + k];
    planes->n = rows->n;
}

static void from_planes(const struct rv_rec_buffer *planes, size_t row_bytes, struct rv_rec_buffer *rows)
{
    size_t n = planes->n / row_bytes;
    const uint8_t *from = planes->bytes;
    rows->n = 0;
    uint8_t *to = rv_rec_buffer_reserve(rows, planes->n);
    for (size_t k = 0; k < row_bytes; k++)
        for (size_t i = 0; i < n; i++)
            to[i * row_bytes + k] = *from++;
    rows->n = planes->n;
}

void rv_rec_index_encode(struct rv_compressor *compressor, const struct rv_rec_index_table *table,
                         struct rv_rec_buffer *out)
{
    struct rv_rec_index head = table->head;
    struct rv_rec_buffer planes = {0};
    size_t head_at = out->n;
    head.n_columns = 0;
    rv_rec_buffer_add(out, &head, sizeof head);
    for (unsigned i = 1; i < RV_REC_INDEX_COLUMN_END; i++) {
        const struct rv_rec_buffer *column = &table->columns[i];
        if (column->n == 0)
            continue;
        to_planes(column, ROW_BYTES[i], &planes);
        rv_compress_column(compressor, out, (uint16_t)i, planes.bytes, planes.n);
        head.n_columns++;
    }
    memcpy(out->bytes + head_at, &head, sizeof head);
    rv_rec_buffer_fini(&planes);
}

static int unpack(struct rv_compressor *compressor, const struct rv_compressed_column *column,
                  struct rv_rec_index_table *table)
{
    uint32_t n = column->header.raw_bytes;
    size_t row_bytes = ROW_BYTES[column->header.id];
    if (n == 0 || n > RV_REC_MAX_INDEX_COLUMN || n % row_bytes)
        return -EBADMSG;
    (void)rv_rec_buffer_reserve(&table->planes, n);
    table->planes.n = n;
    if (rv_compress_unpack(compressor, column, table->planes.bytes) != 0)
        return -EBADMSG;
    from_planes(&table->planes, row_bytes, &table->columns[column->header.id]);
    return 0;
}

enum {
    WAIT_COLUMNS = 1 << RV_REC_INDEX_WAITS | 1 << RV_REC_INDEX_RELEASES,
    FOLD_COLUMNS = 1 << RV_REC_INDEX_FOLDS | 1 << RV_REC_INDEX_PARTS | 1 << RV_REC_INDEX_SUMS | 1 << RV_REC_INDEX_CALLS,
    ALL_COLUMNS = ~0,
    PICTURE_COLUMNS = ALL_COLUMNS & ~(WAIT_COLUMNS | FOLD_COLUMNS),
    ENTRY_COLUMNS =
        1 << RV_REC_INDEX_BLOCKS | 1 << RV_REC_INDEX_STACKS | 1 << RV_REC_INDEX_FRAMES | 1 << RV_REC_INDEX_DEPTHS
};

static int unpack_all(struct rv_compressor *compressor, const uint8_t *at, const uint8_t *end, int columns,
                      struct rv_rec_index_table *table)
{
    unsigned last_id = 0;
    for (uint32_t i = 0; i < table->head.n_columns; i++) {
        struct rv_compressed_column column;
        if (rv_compress_next_column(&at, end, &column) != 0 || column.header.id <= last_id)
            return -EBADMSG;
        last_id = column.header.id;
        if (last_id < RV_REC_INDEX_COLUMN_END && columns >> last_id & 1 && unpack(compressor, &column, table) != 0)
            return -EBADMSG;
    }
    return 0;
}

/* Is the offset valid and greater than *last? */
static bool is_place(const struct rv_rec_index_table *table, uint64_t offset, uint64_t end, uint64_t *last)
{
    bool is_sound = offset >= table->head.begin && offset < end && offset > *last && offset % RV_REC_ALIGNMENT == 0;
    *last = offset;
    return is_sound;
}

static bool has_sound_chunks(const struct rv_rec_index_table *table, uint64_t end)
{
    size_t n;
    uint64_t last = 0;
    const struct rv_rec_index_chunk *chunks = rv_rec_index_rows(table, RV_REC_INDEX_CHUNKS, &n);
    for (size_t i = 0; i < n; i++)
        if (!is_place(table, chunks[i].offset, end, &last) || chunks[i].stream >= RV_REC_MAX_STREAMS)
            return false;
    return true;
}

static bool has_sound_blocks(const struct rv_rec_index_table *table, uint64_t end)
{
    size_t n, n_stacks;
    uint64_t last = 0, sum = 0;
    const struct rv_rec_index_block *blocks = rv_rec_index_rows(table, RV_REC_INDEX_BLOCKS, &n);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_STACKS, &n_stacks);
    for (size_t i = 0; i < n; i++) {
        const struct rv_rec_index_block *block = &blocks[i];
        if (!is_place(table, block->offset, end, &last) || block->stream >= RV_REC_MAX_STREAMS ||
            block->n_events > RV_REC_MAX_EVENTS || block->first_ns > block->last_ns ||
            block->last_ns > RV_EVENT_TICKS_MASK)
            return false;
        sum += block->n_stacks;
    }
    return sum == n_stacks;
}

/* Events of a block's stacks, by which a reader divides a lane, are its own, and one where others are lost before it. */
static bool has_sound_numbers_of_events(const struct rv_rec_index_table *table)
{
    size_t n, n_stacks;
    const struct rv_rec_index_block *block = rv_rec_index_rows(table, RV_REC_INDEX_BLOCKS, &n), *end = block + n;
    const struct rv_rec_index_stack *stack = rv_rec_index_rows(table, RV_REC_INDEX_STACKS, &n_stacks);
    for (; block < end; block++) {
        uint64_t n_events = 0;
        for (uint32_t i = 0; i < block->n_stacks; i++)
            n_events += stack++->n_events;
        if (n_events > block->n_events + UINT64_C(1))
            return false;
    }
    return true;
}

static bool has_sound_stacks(const struct rv_rec_index_table *table, int columns)
{
    size_t n, n_frames, n_cells, n_spans, n_notes;
    uint64_t frames = 0, cells = 0, spans = 0, notes = 0;
    const struct rv_rec_index_stack *stacks = rv_rec_index_rows(table, RV_REC_INDEX_STACKS, &n);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_FRAMES, &n_frames);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_CELLS, &n_cells);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_SPANS, &n_spans);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_NOTES, &n_notes);
    for (size_t i = 0; i < n; i++) {
        if (stacks[i].level == 0 || stacks[i].level >= RV_REC_INDEX_LEVELS)
            return false;
        frames += stacks[i].n_frames;
        cells += stacks[i].n_cells;
        spans += stacks[i].n_spans;
        notes += stacks[i].n_notes;
    }
    return frames == n_frames &&
           (columns == ENTRY_COLUMNS || (cells == n_cells && spans == n_spans && notes == n_notes));
}

static bool has_sound_cells(const struct rv_rec_index_table *table)
{
    size_t n;
    const struct rv_rec_index_cell *cells = rv_rec_index_rows(table, RV_REC_INDEX_CELLS, &n);
    for (size_t i = 0; i < n; i++)
        if (cells[i].row >= RV_REC_INDEX_ROWS || cells[i].coverage > RV_REC_INDEX_COVERED ||
            cells[i].column > RV_EVENT_TICKS_MASK >> 13)
            return false;
    const struct rv_rec_index_span *spans = rv_rec_index_rows(table, RV_REC_INDEX_SPANS, &n);
    for (size_t i = 0; i < n; i++)
        if (spans[i].start_ns > spans[i].end_ns || spans[i].end_ns > RV_EVENT_TICKS_MASK)
            return false;
    return true;
}

static bool has_sound_totals(const struct rv_rec_index_table *table)
{
    size_t n, n_buckets, next = 0;
    const struct rv_rec_index_total *totals = rv_rec_index_rows(table, RV_REC_INDEX_TOTALS, &n);
    const struct rv_rec_index_bucket *buckets = rv_rec_index_rows(table, RV_REC_INDEX_BUCKETS, &n_buckets);
    for (size_t i = 0; i < n; i++) {
        uint64_t n_left = totals[i].n_calls;
        if (totals[i].n_buckets > n_buckets - next)
            return false;
        for (size_t end = next + totals[i].n_buckets; next < end; next++) {
            if (buckets[next].bucket >= RV_REC_HISTOGRAM_BUCKETS || buckets[next].n_calls > n_left)
                return false;
            n_left -= buckets[next].n_calls;
        }
        if (n_left)
            return false;
    }
    return next == n_buckets;
}

static bool has_sound_inners(const struct rv_rec_index_table *table)
{
    size_t n, n_totals, next = 0;
    const struct rv_rec_index_inner *inners = rv_rec_index_rows(table, RV_REC_INDEX_INNERS, &n);
    const struct rv_rec_index_total *totals = rv_rec_index_rows(table, RV_REC_INDEX_TOTALS, &n_totals);
    for (size_t i = 0; i < n; next = (size_t)inners[i++].total + 1)
        if (inners[i].total < next || inners[i].total >= n_totals ||
            inners[i].inner_ns > totals[inners[i].total].total_ns)
            return false;
    return true;
}

static bool has_sound_depths(const struct rv_rec_index_table *table)
{
    size_t n, n_stacks;
    const struct rv_rec_index_depth *depths = rv_rec_index_rows(table, RV_REC_INDEX_DEPTHS, &n);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_STACKS, &n_stacks);
    for (size_t i = 0; i < n; i++) {
        bool has_events = depths[i].least != INT64_MAX;
        if ((has_events && (depths[i].least < -MOST_DEPTH || depths[i].least > depths[i].last)) ||
            depths[i].last < -MOST_DEPTH || depths[i].last > MOST_DEPTH || depths[i].n_lost > (uint64_t)MOST_DEPTH ||
            depths[i].last_ns > RV_EVENT_TICKS_MASK)
            return false;
    }
    return n == 0 || n == n_stacks;
}

static bool is_sound_wait(const struct rv_rec_index_wait *wait, uint64_t *last_ns)
{
    const bool is_sound = wait->end_ns >= *last_ns && wait->end_ns <= RV_EVENT_TICKS_MASK &&
                          wait->waited_ns <= wait->end_ns && wait->waker >> RV_EVENT_WAKE_SHIFT == 0;
    *last_ns = wait->end_ns;
    return is_sound;
}

static bool has_sound_waiter(const struct rv_rec_index_waiter *waiter, const struct rv_rec_index_wait *waits,
                             const struct rv_rec_index_release *releases)
{
    uint64_t last_ns = waiter->first_ns, last_release_ns = waiter->first_release_ns;
    for (uint32_t i = 0; i < waiter->n_waits; i++)
        if (!is_sound_wait(&waits[i], &last_ns) || waits[i].end_ns - waits[i].waited_ns < waiter->begin_ns)
            return false;
    for (uint32_t i = 0; i < waiter->n_releases; last_release_ns = releases[i++].at_ns)
        if (releases[i].at_ns < last_release_ns)
            return false;
    return last_ns <= waiter->last_ns && last_release_ns <= waiter->last_release_ns;
}

/* Sums alone, or with all that they are of. */
static bool has_sound_waits(const struct rv_rec_index_table *table, int columns)
{
    size_t n, n_waits, n_releases;
    uint64_t waits_end = 0, releases_end = 0;
    const struct rv_rec_index_waiter *waiters = rv_rec_index_rows(table, RV_REC_INDEX_WAITERS, &n);
    const struct rv_rec_index_wait *waits = rv_rec_index_rows(table, RV_REC_INDEX_WAITS, &n_waits);
    const struct rv_rec_index_release *releases = rv_rec_index_rows(table, RV_REC_INDEX_RELEASES, &n_releases);
    const bool has_all = (columns & WAIT_COLUMNS) != 0;
    for (size_t i = 0; i < n; i++) {
        const struct rv_rec_index_waiter *waiter = &waiters[i];
        const uint64_t waits_begin = waits_end, releases_begin = releases_end;
        waits_end += waiter->n_waits;
        releases_end += waiter->n_releases;
        if (waiter->stream >= RV_REC_MAX_STREAMS || waiter->begin_ns > waiter->first_ns ||
            waiter->first_ns > waiter->last_ns || waiter->last_ns > RV_EVENT_TICKS_MASK ||
            waiter->first_release_ns > waiter->last_release_ns || waiter->last_release_ns > RV_EVENT_TICKS_MASK ||
            (waiter->n_waits && waiter->longest >= waiter->n_waits))
            return false;
        if (has_all && (waits_end > n_waits || releases_end > n_releases ||
                        !has_sound_waiter(waiter, waits + waits_begin, releases + releases_begin)))
            return false;
    }
    return !has_all || (waits_end == n_waits && releases_end == n_releases);
}

struct fold_rows { /* those that were not looked at */
    const struct rv_rec_index_part *part;
    const struct rv_rec_index_sum *sum;
    size_t n_parts, n_sums, n_calls;
};

/* Is the next part's time within left_ns, which it is then taken from, and has it no more calls than were open? */
static bool has_sound_part(struct fold_rows *rows, uint64_t *left_ns, uint64_t *n_open)
{
    const struct rv_rec_index_part *part = rows->part++;
    uint64_t own_ns = 0;
    if (part->n_sums > rows->n_sums || part->n_calls > rows->n_calls || part->n_kept > *n_open)
        return false;
    for (const struct rv_rec_index_sum *end = rows->sum + part->n_sums; rows->sum < end; own_ns += rows->sum++->own_ns)
        if (rows->sum->own_ns > *left_ns - own_ns || rows->sum->n > rows->sum->own_ns ||
            rows->sum->callees_ns > *left_ns - rows->sum->own_ns)
            return false;
    rows->n_sums -= part->n_sums;
    rows->n_calls -= part->n_calls;
    *n_open = (uint64_t)part->n_kept + part->n_calls;
    *left_ns -= own_ns;
    if (part->stretch_ns > *left_ns)
        return false;
    *left_ns -= part->stretch_ns;
    return true;
}

static bool has_sound_fold(const struct rv_rec_index_fold *fold, struct fold_rows *rows)
{
    if (fold->stream >= RV_REC_MAX_STREAMS || fold->from_ns > fold->to_ns || fold->to_ns > RV_EVENT_TICKS_MASK ||
        fold->n_parts > rows->n_parts)
        return false;
    uint64_t left_ns = fold->to_ns - fold->from_ns, n_open = 0, n_told = 0;
    for (uint32_t i = 0; i < fold->n_parts; i++) {
        if (!has_sound_part(rows, &left_ns, &n_open))
            return false;
        n_told += n_open;
        if (n_told > RV_REC_MAX_EVENTS) /* each is a call of the block */
            return false;
    }
    rows->n_parts -= fold->n_parts;
    return left_ns == 0;
}

static bool has_sound_folds(const struct rv_rec_index_table *table)
{
    size_t n;
    struct fold_rows rows;
    const struct rv_rec_index_fold *folds = rv_rec_index_rows(table, RV_REC_INDEX_FOLDS, &n);
    rows.part = rv_rec_index_rows(table, RV_REC_INDEX_PARTS, &rows.n_parts);
    rows.sum = rv_rec_index_rows(table, RV_REC_INDEX_SUMS, &rows.n_sums);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_CALLS, &rows.n_calls);
    for (size_t i = 0; i < n; i++)
        if (!has_sound_fold(&folds[i], &rows))
            return false;
    return !rows.n_parts && !rows.n_sums && !rows.n_calls;
}

static int decode(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                  uint64_t offset, int columns, struct rv_rec_index_table *table)
{
    rv_rec_index_clear(table);
    if (chunk->payload_bytes < sizeof table->head)
        return -EBADMSG;
    memcpy(&table->head, payload, sizeof table->head);
    const struct rv_rec_index *head = &table->head;
    if (head->begin >= offset || (head->previous && head->previous >= head->begin))
        return -EBADMSG;
    if (unpack_all(compressor, payload + sizeof *head, payload + chunk->payload_bytes, columns, table) != 0)
        return -EBADMSG;
    bool is_sound = has_sound_chunks(table, offset) && has_sound_blocks(table, offset) &&
                    has_sound_numbers_of_events(table) && has_sound_stacks(table, columns) && has_sound_cells(table) &&
                    has_sound_totals(table) && has_sound_inners(table) && has_sound_depths(table) &&
                    has_sound_waits(table, columns) && has_sound_folds(table);
    return is_sound ? 0 : -EBADMSG;
}

int rv_rec_index_decode(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        uint64_t offset, struct rv_rec_index_table *table)
{
    return decode(compressor, chunk, payload, offset, ALL_COLUMNS, table);
}

int rv_rec_index_decode_entries(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk,
                                const uint8_t *payload, uint64_t offset, struct rv_rec_index_table *table)
{
    return decode(compressor, chunk, payload, offset, ENTRY_COLUMNS, table);
}

int rv_rec_index_decode_picture(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk,
                                const uint8_t *payload, uint64_t offset, struct rv_rec_index_table *table)
{
    return decode(compressor, chunk, payload, offset, PICTURE_COLUMNS, table);
}

int rv_rec_index_decode_waits(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk,
                              const uint8_t *payload, uint64_t offset, struct rv_rec_index_table *table)
{
    return decode(compressor, chunk, payload, offset, 1 << RV_REC_INDEX_WAITERS | WAIT_COLUMNS, table);
}

int rv_rec_index_decode_folds(struct rv_compressor *compressor, const struct rv_rec_chunk *chunk,
                              const uint8_t *payload, uint64_t offset, struct rv_rec_index_table *table)
{
    return decode(compressor, chunk, payload, offset, FOLD_COLUMNS, table);
}
