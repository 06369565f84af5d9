/* Statistics of blocks compared with one pass over the whole stream. */
#include "model/stats.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "spans.h"

#define MAX_IDS 64

struct plain { /* per id, from all spans at once */
    struct rv_stats_row row;
    uint64_t *durations;
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* An activation is outermost when no open frame above it, seen by walking up the stack, has its subroutine. */
static void plain_stats(const struct rv_span *spans, size_t n, struct plain *out)
{
    memset(out, 0, MAX_IDS * sizeof *out);
    for (size_t i = 0; i < MAX_IDS; i++) {
        out[i].durations = malloc((n + 1) * sizeof(uint64_t));
        out[i].row.min_ns = UINT64_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        struct rv_stats_row *row = &out[spans[i].id].row;
        uint64_t duration = spans[i].end - spans[i].start, children = 0;
        out[spans[i].id].durations[row->n_calls++] = duration;
        for (size_t j = i; j-- > 0 && spans[j].depth > spans[i].depth;)
            if (spans[j].depth == spans[i].depth + 1)
                children += spans[j].end - spans[j].start;
        row->self_ns += duration - children;
        bool is_outermost = true;
        uint32_t depth = spans[i].depth;
        for (size_t j = i + 1; j < n && depth > 0; j++)
            if (spans[j].depth < depth) {
                depth = spans[j].depth;
                is_outermost = is_outermost && spans[j].id != spans[i].id;
            }
        row->total_ns += is_outermost ? duration : 0;
        row->min_ns = duration < row->min_ns ? duration : row->min_ns;
        row->max_ns = duration > row->max_ns ? duration : row->max_ns;
    }
    for (size_t i = 0; i < MAX_IDS; i++) {
        uint64_t n_calls = out[i].row.n_calls;
        qsort(out[i].durations, n_calls, sizeof(uint64_t), by_value);
        if (n_calls) {
            out[i].row.p50_ns = out[i].durations[(n_calls * 50 + 99) / 100 - 1];
            out[i].row.p99_ns = out[i].durations[(n_calls * 99 + 99) / 100 - 1];
        }
        free(out[i].durations);
    }
}

static bool is_within_percent(uint64_t value, uint64_t wanted)
{
    double error = (double)value - (double)wanted;
    return error <= 0.01 * (double)wanted && -error <= 0.01 * (double)wanted;
}

static void check_rows(const struct rv_stats *stats, const struct plain *plain)
{
    struct rv_stats_row rows[MAX_IDS];
    size_t n = rv_stats_rows(stats, rows, MAX_IDS), n_wanted = 0;
    for (size_t i = 0; i < MAX_IDS; i++)
        n_wanted += plain[i].row.n_calls > 0;
    cr_assert_eq(n, n_wanted);
    for (size_t i = 0; i < n; i++) {
        const struct rv_stats_row *wanted = &plain[rows[i].id].row;
        cr_assert_eq(rows[i].n_calls, wanted->n_calls);
        cr_assert_eq(rows[i].total_ns, wanted->total_ns, "id %u: total %lu, wanted %lu", rows[i].id,
                     (unsigned long)rows[i].total_ns, (unsigned long)wanted->total_ns);
        cr_assert_eq(rows[i].self_ns, wanted->self_ns);
        cr_assert_eq(rows[i].min_ns, wanted->min_ns);
        cr_assert_eq(rows[i].max_ns, wanted->max_ns);
        cr_assert(is_within_percent(rows[i].p50_ns, wanted->p50_ns));
        cr_assert(is_within_percent(rows[i].p99_ns, wanted->p99_ns));
    }
}

/* The oracle's blocked time by subroutine: each one on the stack at the end of a stretch counts once. */
struct blocked_of {
    uint64_t ns[MAX_IDS];
};

struct stream { /* blocks of one lane as the pipeline hands them over */
    struct spans spans;
    struct rv_stats_lane *lane;
    struct rv_span *all;
    size_t n, first_of_block;
    uint32_t n_told;                      /* frames of the last set_open that are still open */
    struct rv_state_times_sums stretches; /* of the block */
    struct blocked_of blocked;
    uint32_t n_names; /* id i has the name i % n_names; 0: each has its own */
};

static uint32_t name_of(const struct stream *stream, uint32_t id)
{
    return stream->n_names ? id % stream->n_names : id;
}

static void add_calls(struct stream *stream, struct rv_stats *stats)
{
    const struct rv_span *spans = stream->all + stream->first_of_block;
    const size_t n = stream->n - stream->first_of_block;
    rv_stats_add(stats, stream->lane, spans, n);
    if (stream->stretches.n)
        rv_stats_add_stretches(stats, stream->lane, spans, n, &stream->stretches);
    stream->first_of_block = stream->n;
    stream->stretches.n = 0;
}

/* The thread was blocked until now: the time belongs to the calls that began before it. */
static void be_blocked(struct stream *stream)
{
    const struct spans *spans = &stream->spans;
    const uint64_t n_ns = spans->now_ns % 1000;
    bool has[MAX_IDS] = {false};
    rv_state_times_sums_add(&stream->stretches, spans->now_ns, &(struct rv_state_times){.blocked_ns = n_ns});
    for (uint32_t i = 0; i < spans->n_open; i++) {
        const uint32_t name = name_of(stream, spans->id[i]);
        if (spans->start[i] < spans->now_ns && !has[name]) {
            has[name] = true;
            stream->blocked.ns[name] += n_ns;
        }
    }
}

static void end_block(struct stream *stream, struct rv_stats *stats)
{
    rv_stats_lane_set_open(stream->lane, stream->spans.start, stream->spans.id, stream->spans.n_open, stream->n_told);
    add_calls(stream, stats);
    stream->n_told = stream->spans.n_open;
}

static void step(struct stream *stream)
{
    if (spans_step(&stream->spans, &stream->all[stream->n]))
        stream->n++;
    if (stream->n_told > stream->spans.n_open)
        stream->n_told = stream->spans.n_open;
}

/* Close what is open in blocks of at most `block` frames, as a stream ends. */
static void finish(struct stream *stream, struct rv_stats *stats, uint32_t block)
{
    while (stream->spans.n_open) {
        for (uint32_t i = 0; i < block && stream->spans.n_open; i++) {
            uint32_t depth = --stream->spans.n_open;
            stream->all[stream->n++] = (struct rv_span){.start = stream->spans.start[depth],
                                                        .end = stream->spans.now_ns,
                                                        .id = stream->spans.id[depth],
                                                        .depth = depth,
                                                        .flags = RV_SPAN_OPEN};
        }
        rv_stats_lane_set_open(stream->lane, NULL, NULL, stream->spans.n_open, stream->spans.n_open);
        add_calls(stream, stats);
    }
}

static void check_blocked(const struct rv_stats *stats, const struct blocked_of *wanted)
{
    struct rv_stats_row rows[MAX_IDS];
    const size_t n = rv_stats_rows(stats, rows, MAX_IDS);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(rows[i].total_times.blocked_ns, wanted->ns[rows[i].id], "id %u: blocked %lu, wanted %lu",
                     rows[i].id, (unsigned long)rows[i].total_times.blocked_ns, (unsigned long)wanted->ns[rows[i].id]);
}

/* A random stream, its blocks in two shards in turns. between() is called before each event. */
static void run_stream(struct stream *stream, struct rv_stats *shards[2], uint64_t seed, uint32_t n_ids,
                       void between(void *context, size_t event), void *context)
{
    const size_t n_steps = 1500, block = 1 + seed % 200;
    const uint32_t most_depth = (uint32_t)(seed % 40 + 1);
    stream->lane = rv_stats_lane_create();
    spans_init(&stream->spans, seed, n_ids, most_depth, (unsigned)(seed % 20 + 1));
    stream->spans.same_time_percent = (unsigned)(seed % 90);
    stream->all = malloc((n_steps + most_depth) * sizeof *stream->all);
    for (size_t i = 0; i < n_steps; i++) {
        between(context, i);
        step(stream);
        if (spans_random(&stream->spans) % 8 < seed % 8) {
            stream->spans.now_ns++; /* no call ends at the same time, before or after it */
            be_blocked(stream);
        }
        if (spans_random(&stream->spans) % block == 0)
            end_block(stream, shards[i % 2]);
    }
    end_block(stream, shards[0]);
    finish(stream, shards[1], (uint32_t)(seed % 5 + 1));
}

static void free_stream(struct stream *stream)
{
    rv_stats_lane_destroy(stream->lane);
    spans_fini(&stream->spans);
    free(stream->all);
    rv_disk_vec_free(&stream->stretches.disk, stream->stretches.items);
}

static void do_nothing(void *context, size_t event)
{
    (void)context;
    (void)event;
}

Test(stats, blocks_cut_anywhere_give_what_one_pass_over_all_gives, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct stream stream = {.n_names = 0};
        struct rv_stats *shards[2] = {rv_stats_create(), rv_stats_create()};
        struct plain plain[MAX_IDS];
        run_stream(&stream, shards, seed, (uint32_t)(seed % 7 + 1), do_nothing, NULL);
        plain_stats(stream.all, stream.n, plain);
        rv_stats_merge(shards[0], shards[1]);
        check_rows(shards[0], plain);
        check_blocked(shards[0], &stream.blocked);
        rv_stats_destroy(shards[0]);
        rv_stats_destroy(shards[1]);
        free_stream(&stream);
    }
}

