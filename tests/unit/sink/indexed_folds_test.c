/*
 * Calls of two threads that wait for each other: the folds of an index are what a plain stack sums up, however the events
 * are cut into blocks and indexes, and what a path may be cut at lies in a stretch that is listed.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "recording/index_chunk.h"
#include "sink/index_builder.h"

enum { N_STREAMS = 2, N_EVENTS = 30000, MOST_DEPTH = 9, N_IDS = 7, MOST_ID = 1500, MANY_BYTES = 1 << 20 };

struct stretch { /* the oracle's: between two calls or returns */
    uint64_t from_ns, to_ns;
    uint32_t ids[MOST_DEPTH];
    uint32_t n;
    bool is_cut;
};

static struct thread {
    struct rv_event events[N_EVENTS];
    struct stretch stretches[N_EVENTS];
    size_t n_stretches;
    uint32_t ids[MOST_DEPTH], n;
    uint64_t now_ns, release_ns;
    uint64_t told_ns, told_stretches;
} threads[N_STREAMS];
static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* ---- events ---- */

static void end_stretch(struct thread *thread, bool *is_cut, uint64_t from_ns)
{
    struct stretch *stretch = &thread->stretches[thread->n_stretches];
    if (thread->now_ns == from_ns)
        return;
    *stretch = (struct stretch){.from_ns = from_ns, .to_ns = thread->now_ns, .n = thread->n, .is_cut = *is_cut};
    memcpy(stretch->ids, thread->ids, thread->n * sizeof *thread->ids);
    thread->n_stretches++;
    *is_cut = false;
}

static struct rv_event call_or_return(struct thread *thread)
{
    const bool is_call = thread->n == 0 || (thread->n < MOST_DEPTH && draw(2));
    struct rv_event event = {.when = (uint64_t)!is_call << RV_EVENT_KIND_SHIFT | thread->now_ns};
    if (is_call) {
        event.frame = (uint16_t)thread->n;
        event.id = thread->ids[thread->n++] = draw(200) ? 1 + (uint32_t)draw(N_IDS) : MOST_ID;
    } else {
        event.frame = (uint16_t)--thread->n;
        event.id = draw(4) ? thread->ids[thread->n] : 0;
    }
    return event;
}

/* A wait that ends, and was woken by the other thread; a change of state; a release; or an object that is taken. */
static struct rv_event special(struct thread *thread, bool *is_cut)
{
    const unsigned what = (unsigned)draw(5);
    struct rv_event event = {.when = (uint64_t)RV_EVENT_WAIT << RV_EVENT_KIND_SHIFT | thread->now_ns, .id = 1};
    event.frame = what == 3 ? RV_WAIT_RELEASE : what == 4 ? RV_WAIT_RELEASE | RV_WAIT_TAKEN : RV_WAIT_MUTEX;
    *is_cut |= what < 3;
    if (what == 1) {
        event.when = (uint64_t)RV_EVENT_WOKEN << RV_EVENT_KIND_SHIFT | thread->now_ns;
        event.id = 1 | (uint32_t)RV_WAKE_EXACT << RV_EVENT_WAKE_SHIFT;
        event.frame = 0;
    } else if (what == 2) {
        event.when = (uint64_t)RV_EVENT_THREAD << RV_EVENT_KIND_SHIFT | thread->now_ns;
        event.aux = draw(2) ? RV_THREAD_RUNNING : RV_THREAD_PREEMPTED;
        event.id = event.frame = 0;
    }
    return event;
}

/* Times that are alike, and more threads than one: what happens between a call and the next belongs to one stretch. */
static void make(struct thread *thread, unsigned specials_every)
{
    bool is_cut = false;
    uint64_t from_ns = thread->now_ns = 1000;
    thread->n = 0;
    thread->n_stretches = 0;
    for (size_t i = 0; i < N_EVENTS; i++) {
        thread->now_ns += draw(3) ? draw(200) : 0;
        if (i && draw(specials_every) == 0) {
            thread->events[i] = special(thread, &is_cut);
            continue;
        }
        end_stretch(thread, &is_cut, from_ns);
        from_ns = thread->now_ns;
        thread->events[i] = call_or_return(thread);
    }
}

