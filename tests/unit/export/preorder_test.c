#include "export/preorder.h"

#include "export/spool.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct rv_slice all;

static struct rv_lane lanes[2] = {{.idx = 0}, {.idx = 1}};

/* Random calls, their ids numbered as they are called: closing order in, calling order expected out. */
struct calls {
    struct rv_span *closed;
    size_t n;
};

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static struct calls make_calls(uint64_t seed, size_t n, uint32_t most_depth, unsigned same_time_percent)
{
    struct calls calls = {.closed = calloc(n, sizeof *calls.closed)};
    struct rv_span *open = calloc(most_depth, sizeof *open);
    uint32_t n_open = 0, n_called = 0;
    uint64_t now_ns = 1000;
    while (calls.n < n) {
        if (next_random(&seed) % 100 >= same_time_percent)
            now_ns += next_random(&seed) % 5 + 1;
        bool is_call = n_called < n && (n_open == 0 || (n_open < most_depth && next_random(&seed) % 2));
        if (is_call) {
            open[n_open] = (struct rv_span){.start = now_ns, .id = n_called++, .depth = n_open};
            n_open++;
        } else {
            calls.closed[calls.n] = open[--n_open];
            calls.closed[calls.n++].end = now_ns;
        }
    }
    free(open);
    return calls;
}

static struct rv_spool *spool_of(const struct rv_span *spans, size_t n)
{
    struct rv_spool *spool = rv_spool_create();
    cr_assert_not_null(spool);
    struct rv_sink sink = rv_spool_sink(spool);
    if (n)
        sink.spans(sink.context, &lanes[0], spans, n);
    cr_assert_eq(rv_spool_seal(spool), 0);
    return spool;
}

static struct rv_preorder *preorder_of(const struct rv_spool *spool, const struct rv_slice *part)
{
    const struct rv_lane_calls calls = rv_spool_calls(spool);
    return rv_preorder_create(&calls, part);
}

/* All spans of lane 0 as they are given out. */
static size_t ordered(struct rv_preorder *preorder, struct rv_span *out, size_t max)
{
    size_t n = 0, n_now;
    const struct rv_span *spans;
    struct rv_lane lane = {.idx = 0};
    cr_assert_eq(rv_preorder_begin(preorder, &lane), 0);
    do {
        cr_assert_eq(rv_preorder_next(preorder, &spans, &n_now), 0);
        for (size_t i = 0; i < n_now; i++) {
            cr_assert_lt(n, max);
            out[n++] = spans[i];
        }
    } while (n_now);
    return n;
}

static void check_calls(uint64_t seed, size_t n, uint32_t most_depth, unsigned same_time_percent)
{
    struct calls calls = make_calls(seed, n, most_depth, same_time_percent);
    struct rv_span *expected = calloc(n, sizeof *expected), *got = calloc(n, sizeof *got);
    for (size_t i = 0; i < n; i++)
        expected[calls.closed[i].id] = calls.closed[i];
    struct rv_spool *spool = spool_of(calls.closed, n);
    struct rv_preorder *preorder = preorder_of(spool, &all);
    for (int turn = 0; turn < 2; turn++) {
        cr_assert_eq(ordered(preorder, got, n), n);
        for (size_t i = 0; i < n; i++)
            cr_assert(got[i].id == i && got[i].start == expected[i].start && got[i].end == expected[i].end &&
                          got[i].depth == expected[i].depth,
                      "seed %lu, depth %u, call %zu of %zu", seed, most_depth, i, n);
    }
    rv_preorder_destroy(preorder);
    rv_spool_destroy(spool);
    free(calls.closed);
    free(expected);
    free(got);
}

Test(preorder, calls_come_in_the_order_in_which_they_were_called, .timeout = 60)
{
    static const size_t sizes[] = {1, 2, 510, 511, 512, 8191, 8192, 8193, 40000};
    static const uint32_t depths[] = {1, 2, 8, 3000};
    static const unsigned same_time_percents[] = {0, 30, 90};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof depths / sizeof *depths; j++)
            for (size_t k = 0; k < sizeof same_time_percents / sizeof *same_time_percents; k++)
                check_calls(i * 100 + j * 10 + k + 1, sizes[i], depths[j], same_time_percents[k]);
}

Test(preorder, a_lane_without_spans_is_empty, .timeout = 60)
{
    struct rv_spool *spool = spool_of(NULL, 0);
    struct rv_preorder *preorder = preorder_of(spool, &all);
    struct rv_span none;
    cr_assert_eq(ordered(preorder, &none, 0), 0);
    rv_preorder_destroy(preorder);
    rv_spool_destroy(spool);
}

static void check_order(const struct rv_span *closed, const struct rv_span *expected, size_t n)
{
    struct rv_span got[8];
    struct rv_spool *spool = spool_of(closed, n);
    struct rv_preorder *preorder = preorder_of(spool, &all);
    cr_assert_eq(ordered(preorder, got, 8), n);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(got[i].id, expected[i].id, "%zu: id %u", i, got[i].id);
        cr_assert_eq(got[i].start, expected[i].start, "%zu: start %lu", i, got[i].start);
        cr_assert_eq(got[i].end, expected[i].end, "%zu: end %lu", i, got[i].end);
        cr_assert_eq(got[i].depth, expected[i].depth, "%zu: depth %u", i, got[i].depth);
    }
    rv_preorder_destroy(preorder);
    rv_spool_destroy(spool);
}