/* ---- subroutines of one name ---- */

struct naming {
    struct rv_stats **shards;
    uint32_t order[MAX_IDS]; /* in which ids get names */
    uint32_t n_ids, n_names, n_named;
    uint32_t first[MAX_IDS]; /* by name: the id that had it first, + 1 */
    size_t period;           /* events between two names; 0: all come before the calls */
};

/* Before they are read, and as often before as one likes. */
static void correct(const struct naming *naming)
{
    for (int i = 0; i < 2; i++)
        rv_stats_correct(naming->shards[i]);
}

static void name_next(struct naming *naming)
{
    const uint32_t id = naming->order[naming->n_named++], name = id % naming->n_names;
    if (!naming->first[name])
        naming->first[name] = id + 1;
    for (int i = 0; i < 2; i++)
        rv_stats_name(naming->shards[i], &(struct rv_namesake){id, naming->first[name] - 1}, 1);
    if (naming->n_named % 3 == 0)
        correct(naming);
}

static void name_some(void *context, size_t event)
{
    struct naming *naming = context;
    while (naming->n_named < naming->n_ids && (!naming->period || event / naming->period > naming->n_named))
        name_next(naming);
}

/* Id 0, of what is unknown, is not waited for. */
static void shuffle(struct naming *naming, uint64_t seed)
{
    for (uint32_t i = 1; i < naming->n_ids; i++)
        naming->order[i] = 1 + (uint32_t)((i * 5 + seed) % (naming->n_ids - 1));
    name_next(naming);
}