/* ---- folds ---- */

struct sums {
    uint64_t own_ns[MOST_ID + 1], n[MOST_ID + 1], total_ns[MOST_ID + 1]; /* 0: outside of calls */
};

static size_t find(const struct thread *thread, uint64_t from_ns)
{
    size_t i = 0;
    while (i < thread->n_stretches && thread->stretches[i].from_ns < from_ns)
        i++;
    return i;
}

static void add(struct sums *sums, const struct stretch *stretch)
{
    const uint64_t n_ns = stretch->to_ns - stretch->from_ns;
    bool is_met[MOST_ID + 1] = {false};
    const uint32_t own = stretch->n ? stretch->ids[stretch->n - 1] : 0;
    sums->own_ns[own] += n_ns;
    sums->n[own]++;
    for (uint32_t i = 0; i < stretch->n; i++) {
        sums->total_ns[stretch->ids[i]] += is_met[stretch->ids[i]] ? 0 : n_ns;
        is_met[stretch->ids[i]] = true;
    }
}

struct rows {
    const struct rv_rec_index_part *part;
    const struct rv_rec_index_sum *sum;
    const struct rv_rec_index_call *call;
};

/* The stretches that a part has summed up. Returns the next one. */
static size_t check_sums(const struct thread *thread, size_t i, struct rows *rows)
{
    struct sums sums = {{0}};
    uint64_t n_ns = 0;
    for (uint32_t k = 0; k < rows->part->n_sums; k++)
        n_ns += rows->sum[k].own_ns;
    for (; n_ns > 0; n_ns -= thread->stretches[i].to_ns - thread->stretches[i].from_ns, i++) {
        cr_assert_lt(i, thread->n_stretches);
        cr_assert_leq(thread->stretches[i].to_ns - thread->stretches[i].from_ns, n_ns);
        cr_assert_not(thread->stretches[i].is_cut, "stretch %zu", i);
        add(&sums, &thread->stretches[i]);
    }
    for (uint32_t k = 0; k < rows->part->n_sums; k++, rows->sum++) {
        const uint32_t id = rows->sum->id == RV_REC_SUM_OUTSIDE ? 0 : rows->sum->id;
        cr_assert_eq(rows->sum->own_ns, sums.own_ns[id]);
        cr_assert_eq(rows->sum->n, sums.n[id]);
        cr_assert_eq(rows->sum->callees_ns, id ? sums.total_ns[id] - sums.own_ns[id] : 0);
        sums.own_ns[id] = sums.total_ns[id] = 0;
    }
    for (uint32_t id = 0; id <= MOST_ID; id++)
        cr_assert_eq(sums.own_ns[id] + sums.total_ns[id], 0, "subroutine %u has no sum", id);
    return i;
}

static size_t check_stretch(struct thread *thread, size_t i, struct rows *rows, uint32_t open[MOST_DEPTH])
{
    const struct rv_rec_index_part *part = rows->part;
    const struct stretch *stretch = &thread->stretches[i];
    if (!part->stretch_ns)
        return i;
    for (uint32_t k = 0; k < part->n_calls; k++)
        open[part->n_kept + k] = rows->call++->id;
    cr_assert_eq(part->stretch_ns, stretch->to_ns - stretch->from_ns);
    cr_assert_eq(part->n_kept + part->n_calls, stretch->n);
    cr_assert_arr_eq(open, stretch->ids, stretch->n * sizeof *open);
    thread->told_stretches++;
    return i + 1;
}