Test(preorder, an_orphan_at_the_bottom_encloses_what_was_seen_before_it, .timeout = 60)
{
    const struct rv_span closed[] = {{.start = 10, .end = 12, .id = 1, .depth = 1},
                                     {.start = 10, .end = 20, .id = 2, .depth = 0},
                                     {.start = 10, .end = 30, .id = 3, .depth = 1, .flags = RV_SPAN_ORPHAN},
                                     {.start = 10, .end = 40, .id = 4, .depth = 0, .flags = RV_SPAN_ORPHAN},
                                     {.start = 40, .end = 50, .id = 5, .depth = 0}};
    const struct rv_span expected[] = {{.start = 10, .end = 40, .id = 4, .depth = 0},
                                       {.start = 10, .end = 30, .id = 3, .depth = 1},
                                       {.start = 10, .end = 20, .id = 2, .depth = 2},
                                       {.start = 10, .end = 12, .id = 1, .depth = 3},
                                       {.start = 40, .end = 50, .id = 5, .depth = 0}};
    check_order(closed, expected, 5);
}

Test(preorder, an_orphan_inside_of_a_call_is_an_instant, .timeout = 60)
{
    const struct rv_span closed[] = {{.start = 10, .end = 12, .id = 1, .depth = 0},
                                     {.start = 22, .end = 23, .id = 2, .depth = 1},
                                     {.start = 10, .end = 25, .id = 3, .depth = 1, .flags = RV_SPAN_ORPHAN},
                                     {.start = 20, .end = 30, .id = 4, .depth = 0}};
    const struct rv_span expected[] = {{.start = 10, .end = 12, .id = 1, .depth = 0},
                                       {.start = 20, .end = 30, .id = 4, .depth = 0},
                                       {.start = 22, .end = 23, .id = 2, .depth = 1},
                                       {.start = 25, .end = 25, .id = 3, .depth = 1}};
    check_order(closed, expected, 4);
}

Test(preorder, calls_that_the_filter_leaves_out_take_no_depth, .timeout = 60)
{
    const struct rv_span closed[] = {{.start = 10, .end = 15, .id = 1, .depth = 0},
                                     {.start = 22, .end = 23, .id = 2, .depth = 2},
                                     {.start = 21, .end = 24, .id = 3, .depth = 1},
                                     {.start = 25, .end = 30, .id = 4, .depth = 1},
                                     {.start = 20, .end = 30, .id = 5, .depth = 0}};
    const struct rv_filter *filter = NULL;
    char why[64];
    cr_assert_eq(rv_filter_add(&filter, "!depth:=1", why, sizeof why), 0);
    const struct rv_slice part = {.from_ns = 15, .to_ns = 1000, .filter = filter};
    struct rv_spool *spool = spool_of(closed, 5);
    struct rv_preorder *preorder = preorder_of(spool, &part);
    struct rv_span got[5];
    cr_assert_eq(ordered(preorder, got, 5), 2);
    cr_assert(got[0].id == 5 && got[0].depth == 0);
    cr_assert(got[1].id == 2 && got[1].depth == 1);
    rv_preorder_destroy(preorder);
    rv_spool_destroy(spool);
    rv_filter_release(filter);
}

Test(preorder, overlapping_spans_become_a_tree, .timeout = 60)
{
    for (uint64_t seed = 1; seed < 2000; seed++) {
        uint64_t state = seed * 0x9e3779b97f4a7c15u;
        struct rv_span closed[40], got[40];
        size_t n = next_random(&state) % 40 + 1;
        for (size_t i = 0; i < n; i++) {
            uint64_t start = next_random(&state) % 60;
            closed[i] = (struct rv_span){.start = start,
                                         .end = start + next_random(&state) % 20,
                                         .depth = (uint32_t)(next_random(&state) % 5),
                                         .flags = (uint32_t)(next_random(&state) % 8)};
        }
        struct rv_spool *spool = spool_of(closed, n);
        struct rv_preorder *preorder = preorder_of(spool, &all);
        cr_assert_eq(ordered(preorder, got, n), n);
        uint64_t ends[41] = {UINT64_MAX}, now_ns = 0;
        for (size_t i = 0; i < n; i++) {
            uint32_t depth = got[i].depth;
            cr_assert(depth <= (i ? got[i - 1].depth + 1 : 0), "seed %lu", seed);
            cr_assert(got[i].start >= now_ns && got[i].end >= got[i].start, "seed %lu", seed);
            cr_assert(got[i].end <= ends[depth], "seed %lu: outlives its caller", seed);
            cr_assert(i == 0 || depth > got[i - 1].depth || got[i].start >= ends[depth + 1],
                      "seed %lu: begins before its sibling ends", seed);
            ends[depth + 1] = got[i].end;
            now_ns = got[i].start;
        }
        rv_preorder_destroy(preorder);
        rv_spool_destroy(spool);
    }
}