Test(stats, nested_calls_of_one_name_count_once_however_late_it_comes, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct rv_stats *shards[2] = {rv_stats_create(), rv_stats_create()}, *merged = rv_stats_create();
        struct stream stream = {.n_names = (uint32_t)(seed % 4 + 1)};
        struct naming naming = {.shards = shards,
                                .n_ids = (uint32_t)(2 + 6 * (1 + seed % 3)),
                                .n_names = stream.n_names,
                                .period = (size_t[]){0, 1, 60, 2000}[seed / 4 % 4]};
        uint32_t as_id[MAX_IDS];
        struct plain plain[MAX_IDS];
        rv_stats_await_names(shards[0]);
        rv_stats_await_names(shards[1]);
        shuffle(&naming, seed);
        run_stream(&stream, shards, seed, naming.n_ids, name_some, &naming);
        while (naming.n_named < naming.n_ids)
            name_next(&naming);
        correct(&naming);
        for (uint32_t id = 0; id < naming.n_ids; id++)
            as_id[id] = name_of(&stream, id);
        rv_stats_merge_as(merged, shards[0], as_id, naming.n_ids);
        rv_stats_merge_as(merged, shards[1], as_id, naming.n_ids);
        for (size_t i = 0; i < stream.n; i++)
            stream.all[i].id = as_id[stream.all[i].id];
        plain_stats(stream.all, stream.n, plain);
        check_rows(merged, plain);
        check_blocked(merged, &stream.blocked);
        cr_assert_not(rv_stats_lacks_inner(merged));
        rv_stats_destroy(merged);
        rv_stats_destroy(shards[0]);
        rv_stats_destroy(shards[1]);
        free_stream(&stream);
    }
}

/* Calls of two names around each other, in ever other stacks. */
static void add_stacks(struct rv_stats *stats, uint32_t n_stacks)
{
    struct rv_stats_lane *lane = rv_stats_lane_create();
    for (uint32_t i = 0; i < n_stacks; i++)
        rv_stats_add(stats, lane,
                     (struct rv_span[]){{.start = 2, .end = 3, .id = 1, .depth = 2},
                                        {.start = 1, .end = 4, .id = 10 + i, .depth = 1},
                                        {.start = 0, .end = 5, .id = 2, .depth = 0}},
                     3);
    rv_stats_lane_destroy(lane);
}

