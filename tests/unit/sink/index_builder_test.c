/* The oracle keeps a plain stack for each stack of the stream, event by event. */
#include "sink/index_builder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/density.h"
#include "recording/index_chunk.h"

enum { N_BLOCKS = 40, N_STACKS = 3, N_IDS = 20, MOST_DEPTH = 60, INDEX_EVERY = 7 };

struct frame {
    uint64_t start_ns;
    uint32_t id;
};

struct oracle {
    struct frame frames[N_STACKS][MOST_DEPTH];
    uint32_t n_frames[N_STACKS];
    uint32_t stack;
    uint64_t now_ns;
    uint64_t seed;
    /* all calls that have ended */
    struct rv_rec_index_span *spans;
    size_t n_spans, capacity;
};

static uint64_t draw(struct oracle *oracle, uint64_t below)
{
    oracle->seed = oracle->seed * 6364136223846793005u + 1442695040888963407u;
    return (oracle->seed >> 33) % below;
}

static void end_call(struct oracle *oracle, uint32_t stack, bool is_cut)
{
    uint32_t depth = --oracle->n_frames[stack];
    const struct frame *frame = &oracle->frames[stack][depth];
    oracle->spans = rv_vec_reserve(oracle->spans, &oracle->capacity, oracle->n_spans + 1, sizeof *oracle->spans);
    oracle->spans[oracle->n_spans++] = (struct rv_rec_index_span){
        .start_ns = frame->start_ns, .end_ns = oracle->now_ns, .id = frame->id, .depth = depth, .flags = is_cut};
}