static void check_fold(const struct rv_rec_index_fold *fold, struct rows *rows)
{
    uint32_t open[MOST_DEPTH];
    cr_assert_lt(fold->stream, N_STREAMS);
    struct thread *thread = &threads[fold->stream];
    cr_assert_geq(fold->from_ns, thread->told_ns);
    size_t i = find(thread, fold->from_ns);
    for (uint32_t k = 0; k < fold->n_parts; k++, rows->part++) {
        i = check_sums(thread, i, rows);
        i = check_stretch(thread, i, rows, open);
    }
    cr_assert_eq(fold->to_ns, thread->stretches[i - 1].to_ns);
    thread->told_ns = fold->to_ns;
}

/* Another builder's next INDEX, given this one's choice of folds, has the same. */
static void compare(struct rv_index_builder *other, struct rv_compressor *compressor, uint64_t offset, bool is_last,
                    const struct rv_rec_index_table *table)
{
    struct rv_rec_buffer payload = {0};
    struct rv_rec_index_table chosen = {0};
    rv_index_builder_choose_folds(other, table);
    cr_assert(rv_index_builder_put(other, compressor, offset, is_last, &payload));
    const struct rv_rec_chunk chunk = {.payload_bytes = payload.n};
    cr_assert_eq(rv_rec_index_decode_folds(compressor, &chunk, payload.bytes, offset, &chosen), 0);
    for (size_t i = RV_REC_INDEX_FOLDS; i <= RV_REC_INDEX_CALLS; i++) {
        cr_assert_eq(chosen.columns[i].n, table->columns[i].n);
        if (chosen.columns[i].n)
            cr_assert_arr_eq(chosen.columns[i].bytes, table->columns[i].bytes, chosen.columns[i].n);
    }
    rv_rec_index_fini(&chosen);
    rv_rec_buffer_fini(&payload);
}

static size_t put(struct rv_index_builder *index_builder, struct rv_index_builder *other,
                  struct rv_compressor *compressor, uint64_t offset, bool is_last)
{
    struct rv_rec_buffer payload = {0};
    struct rv_rec_index_table table = {0};
    size_t n, n_rows;
    cr_assert(rv_index_builder_put(index_builder, compressor, offset, is_last, &payload));
    const struct rv_rec_chunk chunk = {.payload_bytes = payload.n};
    cr_assert_eq(rv_rec_index_decode_folds(compressor, &chunk, payload.bytes, offset, &table), 0);
    const struct rv_rec_index_fold *folds = rv_rec_index_rows(&table, RV_REC_INDEX_FOLDS, &n);
    struct rows rows = {.part = rv_rec_index_rows(&table, RV_REC_INDEX_PARTS, &n_rows),
                        .call = rv_rec_index_rows(&table, RV_REC_INDEX_CALLS, &n_rows)};
    rows.sum = rv_rec_index_rows(&table, RV_REC_INDEX_SUMS, &n_rows);
    for (size_t i = 0; i < n; i++)
        check_fold(&folds[i], &rows);
    compare(other, compressor, offset, is_last, &table);
    cr_assert_eq(rv_rec_index_decode_picture(compressor, &chunk, payload.bytes, offset, &table), 0);
    cr_assert_eq(table.columns[RV_REC_INDEX_FOLDS].n, 0);
    rv_rec_index_fini(&table);
    rv_rec_buffer_fini(&payload);
    return n_rows;
}

struct cut {
    size_t block_events, blocks_an_index;
    uint64_t n_bytes; /* of a block */
};

static void add_block(struct rv_index_builder *builders[2], uint32_t stream, size_t first, const struct cut *cut,
                      uint64_t offset)
{
    static struct rv_event block[RV_REC_MAX_EVENTS + RV_BATCH_PADDING];
    const size_t n = N_EVENTS - first < cut->block_events ? N_EVENTS - first : cut->block_events;
    memcpy(block, threads[stream].events + first, n * sizeof *block);
    const struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS,
                                       .stream = stream,
                                       .n_events = (uint32_t)n,
                                       .first_ns = rv_event_ticks(&block[0]),
                                       .last_ns = rv_event_ticks(&block[n - 1])};
    for (size_t i = 0; i < 2; i++)
        rv_index_builder_add(builders[i], &(struct rv_indexed_chunk){.chunk = &chunk,
                                                                     .offset = offset,
                                                                     .events = block,
                                                                     .ordinal = first,
                                                                     .n_bytes = i ? MANY_BYTES : cut->n_bytes});
}