static uint64_t inner_of_first(struct rv_stats *stats)
{
    struct rv_stats_row row;
    rv_stats_correct(stats);
    cr_assert_geq(rv_stats_rows(stats, &row, 1), 1);
    cr_assert_eq(row.id, 1);
    return row.inner_ns;
}

Test(stats, that_names_come_too_late_is_told, .timeout = 60)
{
    struct rv_stats *stats = rv_stats_create();
    rv_stats_await_names(stats);
    add_stacks(stats, 3000);
    rv_stats_name(stats, (struct rv_namesake[]){{1, 1}, {2, 1}}, 2);
    cr_assert_eq(inner_of_first(stats), 3000);
    cr_assert_not(rv_stats_lacks_inner(stats));
    add_stacks(stats, 5000);
    cr_assert_eq(inner_of_first(stats), 8000, "that is known beforehand");
    cr_assert(rv_stats_lacks_inner(stats));
    struct rv_stats *merged = rv_stats_create();
    rv_stats_merge(merged, stats);
    cr_assert(rv_stats_lacks_inner(merged));
    rv_stats_destroy(merged);
    rv_stats_destroy(stats);
}

/* A name that never comes does not cost anything for ever. */
Test(stats, names_are_awaited_for_a_million_calls, .timeout = 60)
{
    struct rv_stats *stats = rv_stats_create();
    rv_stats_await_names(stats);
    for (uint32_t i = 0; i < 349; i++)
        add_stacks(stats, 1000);
    cr_assert_not(rv_stats_lacks_inner(stats));
    add_stacks(stats, 1000);
    cr_assert(rv_stats_lacks_inner(stats));
    rv_stats_name(stats, (struct rv_namesake[]){{1, 1}, {2, 1}}, 2);
    const uint64_t inner_ns = inner_of_first(stats);
    cr_assert(inner_ns > 349 * 1000 && inner_ns < 350 * 1000);
    rv_stats_destroy(stats);
}

Test(stats, names_that_come_in_time_make_room_for_later_ones, .timeout = 60)
{
    struct rv_stats *stats = rv_stats_create();
    rv_stats_await_names(stats);
    rv_stats_name(stats, (struct rv_namesake[]){{1, 1}, {2, 1}}, 2);
    for (uint32_t round = 0; round < 10; round++) {
        struct rv_stats_lane *lane = rv_stats_lane_create();
        for (uint32_t i = 0; i < 2500; i++) {
            const uint32_t id = 10 + 2500 * round + i;
            rv_stats_add(
                stats, lane,
                (struct rv_span[]){{.start = 1, .end = 2, .id = id, .depth = 1}, {.start = 0, .end = 2, .id = 2}}, 2);
        }
        for (uint32_t i = 0; i < 2500; i++)
            rv_stats_name(stats, &(struct rv_namesake){10 + 2500 * round + i, i % 2 ? 2 : 10 + 2500 * round + i}, 1);
        rv_stats_lane_destroy(lane);
    }
    rv_stats_correct(stats);
    size_t n;
    uint64_t inner_ns = 0;
    struct rv_stats_row *rows = rv_stats_take_rows(stats, &n);
    for (size_t i = 0; i < n; i++)
        inner_ns += rows[i].inner_ns;
    cr_assert_eq(inner_ns, 10 * 1250);
    cr_assert_not(rv_stats_lacks_inner(stats));
    free(rows);
    rv_stats_destroy(stats);
}

Test(stats, an_orphan_is_no_call_and_passes_its_children_on, .timeout = 60)
{
    struct rv_span spans[] = {
        {.start = 110, .end = 120, .id = 3, .depth = 2},
        {.start = 0, .end = 150, .id = 2, .depth = 1, .flags = RV_SPAN_ORPHAN},
        {.start = 100, .end = 200, .id = 1, .depth = 0},
    };
    struct rv_stats *stats = rv_stats_create();
    struct rv_stats_lane *lane = rv_stats_lane_create();
    rv_stats_add(stats, lane, spans, 3);
    struct rv_stats_row rows[3];
    cr_assert_eq(rv_stats_rows(stats, rows, 3), 2);
    cr_assert_eq(rows[0].id, 1);
    cr_assert_eq(rows[0].self_ns, 90);
    cr_assert_eq(rows[1].id, 3);
    cr_assert_eq(rows[1].self_ns, 10);
    rv_stats_lane_destroy(lane);
    rv_stats_destroy(stats);
}