/* Now and then a step is long, frames are jumped over, or another stack goes on. */
static struct rv_event next_event(struct oracle *oracle)
{
    uint32_t stack = oracle->stack, *n = &oracle->n_frames[stack];
    oracle->now_ns += draw(oracle, 1000) ? draw(oracle, 200) : draw(oracle, 3000000);
    struct rv_event event = {.when = oracle->now_ns};
    if (draw(oracle, 500) == 0) {
        oracle->stack = (uint32_t)draw(oracle, N_STACKS);
        event.when |= (uint64_t)RV_EVENT_SWITCH << RV_EVENT_KIND_SHIFT;
        event.id = oracle->stack;
        return event;
    }
    bool is_call = *n == 0 || (*n < MOST_DEPTH && draw(oracle, 2));
    if (is_call) {
        event.id = 1 + (uint32_t)draw(oracle, N_IDS);
        event.frame = (uint16_t)*n;
        oracle->frames[stack][(*n)++] = (struct frame){oracle->now_ns, event.id};
        return event;
    }
    if (draw(oracle, 50) == 0 && *n > 3) { /* a jump */
        end_call(oracle, stack, true);
        end_call(oracle, stack, true);
    }
    event.when |= (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT;
    event.frame = (uint16_t)(*n - 1);
    event.id = oracle->frames[stack][*n - 1].id;
    end_call(oracle, stack, false);
    return event;
}

/* What a reader has rebuilt from the index so far. */
struct reading {
    struct frame frames[N_STACKS][MOST_DEPTH];
    uint32_t n_frames[N_STACKS];
    struct rv_rec_index_span *spans; /* all, cells left out */
    size_t n_spans, capacity;
    uint64_t n_in_cells;
    uint64_t n_calls[N_IDS + 1], total_ns;
    uint32_t n_blocks;
    uint32_t least_level; /* a call as long as its cell is in no cell */
};

struct at_block { /* what the oracle had open where a block began */
    struct frame frames[N_STACKS][MOST_DEPTH];
    uint32_t n_frames[N_STACKS];
};

static void read_stack(struct reading *reading, const struct rv_rec_index_stack *row,
                       const struct rv_rec_index_frame **frames)
{
    cr_assert_lt(row->stack, N_STACKS);
    cr_assert_leq(row->n_kept, reading->n_frames[row->stack]);
    for (uint32_t i = 0; i < row->n_frames; i++, (*frames)++) {
        cr_assert_eq((*frames)->frame, row->n_kept + i);
        reading->frames[row->stack][row->n_kept + i] = (struct frame){(*frames)->start_ns, (*frames)->id};
    }
    reading->n_frames[row->stack] = row->n_kept + row->n_frames;
}

static void read_index(struct reading *reading, const struct rv_rec_index_table *table, const struct at_block *at_block)
{
    size_t n_blocks, n;
    const struct rv_rec_index_block *blocks = rv_rec_index_rows(table, RV_REC_INDEX_BLOCKS, &n_blocks);
    const struct rv_rec_index_stack *stack = rv_rec_index_rows(table, RV_REC_INDEX_STACKS, &n);
    const struct rv_rec_index_frame *frames = rv_rec_index_rows(table, RV_REC_INDEX_FRAMES, &n);
    const struct rv_rec_index_cell *cell = rv_rec_index_rows(table, RV_REC_INDEX_CELLS, &n);
    const struct rv_rec_index_span *span = rv_rec_index_rows(table, RV_REC_INDEX_SPANS, &n);
    memset(reading->n_frames, 0, sizeof reading->n_frames);
    for (size_t i = 0; i < n_blocks; i++) {
        for (uint32_t k = 0; k < blocks[i].n_stacks; k++, stack++) {
            read_stack(reading, stack, &frames);
            for (uint32_t c = 0; c < stack->n_cells; c++)
                reading->n_in_cells += cell++->n_calls;
            for (uint32_t s = 0; s < stack->n_spans; s++, span++) {
                cr_assert_geq(span->end_ns - span->start_ns, UINT64_C(1) << rv_density_shift(stack->level));
                reading->spans =
                    rv_vec_reserve(reading->spans, &reading->capacity, reading->n_spans + 1, sizeof *reading->spans);
                reading->spans[reading->n_spans++] = *span;
            }
        }
        const struct at_block *expected = &at_block[reading->n_blocks++];
        for (uint32_t s = 0; s < N_STACKS; s++) {
            cr_assert_eq(reading->n_frames[s], expected->n_frames[s], "block %u, stack %u", reading->n_blocks - 1, s);
            for (uint32_t f = 0; f < expected->n_frames[s]; f++) {
                cr_assert_eq(reading->frames[s][f].start_ns, expected->frames[s][f].start_ns);
                cr_assert_eq(reading->frames[s][f].id, expected->frames[s][f].id);
            }
        }
    }
    const struct rv_rec_index_total *totals = rv_rec_index_rows(table, RV_REC_INDEX_TOTALS, &n);
    for (size_t i = 0; i < n; i++) {
        cr_assert_leq(totals[i].id, N_IDS);
        reading->n_calls[totals[i].id] += totals[i].n_calls;
    }
}

static void put_index(struct rv_index_builder *index_builder, struct rv_compressor *compressor, uint64_t offset,
                      struct reading *reading, const struct at_block *at_block, bool is_last)
{
    struct rv_rec_buffer payload = {0};
    struct rv_rec_index_table table = {0};
    cr_assert(rv_index_builder_put(index_builder, compressor, offset, is_last, &payload));
    cr_assert_neq(rv_index_builder_has_totals(index_builder), is_last);
    cr_assert_eq(rv_index_builder_last(index_builder), offset);
    struct rv_rec_chunk chunk = {.payload_bytes = payload.n};
    cr_assert_eq(rv_rec_index_decode(compressor, &chunk, payload.bytes, offset, &table), 0);
    read_index(reading, &table, at_block);
    rv_rec_index_fini(&table);
    rv_rec_buffer_fini(&payload);
}

static int by_end(const void *a, const void *b)
{
    const struct rv_rec_index_span *x = a, *y = b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->depth != y->depth ? (x->depth < y->depth ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

/* Every long call is there as it was, and the short ones are counted. */
static void compare(struct oracle *oracle, struct reading *reading)
{
    uint64_t n_calls[N_IDS + 1] = {0};
    qsort(oracle->spans, oracle->n_spans, sizeof *oracle->spans, by_end);
    qsort(reading->spans, reading->n_spans, sizeof *reading->spans, by_end);
    cr_assert_eq(reading->n_in_cells + reading->n_spans, oracle->n_spans);
    cr_assert_gt(reading->n_in_cells, 0);
    cr_assert_gt(reading->n_spans, 0);
    size_t next = 0;
    for (size_t i = 0; i < oracle->n_spans; i++) {
        n_calls[oracle->spans[i].id]++;
        if (next < reading->n_spans && by_end(&oracle->spans[i], &reading->spans[next]) == 0) {
            cr_assert_eq(oracle->spans[i].flags, reading->spans[next].flags);
            next++;
        } else {
            cr_assert_lt(oracle->spans[i].end_ns - oracle->spans[i].start_ns,
                         UINT64_C(1) << rv_density_shift(RV_REC_INDEX_LEVELS - 1));
        }
    }
    cr_assert_eq(next, reading->n_spans);
    for (uint32_t i = 0; i <= N_IDS; i++)
        cr_assert_eq(reading->n_calls[i], n_calls[i], "subroutine %u", i);
}

TestSuite(index_builder, .timeout = 60);

Test(index_builder, an_index_has_open_frames_and_totals)
{
    static struct oracle oracle = {.seed = 7};
    static struct reading reading;
    static struct at_block at_block[N_BLOCKS + 1];
    static struct rv_event events[RV_REC_MAX_EVENTS + RV_BATCH_PADDING];
    struct rv_index_builder *index_builder = rv_index_builder_create();
    struct rv_compressor *compressor = rv_compressor_create();
    uint64_t offset = 128, ordinal = 0;
    uint32_t n_read = 0;
    for (uint32_t i = 0; i < N_BLOCKS; i++) {
        memcpy(at_block[i].frames, oracle.frames, sizeof oracle.frames);
        memcpy(at_block[i].n_frames, oracle.n_frames, sizeof oracle.n_frames);
        struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS};
        chunk.n_events = i % 5 == 0 ? RV_REC_MAX_EVENTS : 1 + (uint32_t)draw(&oracle, 3000);
        for (uint32_t k = 0; k < chunk.n_events; k++)
            events[k] = next_event(&oracle);
        rv_index_builder_add(
            index_builder,
            &(struct rv_indexed_chunk){.chunk = &chunk, .offset = offset, .events = events, .ordinal = ordinal});
        ordinal += chunk.n_events;
        offset += 64;
        if (i % INDEX_EVERY == 0) {
            put_index(index_builder, compressor, offset, &reading, at_block, false);
            n_read = i + 1;
            offset += 64;
        }
    }
    memcpy(at_block[N_BLOCKS].frames, oracle.frames, sizeof oracle.frames);
    memcpy(at_block[N_BLOCKS].n_frames, oracle.n_frames, sizeof oracle.n_frames);
    struct rv_rec_account account = {.is_closed = 1, .end_ns = oracle.now_ns += 5};
    struct rv_rec_chunk chunk = {.type = RV_REC_ACCOUNT};
    rv_index_builder_add(index_builder, &(struct rv_indexed_chunk){
                                            .chunk = &chunk, .offset = offset, .payload = (const uint8_t *)&account});
    for (uint32_t s = 0; s < N_STACKS; s++)
        while (oracle.n_frames[s]) {
            end_call(&oracle, s, false);
            oracle.spans[oracle.n_spans - 1].flags = RV_SPAN_OPEN;
        }
    cr_assert_lt(n_read, N_BLOCKS);
    put_index(index_builder, compressor, offset + 64, &reading, at_block, true);
    cr_assert_eq(reading.n_blocks, N_BLOCKS + 1);
    compare(&oracle, &reading);
    rv_index_builder_destroy(index_builder);
    rv_compressor_destroy(compressor);
    free(oracle.spans);
    free(reading.spans);
}

Test(index_builder, an_index_stays_small_beside_its_events)
{
    static struct oracle oracle = {.seed = 9};
    static struct rv_event events[RV_REC_MAX_EVENTS + RV_BATCH_PADDING];
    struct rv_index_builder *index_builder = rv_index_builder_create();
    struct rv_compressor *compressor = rv_compressor_create();
    struct rv_rec_buffer payload = {0};
    uint64_t offset = 128, n_events = 0;
    while (!rv_index_builder_is_due(index_builder)) {
        struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS, .n_events = RV_REC_MAX_EVENTS};
        for (uint32_t k = 0; k < chunk.n_events; k++)
            events[k] = next_event(&oracle);
        rv_index_builder_add(
            index_builder,
            &(struct rv_indexed_chunk){.chunk = &chunk, .offset = offset, .events = events, .ordinal = n_events});
        n_events += chunk.n_events;
        offset += 64;
    }
    cr_assert(rv_index_builder_put(index_builder, compressor, offset, false, &payload));
    cr_assert_lt(payload.n, n_events / 16, "%zu bytes for %llu events", payload.n, (unsigned long long)n_events);
    cr_assert_not(rv_index_builder_is_due(index_builder));
    cr_assert_not(rv_index_builder_put(index_builder, compressor, offset + 64, true, &payload));
    rv_index_builder_destroy(index_builder);
    rv_compressor_destroy(compressor);
    rv_rec_buffer_fini(&payload);
    free(oracle.spans);
}

/* Calls are counted in a table by id: a huge id, which no program has, must not make the table huge. */
Test(index_builder, ignores_calls_with_invalid_ids)
{
    const uint64_t sync = (uint64_t)RV_EVENT_SYNC << RV_EVENT_KIND_SHIFT;
    const uint64_t back = (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT;
    struct rv_event open[1 + RV_BATCH_PADDING] = {{.when = sync | 10, .id = UINT32_MAX}};
    struct rv_event events[5 + RV_BATCH_PADDING] = {{.when = sync | 20, .id = UINT32_MAX - 1, .frame = 1},
                                                    {.when = 30, .id = UINT32_MAX - 2, .frame = 2},
                                                    {.when = back | 40, .id = UINT32_MAX - 2, .frame = 2},
                                                    {.when = back | 50, .frame = 1},
                                                    {.when = back | 60, .frame = 0}};
    const struct rv_rec_chunk before = {.type = RV_REC_EVENTS, .flags = RV_REC_OPEN, .n_events = 1};
    const struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS, .n_events = 5};
    struct rv_index_builder *index_builder = rv_index_builder_create();
    struct rv_compressor *compressor = rv_compressor_create();
    struct rv_rec_index_table table = {0};
    struct rv_rec_buffer payload = {0};
    size_t n;
    rv_index_builder_add(index_builder, &(struct rv_indexed_chunk){.chunk = &before, .offset = 128, .events = open});
    rv_index_builder_add(index_builder, &(struct rv_indexed_chunk){.chunk = &chunk, .offset = 192, .events = events});
    cr_assert(rv_index_builder_put(index_builder, compressor, 256, true, &payload));
    const struct rv_rec_chunk written = {.type = RV_REC_INDEX, .payload_bytes = payload.n};
    cr_assert_eq(rv_rec_index_decode(compressor, &written, payload.bytes, 256, &table), 0);
    const struct rv_rec_index_total *totals = rv_rec_index_rows(&table, RV_REC_INDEX_TOTALS, &n);
    cr_assert_eq(n, 1);
    cr_assert_eq(totals[0].id, 0);
    cr_assert_eq(totals[0].n_calls, 3);
    rv_rec_index_fini(&table);
    rv_rec_buffer_fini(&payload);
    rv_compressor_destroy(compressor);
    rv_index_builder_destroy(index_builder);
}

/* Blocks of one thread, one after the other, and the index of them. */
static void index_blocks(struct rv_event (*blocks)[4 + RV_BATCH_PADDING], const uint32_t *n_events, size_t n,
                         struct rv_rec_index_table *table)
{
    struct rv_index_builder *index_builder = rv_index_builder_create();
    struct rv_compressor *compressor = rv_compressor_create();
    struct rv_rec_buffer payload = {0};
    uint64_t offset = 128, ordinal = 0;
    for (size_t i = 0; i < n; i++, offset += 64) {
        const struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS, .n_events = n_events[i]};
        rv_index_builder_add(
            index_builder,
            &(struct rv_indexed_chunk){.chunk = &chunk, .offset = offset, .events = blocks[i], .ordinal = ordinal});
        ordinal += n_events[i];
    }
    cr_assert(rv_index_builder_put(index_builder, compressor, offset, true, &payload));
    const struct rv_rec_chunk written = {.type = RV_REC_INDEX, .payload_bytes = payload.n};
    cr_assert_eq(rv_rec_index_decode(compressor, &written, payload.bytes, offset, table), 0);
    rv_rec_buffer_fini(&payload);
    rv_compressor_destroy(compressor);
    rv_index_builder_destroy(index_builder);
}