/* Returns the number of sums in all indexes. A second builder, with room for all, is given the choice of the first. */
static size_t build(const struct cut *cut)
{
    struct rv_index_builder *builders[2] = {rv_index_builder_create(), rv_index_builder_create()};
    struct rv_compressor *compressor = rv_compressor_create();
    uint64_t offset = RV_REC_ALIGNMENT;
    size_t n_blocks = 0, n_sums = 0;
    for (uint32_t s = 0; s < N_STREAMS; s++)
        threads[s].told_ns = threads[s].told_stretches = 0;
    for (size_t first = 0; first < N_EVENTS; first += cut->block_events)
        for (uint32_t s = 0; s < N_STREAMS; s++) {
            add_block(builders, s, first, cut, offset += RV_REC_ALIGNMENT);
            if (++n_blocks % cut->blocks_an_index == 0)
                n_sums += put(builders[0], builders[1], compressor, offset += RV_REC_ALIGNMENT, false);
        }
    const struct rv_rec_account account = {.n_consumed = N_EVENTS};
    offset += RV_REC_ALIGNMENT;
    for (size_t i = 0; i < 2; i++)
        rv_index_builder_add(builders[i],
                             &(struct rv_indexed_chunk){.chunk = &(struct rv_rec_chunk){.type = RV_REC_ACCOUNT},
                                                        .offset = offset,
                                                        .payload = (const uint8_t *)&account});
    n_sums += put(builders[0], builders[1], compressor, offset + RV_REC_ALIGNMENT, true);
    rv_index_builder_destroy(builders[0]);
    rv_index_builder_destroy(builders[1]);
    rv_compressor_destroy(compressor);
    return n_sums;
}

TestSuite(indexed_folds, .timeout = 120);

Test(indexed_folds, are_what_a_plain_stack_sums_up_however_events_are_cut)
{
    static const struct cut CUTS[] = {{97, 3, MANY_BYTES},    {400, 1, MANY_BYTES},  {4096, 5, MANY_BYTES},
                                      {9000, 64, MANY_BYTES}, {7000, 2, MANY_BYTES}, {1, 1000, MANY_BYTES}};
    for (seed = 1; seed <= 6; seed++) {
        const uint64_t kept = seed;
        for (uint32_t s = 0; s < N_STREAMS; s++)
            make(&threads[s], s ? 20 : 2000);
        for (size_t i = 0; i < sizeof CUTS / sizeof *CUTS; i++) {
            cr_assert_gt(build(&CUTS[i]), 0);
            cr_assert_gt(threads[1].told_stretches, 500, "seed %lu, cut %zu", (unsigned long)kept, i);
        }
        seed = kept;
    }
}

/* Of releases that woke nobody there are most. */
Test(indexed_folds, take_no_more_than_their_share_of_a_recording)
{
    seed = 7;
    for (uint32_t s = 0; s < N_STREAMS; s++)
        make(&threads[s], 20);
    const size_t n_all = build(&(struct cut){400, 8, MANY_BYTES});
    const size_t n_some = build(&(struct cut){400, 8, 4000}), n_none = build(&(struct cut){400, 8, 0});
    cr_assert_lt(n_some, n_all);
    cr_assert_leq(n_some, (size_t)4000 * N_STREAMS * (N_EVENTS / 400 + 1) / 40 / 5 + 1024);
    cr_assert_gt(n_some, 100);
    cr_assert_lt(n_none, 1024);
}