Test(stats, time_left_by_a_gap_in_depth_belongs_to_the_children, .timeout = 60)
{
    struct rv_span spans[] = {
        {.start = 10, .end = 20, .id = 1, .depth = 5},
        {.start = 0, .end = 100, .id = 2, .depth = 1},
        {.start = 200, .end = 300, .id = 3, .depth = 1},
    };
    struct rv_stats *stats = rv_stats_create();
    struct rv_stats_lane *lane = rv_stats_lane_create();
    rv_stats_add(stats, lane, spans, 3);
    struct rv_stats_row rows[3];
    cr_assert_eq(rv_stats_rows(stats, rows, 3), 3);
    cr_assert_eq(rows[1].self_ns, 90);
    cr_assert_eq(rows[2].self_ns, 100);
    rv_stats_lane_destroy(lane);
    rv_stats_destroy(stats);
}

/* A return of something below the first frame that was seen shows how deep that lay. */
Test(stats, children_stay_with_their_parent_when_depths_are_counted_from_lower, .timeout = 60)
{
    struct rv_stats *stats = rv_stats_create();
    struct rv_stats_lane *lane = rv_stats_lane_create();
    struct rv_stats_row row;
    uint32_t depth = 0;
    for (uint32_t round = 0; round < 1000; round++) {
        const uint64_t now = 1000 * (uint64_t)round;
        rv_stats_add(stats, lane, &(struct rv_span){.start = now, .end = now + 10, .id = 1, .depth = depth + 1}, 1);
        rv_stats_lane_lower(lane, 1 + round % 3);
        depth += 1 + round % 3;
        cr_assert_eq(rv_stats_lane_children(lane, depth), 10);
        rv_stats_add(stats, lane, &(struct rv_span){.start = now, .end = now + 100, .id = 0, .depth = depth}, 1);
    }
    cr_assert_eq(rv_stats_rows(stats, &row, 1), 2);
    cr_assert_eq(row.id, 0);
    cr_assert_eq(row.self_ns, 1000 * 90);
    rv_stats_lane_destroy(lane);
    rv_stats_destroy(stats);
}

/* A small file can hold a billion returns of calls that began before tracing. */
Test(stats, unused_depths_take_no_memory, .timeout = 60)
{
    struct rv_stats *stats = rv_stats_create();
    struct rv_stats_lane *lane = rv_stats_lane_create();
    struct rv_stats_row row;
    const uint32_t deep = 1u << 30;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which take more themselves */
    cr_assert_eq(setrlimit(RLIMIT_DATA, &(struct rlimit){deep, deep}), 0);
#endif
    rv_stats_add(stats, lane, &(struct rv_span){.start = 20, .end = 30, .id = 1, .depth = 1}, 1);
    rv_stats_lane_lower(lane, deep);
    rv_stats_add(stats, lane, &(struct rv_span){.start = 40, .end = 45, .id = 1, .depth = deep + 7}, 1);
    cr_assert_eq(rv_stats_lane_children(lane, deep), 10);
    cr_assert_eq(rv_stats_lane_children(lane, 5), 0);
    rv_stats_add(stats, lane, &(struct rv_span){.start = 10, .end = 60, .id = 0, .depth = 3}, 1);
    rv_stats_add(stats, lane, &(struct rv_span){.start = 5, .end = 70, .id = 0, .depth = 2}, 1);
    cr_assert_eq(rv_stats_rows(stats, &row, 1), 2);
    cr_assert_eq(row.self_ns, (50 - 10 - 5) + (65 - 50));
    rv_stats_lane_destroy(lane);
    rv_stats_destroy(stats);
}

Test(stats, percentiles_are_within_one_percent_of_any_duration, .timeout = 60)
{
    for (unsigned shift = 0; shift < 54; shift++) {
        struct rv_stats *stats = rv_stats_create();
        struct rv_stats_lane *lane = rv_stats_lane_create();
        struct rv_span spans[1001];
        for (uint64_t i = 0; i < 1001; i++)
            spans[i] = (struct rv_span){.end = (1 + i) << shift};
        for (size_t i = 0; i < 1001; i++)
            rv_stats_add(stats, lane, &spans[i], 1);
        struct rv_stats_row row;
        cr_assert_eq(rv_stats_rows(stats, &row, 1), 1);
        cr_assert(is_within_percent(row.p50_ns, UINT64_C(501) << shift));
        cr_assert(is_within_percent(row.p99_ns, UINT64_C(991) << shift));
        cr_assert_eq(row.min_ns, UINT64_C(1) << shift);
        cr_assert_eq(row.max_ns, UINT64_C(1001) << shift);
        rv_stats_lane_destroy(lane);
        rv_stats_destroy(stats);
    }
}

