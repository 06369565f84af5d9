#include "recording/index_chunk.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_OFFSET = 64 * 1000 };

static struct rv_compressor *compressor;
static struct rv_rec_index_table table, back;
static struct rv_rec_buffer payload;

static void begin(void)
{
    compressor = rv_compressor_create();
}

static void end(void)
{
    rv_compressor_destroy(compressor);
    rv_rec_index_fini(&table);
    rv_rec_index_fini(&back);
    rv_rec_buffer_fini(&payload);
}

TestSuite(index_chunk, .init = begin, .fini = end, .timeout = 60);

/* Two blocks with three stacks, and some of everything. */
static void make(void)
{
    rv_rec_index_clear(&table);
    table.head = (struct rv_rec_index){.previous = 64, .begin = 128, .flags = RV_REC_INDEX_HAS_INNERS};
    rv_rec_index_add(&table, RV_REC_INDEX_CHUNKS, &(struct rv_rec_index_chunk){128, 0, RV_REC_STREAM});
    rv_rec_index_add(&table, RV_REC_INDEX_CHUNKS, &(struct rv_rec_index_chunk){320, 0, RV_REC_ACCOUNT});
    rv_rec_index_add(&table, RV_REC_INDEX_BLOCKS,
                     &(struct rv_rec_index_block){
                         .offset = 192, .first_ns = 5, .last_ns = 900, .n_events = 7, .stream = 0, .n_stacks = 2});
    rv_rec_index_add(
        &table, RV_REC_INDEX_BLOCKS,
        &(struct rv_rec_index_block){
            .offset = 256, .first_ns = 900, .last_ns = 1000, .n_events = 65536, .stream = 3, .n_stacks = 1});
    for (uint32_t i = 0; i < 3; i++) {
        struct rv_rec_index_stack stack = {
            .stack = i, .n_frames = i, .n_cells = 100 * i, .n_spans = 2, .n_notes = 1, .level = i + 1};
        rv_rec_index_add(&table, RV_REC_INDEX_STACKS, &stack);
        rv_rec_index_add(&table, RV_REC_INDEX_DEPTHS, &(struct rv_rec_index_depth){.least = -5, .last = i});
        for (uint32_t k = 0; k < stack.n_frames; k++)
            rv_rec_index_add(&table, RV_REC_INDEX_FRAMES, &(struct rv_rec_index_frame){.start_ns = k, .frame = 7});
        for (uint32_t k = 0; k < stack.n_cells; k++)
            rv_rec_index_add(
                &table, RV_REC_INDEX_CELLS,
                &(struct rv_rec_index_cell){
                    .column = k, .n_calls = 3 * k, .id = 9, .row = (uint16_t)k, .coverage = (uint16_t)(k * k)});
        for (uint32_t k = 0; k < stack.n_spans; k++)
            rv_rec_index_add(&table, RV_REC_INDEX_SPANS, &(struct rv_rec_index_span){.start_ns = k, .end_ns = 20 + k});
        rv_rec_index_add(&table, RV_REC_INDEX_NOTES, &(struct rv_event){.when = i});
    }
    rv_rec_index_add(&table, RV_REC_INDEX_TOTALS,
                     &(struct rv_rec_index_total){.n_calls = 5, .total_ns = 90, .id = 2, .n_buckets = 2});
    rv_rec_index_add(&table, RV_REC_INDEX_INNERS, &(struct rv_rec_index_inner){.inner_ns = 90});
    rv_rec_index_add(&table, RV_REC_INDEX_BUCKETS, &(struct rv_rec_index_bucket){.n_calls = 4, .bucket = 1});
    rv_rec_index_add(&table, RV_REC_INDEX_BUCKETS, &(struct rv_rec_index_bucket){.n_calls = 1, .bucket = 3775});
}

static int decode(void)
{
    struct rv_rec_chunk chunk = {.type = RV_REC_INDEX, .payload_bytes = payload.n};
    return rv_rec_index_decode(compressor, &chunk, payload.bytes, INDEX_OFFSET, &back);
}

static int there_and_back(void)
{
    payload.n = 0;
    rv_rec_index_encode(compressor, &table, &payload);
    return decode();
}

Test(index_chunk, written_rows_are_read_back)
{
    make();
    cr_assert_eq(there_and_back(), 0);
    cr_assert_eq(back.head.previous, 64);
    cr_assert_eq(back.head.begin, 128);
    cr_assert_eq(back.head.flags, RV_REC_INDEX_HAS_INNERS);
    for (size_t i = 0; i < RV_REC_INDEX_COLUMN_END; i++) {
        cr_assert_eq(back.columns[i].n, table.columns[i].n, "column %zu", i);
        if (table.columns[i].n)
            cr_assert_arr_eq(back.columns[i].bytes, table.columns[i].bytes, table.columns[i].n);
    }
}