/* A frame is written once, and again when it has become doubtful. */
Test(index_builder, an_index_has_the_state_before_each_block)
{
    const uint64_t back = (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT;
    const uint64_t lost = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT;
    struct rv_event blocks[][4 + RV_BATCH_PADDING] = {
        {{.when = 10, .id = 1, .frame = 20}, {.when = 20, .id = 2, .frame = 30}},
        {{.when = lost | 30, .id = 1}, {.when = 40, .id = 3, .frame = 31}, {.when = back | 50, .id = 3, .frame = 31}},
        {{.when = back | 60, .id = 2, .frame = 30}, {.when = lost | 70, .id = 5}},
        {{.when = back | 80, .id = 1, .frame = 20}},
    };
    struct rv_rec_index_table table = {0};
    size_t n_stacks, n_frames, n_depths;
    index_blocks(blocks, (const uint32_t[]){2, 3, 2, 1}, 4, &table);
    const struct rv_rec_index_stack *stacks = rv_rec_index_rows(&table, RV_REC_INDEX_STACKS, &n_stacks);
    const struct rv_rec_index_frame *frames = rv_rec_index_rows(&table, RV_REC_INDEX_FRAMES, &n_frames);
    const struct rv_rec_index_depth *depths = rv_rec_index_rows(&table, RV_REC_INDEX_DEPTHS, &n_depths);
    cr_assert_eq(n_stacks, 4);
    cr_assert_eq(n_depths, 4);
    cr_assert_eq(n_frames, 3);
    cr_assert(stacks[1].n_kept == 0 && stacks[1].n_frames == 2);
    cr_assert(frames[0].flags == 0 && frames[1].flags == 0);
    cr_assert(stacks[2].n_kept == 1 && stacks[2].n_frames == 1);
    cr_assert(frames[2].id == 2 && frames[2].flags == RV_SPAN_DOUBTFUL);
    cr_assert(stacks[3].n_kept == 1 && stacks[3].n_frames == 0);
    cr_assert_eq(depths[0].least, INT64_MAX);
    cr_assert(depths[1].least == 20 && depths[1].last == 30 && depths[1].n_lost == 0 && depths[1].last_ns == 20);
    cr_assert(depths[2].least == 20 && depths[2].last == 31 && depths[2].n_lost == 0 && depths[2].last_ns == 50);
    cr_assert(depths[3].least == 20 && depths[3].last == 30 && depths[3].n_lost == 5 && depths[3].last_ns == 60);
    rv_rec_index_fini(&table);
}