Test(stats, calls_that_took_no_longer_are_counted, .timeout = 60)
{
    struct rv_stats *stats = rv_stats_create();
    struct rv_stats_lane *lane = rv_stats_lane_create();
    for (uint64_t i = 1; i <= 1000; i++)
        rv_stats_add(stats, lane, &(struct rv_span){.end = i * 100, .id = 3}, 1);
    uint64_t n_calls;
    cr_assert_eq(rv_stats_at_most(stats, 3, 0, &n_calls), 0);
    cr_assert_eq(n_calls, 1000);
    for (uint64_t i = 1; i <= 1000; i++) {
        uint64_t n = rv_stats_at_most(stats, 3, i * 100, &n_calls);
        cr_assert(n >= i && n <= i + i / 64 + 1, "%zu of %zu", (size_t)n, (size_t)i);
    }
    cr_assert_eq(rv_stats_at_most(stats, 3, UINT64_MAX, &n_calls), 1000);
    cr_assert_eq(rv_stats_at_most(stats, 2, 1000, &n_calls), 0);
    cr_assert_eq(n_calls, 0);
    cr_assert_eq(rv_stats_at_most(stats, 4000000, 1000, &n_calls), 0);
    cr_assert_eq(n_calls, 0);
    rv_stats_lane_destroy(lane);
    rv_stats_destroy(stats);
}

Test(stats, ids_merge_as_one_subroutine, .timeout = 60)
{
    struct rv_span spans[] = {
        {.end = 10, .id = 1}, {.start = 20, .end = 50, .id = 2}, {.start = 60, .end = 61, .id = 3}};
    struct rv_stats *stats = rv_stats_create(), *merged = rv_stats_create();
    struct rv_stats_lane *lane = rv_stats_lane_create();
    rv_stats_add(stats, lane, spans, 3);
    rv_stats_merge_as(merged, stats, (uint32_t[]){0, 1, 1}, 3);
    struct rv_stats_row rows[3];
    cr_assert_eq(rv_stats_rows(merged, rows, 3), 2);
    cr_assert_eq(rows[0].n_calls, 2);
    cr_assert_eq(rows[0].total_ns, 40);
    cr_assert_eq(rows[0].min_ns, 10);
    cr_assert_eq(rows[0].max_ns, 30);
    cr_assert_eq(rows[1].id, 3);
    cr_assert_eq(rv_stats_rows(merged, rows, 1), 2);
    rv_stats_lane_destroy(lane);
    rv_stats_destroy(stats);
    rv_stats_destroy(merged);
}

Test(stats, time_off_the_cpu_of_a_call_that_ended_in_another_shard_is_kept, .timeout = 60)
{
    enum { FAR_ID = 1000 };
    struct rv_stats *calls = rv_stats_create(), *waits = rv_stats_create(), *sum = rv_stats_create();
    rv_stats_add_call(calls, FAR_ID, &(struct rv_stats_call){.duration_ns = 50, .self_ns = 50, .total_ns = 50});
    rv_stats_add_times(waits, FAR_ID, &(struct rv_state_times){.blocked_ns = 30, .runnable_ns = 10, .ready_ns = 7},
                       &(struct rv_state_times){.blocked_ns = 70});
    rv_stats_add_times(waits, FAR_ID, &(struct rv_state_times){.suspended_ns = 5, .ready_ns = 1},
                       &(struct rv_state_times){.blocked_ns = 1});
    rv_stats_merge(sum, waits);
    rv_stats_merge(sum, calls);
    struct rv_stats_row row;
    cr_assert_eq(rv_stats_rows(sum, &row, 1), 1);
    cr_assert_eq(row.id, FAR_ID);
    cr_assert_eq(row.self_times.blocked_ns, 30);
    cr_assert_eq(row.self_times.runnable_ns, 10);
    cr_assert_eq(row.self_times.ready_ns, 8);
    cr_assert_eq(row.self_times.suspended_ns, 5);
    cr_assert_eq(row.total_times.blocked_ns, 71);
    rv_stats_destroy(calls);
    rv_stats_destroy(waits);
    rv_stats_destroy(sum);
}