/* Change a number in the first row of a column, and it is refused. */
static void refuse(enum rv_rec_index_column column, size_t at, uint64_t value, size_t n_bytes)
{
    make();
    cr_assert_leq(at + n_bytes, table.columns[column].n);
    memcpy(table.columns[column].bytes + at, &value, n_bytes);
    cr_assert_eq(there_and_back(), -EBADMSG, "column %d at %zu", column, at);
}

#define REFUSE(column, type, field, value)                                                                             \
    refuse(column, offsetof(struct type, field), value, sizeof(((struct type *)0)->field))

Test(index_chunk, inconsistent_tables_are_refused)
{
    REFUSE(RV_REC_INDEX_CHUNKS, rv_rec_index_chunk, offset, 64);  /* before it begins */
    REFUSE(RV_REC_INDEX_CHUNKS, rv_rec_index_chunk, offset, 320); /* as the next one's */
    REFUSE(RV_REC_INDEX_CHUNKS, rv_rec_index_chunk, offset, 130); /* no multiple of 64 */
    REFUSE(RV_REC_INDEX_CHUNKS, rv_rec_index_chunk, stream, RV_REC_MAX_STREAMS);
    REFUSE(RV_REC_INDEX_BLOCKS, rv_rec_index_block, offset, INDEX_OFFSET); /* behind it */
    REFUSE(RV_REC_INDEX_BLOCKS, rv_rec_index_block, n_events, 65537);
    REFUSE(RV_REC_INDEX_BLOCKS, rv_rec_index_block, first_ns, 901);
    REFUSE(RV_REC_INDEX_BLOCKS, rv_rec_index_block, n_stacks, 3);
    REFUSE(RV_REC_INDEX_STACKS, rv_rec_index_stack, level, 0);
    REFUSE(RV_REC_INDEX_STACKS, rv_rec_index_stack, level, RV_REC_INDEX_LEVELS);
    REFUSE(RV_REC_INDEX_STACKS, rv_rec_index_stack, n_frames, 1);
    REFUSE(RV_REC_INDEX_STACKS, rv_rec_index_stack, n_events, 9); /* its block has 7 */
    REFUSE(RV_REC_INDEX_STACKS, rv_rec_index_stack, n_cells, UINT32_MAX);
    REFUSE(RV_REC_INDEX_STACKS, rv_rec_index_stack, n_spans, 1);
    REFUSE(RV_REC_INDEX_STACKS, rv_rec_index_stack, n_notes, 0);
    REFUSE(RV_REC_INDEX_CELLS, rv_rec_index_cell, row, RV_REC_INDEX_ROWS);
    REFUSE(RV_REC_INDEX_CELLS, rv_rec_index_cell, coverage, 65535);
    REFUSE(RV_REC_INDEX_CELLS, rv_rec_index_cell, column, UINT64_MAX);
    REFUSE(RV_REC_INDEX_SPANS, rv_rec_index_span, start_ns, 21);
    REFUSE(RV_REC_INDEX_TOTALS, rv_rec_index_total, n_calls, 6);
    REFUSE(RV_REC_INDEX_TOTALS, rv_rec_index_total, n_buckets, 3);
    REFUSE(RV_REC_INDEX_INNERS, rv_rec_index_inner, inner_ns, 91);
    REFUSE(RV_REC_INDEX_INNERS, rv_rec_index_inner, total, 1);
    REFUSE(RV_REC_INDEX_BUCKETS, rv_rec_index_bucket, bucket, RV_REC_HISTOGRAM_BUCKETS);
    REFUSE(RV_REC_INDEX_BUCKETS, rv_rec_index_bucket, n_calls, 5);
    REFUSE(RV_REC_INDEX_DEPTHS, rv_rec_index_depth, least, 1); /* above the last */
    REFUSE(RV_REC_INDEX_DEPTHS, rv_rec_index_depth, last, INT64_MAX);
    REFUSE(RV_REC_INDEX_DEPTHS, rv_rec_index_depth, n_lost, UINT64_MAX);
    REFUSE(RV_REC_INDEX_DEPTHS, rv_rec_index_depth, last_ns, UINT64_MAX);
}

Test(index_chunk, offsets_past_its_own_are_refused)
{
    make();
    table.head.begin = INDEX_OFFSET;
    cr_assert_eq(there_and_back(), -EBADMSG);
    make();
    table.head.previous = 128; /* a chain that goes on for ever */
    cr_assert_eq(there_and_back(), -EBADMSG);
}

Test(index_chunk, depths_of_some_stacks_only_are_refused)
{
    make();
    table.columns[RV_REC_INDEX_DEPTHS].n -= sizeof(struct rv_rec_index_depth);
    cr_assert_eq(there_and_back(), -EBADMSG);
    table.columns[RV_REC_INDEX_DEPTHS].n = 0; /* an older index has none */
    cr_assert_eq(there_and_back(), 0);
}

Test(index_chunk, cut_anywhere_it_is_refused)
{
    make();
    cr_assert_eq(there_and_back(), 0);
    for (size_t n = payload.n; n-- > 0;) {
        payload.n = n;
        cr_assert_eq(decode(), -EBADMSG, "%zu bytes", n);
    }
}
