/* Short streams and the spans that the scan must give, and every kernel and cutting compared with the oracle. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "scan/block.h"
#include "scan/block_join.h"
#include "streams.h"

#define CALL(id_, tag, ns)                                                                                             \
    {                                                                                                                  \
        .when = (uint64_t)RV_EVENT_CALL << RV_EVENT_KIND_SHIFT | (ns), .id = (id_), .frame = (uint16_t)(tag)           \
    }
#define RETURN(id_, tag, ns)                                                                                           \
    {                                                                                                                  \
        .when = (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT | (ns), .id = (id_), .frame = (uint16_t)(tag)         \
    }
#define SYNC(id_, tag, ns)                                                                                             \
    {                                                                                                                  \
        .when = (uint64_t)RV_EVENT_SYNC << RV_EVENT_KIND_SHIFT | (ns), .id = (id_), .frame = (uint16_t)(tag)           \
    }
#define LOST(n, ns)                                                                                                    \
    {                                                                                                                  \
        .when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | (ns), .id = (n)                                       \
    }
#define SWITCH(stack, ns)                                                                                              \
    {                                                                                                                  \
        .when = (uint64_t)RV_EVENT_SWITCH << RV_EVENT_KIND_SHIFT | (ns), .id = (stack)                                 \
    }
#define THREAD(stack, state, ns)                                                                                       \
    {                                                                                                                  \
        .when = (uint64_t)RV_EVENT_THREAD << RV_EVENT_KIND_SHIFT | (ns), .id = (stack), .aux = (state)                 \
    }
#define LINE(ns)                                                                                                       \
    {                                                                                                                  \
        .when = (uint64_t)RV_EVENT_LINE << RV_EVENT_KIND_SHIFT | (ns), .id = 1                                         \
    }

#define MAX_EVENTS 12

/* Spans as "id.depth[start,end]flags", a stack's number before the first of it; the stream ends 7 ns after its last
 * event. */
struct behaviour {
    const char *name;
    struct rv_event events[MAX_EVENTS];
    const char *spans;
};

static const struct behaviour behaviours[] = {
    {"calls nest",

     {CALL(1, 0, 10), CALL(2, 1, 20), RETURN(2, 1, 30), RETURN(1, 0, 40)},
     "0: 2.1[20,30] 1.0[10,40]"},
    {"a longjmp cuts what it leaves",

     {CALL(1, 0, 10), CALL(2, 1, 20), CALL(3, 2, 30), CALL(4, 1, 40), RETURN(4, 1, 50), RETURN(1, 0, 60)},
     "0: 3.2[30,40]c 2.1[20,40]c 4.1[40,50] 1.0[10,60]"},
    {"a depth that is open was left by a lost return",

     {CALL(1, 0, 10), CALL(2, 1, 20), CALL(3, 1, 30), RETURN(3, 1, 40), RETURN(1, 0, 50)},
     "0: 2.1[20,30]c 3.1[30,40] 1.0[10,50]"},
    {"a return with another id is an orphan",

     {CALL(1, 0, 10), CALL(2, 1, 20), RETURN(9, 1, 30), RETURN(1, 0, 40)},
     "0: 2.1[20,30]c 9.1[10,30]o 1.0[10,40]"},
    {"a return without an id that finds nothing only cuts",

     {CALL(1, 0, 10), CALL(2, 7, 20), RETURN(0, 3, 30), RETURN(1, 0, 40)},
     "0: 2.1[20,30]c 1.0[10,40]"},
    {"a return without an id closes its frame",

     {CALL(1, 0, 10), CALL(2, 1, 20), RETURN(0, 1, 30), RETURN(0, 0, 40)},
     "0: 2.1[20,30] 1.0[10,40]"},
    {"a loss throws doubt on what may have been replaced",

     {CALL(1, 0, 10), CALL(2, 10, 20), CALL(3, 11, 30), LOST(1, 31), CALL(4, 12, 40), RETURN(4, 12, 50),
      RETURN(3, 11, 60), RETURN(2, 10, 70), RETURN(1, 0, 80)},
     "0: 4.3[40,50] 3.2[30,60]d 2.1[20,70]d 1.0[10,80]"},
    {"losses add up until the next event",

     {CALL(1, 0, 10), CALL(2, 10, 20), LOST(1, 31), LOST(3, 32), CALL(4, 11, 40), CALL(5, 12, 50), RETURN(2, 10, 70)},
     "0: 5.3[50,70]c 4.2[40,70]c 2.1[20,70]d 1.0[10,77]fd"},
    {"returns of what was there before are orphans, outermost last and lowest",

     {CALL(3, 7, 10), RETURN(3, 7, 20), RETURN(2, 6, 30), RETURN(0, 5, 35), RETURN(1, 4, 40), CALL(4, 4, 50)},
     "0: 3.0[10,20] 2.-1[10,30]o 1.-3[10,40]o 4.-3[50,57]f"},
    {"open frames end with the stream", {CALL(1, 0, 10), CALL(2, 1, 20)}, "0: 2.1[20,27]f 1.0[10,27]f"},
    {"stacks are kept apart",

     {CALL(1, 0, 10), SWITCH(5, 11), CALL(2, 0, 20), SWITCH(0, 21), RETURN(1, 0, 30), SWITCH(5, 32), RETURN(2, 0, 40)},
     "0: 1.0[10,30] 5: 2.0[20,40]"},
    {"a thread's states change no stack",

     {CALL(1, 0, 10), SWITCH(5, 11), CALL(2, 0, 20), THREAD(0, RV_THREAD_RESUMED, 21), RETURN(2, 0, 30),
      THREAD(9, RV_THREAD_SUSPENDED, 31), SWITCH(0, 32), RETURN(1, 0, 40)},
     "0: 1.0[10,40] 5: 2.0[20,30]"},
    {"other kinds are skipped",

     {LINE(9), CALL(1, 0, 10), LINE(11), LINE(12), RETURN(1, 0, 30), LINE(31)},
     "0: 1.0[10,30]"},
    {"a SYNC opens a frame with its own time",

     {SYNC(1, 0, 2), SYNC(2, 1, 4), CALL(3, 2, 20), RETURN(3, 2, 30), RETURN(2, 1, 40)},
     "0: 3.2[20,30] 2.1[4,40] 1.0[2,47]f"},
    {"a SYNC of an open frame changes nothing",

     {CALL(1, 0, 10), CALL(2, 1, 20), SYNC(1, 0, 9), SYNC(2, 1, 21), RETURN(2, 1, 40), RETURN(1, 0, 50)},
     "0: 2.1[20,40] 1.0[10,50]"},
    {"a SYNC cuts what is not there any more, at the last time seen",

     {CALL(1, 0, 10), CALL(2, 1, 20), CALL(3, 2, 30), SYNC(4, 1, 25), RETURN(4, 1, 40), RETURN(1, 0, 50)},
     "0: 3.2[30,30]c 2.1[20,30]c 4.1[25,40] 1.0[10,50]"},
    {"a long loss forgets where depths were",

     {CALL(1, 0, 10), LOST(40000, 11), CALL(2, 39000, 20), RETURN(2, 39000, 30), RETURN(1, 0, 40)},
     "0: 2.1[20,30] 1.0[10,40]d"},
    {"a short loss does not",

     {CALL(1, 100, 10), LOST(10, 11), CALL(2, 39000, 20), RETURN(2, 39000, 30)},
     "0: 1.0[10,20]cd 2.0[20,30]"},
};

static void render(char *out, size_t n_bytes, const struct scanned *scanned)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < scanned->n && n < n_bytes; i++) {
        const struct rv_span *span = &scanned->spans[i];
        if (i == 0 || span->stack != scanned->spans[i - 1].stack)
            n += (size_t)snprintf(out + n, n_bytes - n, "%s%u:", i ? " " : "", span->stack);
        n += (size_t)snprintf(out + n, n_bytes - n, " %u.%d[%llu,%llu]%s%s%s%s", span->id, (int)span->depth,
                              (unsigned long long)span->start, (unsigned long long)span->end,
                              span->flags & RV_SPAN_CUT ? "c" : "", span->flags & RV_SPAN_ORPHAN ? "o" : "",
                              span->flags & RV_SPAN_OPEN ? "f" : "", span->flags & RV_SPAN_DOUBTFUL ? "d" : "");
    }
}

static uint32_t n_events(const struct behaviour *behaviour)
{
    uint32_t n = MAX_EVENTS;
    while (n > 0 && behaviour->events[n - 1].when == 0)
        n--;
    return n;
}

static void check_kernels(const struct rv_event *events, uint32_t n, const struct scanned *expected, const char *name)
{
    for (int kernel = 0; kernel < RV_SCAN_KERNEL_COUNT; kernel++) {
        if (!rv_scan_kernel_is_supported((enum rv_scan_kernel)kernel))
            continue;
        for (uint32_t block = 1; block <= n + 1; block++) {
            struct cutting cutting = {.kernel = (enum rv_scan_kernel)kernel, .block_events = block};
            struct scanned got = scan_in_blocks(events, n, &cutting);
            cr_expect(scanned_is_equal(expected, &got), "%s: kernel %s, blocks of %u", name,
                      rv_scan_kernel_name((enum rv_scan_kernel)kernel), block);
            scanned_free(&got);
        }
    }
}

Test(scan, each_row_of_the_table_gives_its_spans, .timeout = 60)
{
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        const struct behaviour *behaviour = &behaviours[i];
        uint32_t n = n_events(behaviour);
        struct scanned serial = scan_serially(behaviour->events, n);
        char text[1024];
        render(text, sizeof text, &serial);
        cr_expect_str_eq(text, behaviour->spans, "%s:\n  %s\n  %s", behaviour->name, behaviour->spans, text);
        check_kernels(behaviour->events, n, &serial, behaviour->name);
        scanned_free(&serial);
    }
}

Test(scan, outcomes_are_counted, .timeout = 60)
{
    const struct rv_event events[] = {CALL(1, 0, 10), CALL(2, 1, 20),   CALL(3, 2, 30),   LOST(1, 31),
                                      LOST(1, 32),    RETURN(2, 8, 40), RETURN(7, 1, 50), RETURN(1, 0, 60)};
    struct cutting cutting = {.kernel = rv_scan_best_kernel(), .block_events = 8};
    struct scanned got = scan_in_blocks(events, 8, &cutting);
    cr_expect_eq(got.counts.n_calls, 3);
    cr_expect_eq(got.counts.n_cut, 2);
    cr_expect_eq(got.counts.n_orphans, 2);
    cr_expect_eq(got.counts.n_lost, 2);
    cr_expect_eq(got.counts.n_doubtful, 1);
    cr_expect_eq(got.counts.max_depth, 3);
    scanned_free(&got);
}

/* Calls to a depth far beyond 16 bits, then all their returns. */
Test(scan, follows_100000_frames, .timeout = 60)
{
    const uint32_t depth = 100000, n = 2 * depth;
    struct rv_event *events = calloc(n, sizeof *events);
    for (uint32_t i = 0; i < depth; i++) {
        events[i] = (struct rv_event)CALL(1 + i % 5, (uint16_t)i, 10 + i);
        events[n - 1 - i] = (struct rv_event)RETURN(1 + i % 5, (uint16_t)i, 10 + n - 1 - i);
    }
    struct scanned serial = scan_serially(events, n);
    struct cutting cutting = {.kernel = rv_scan_best_kernel(), .block_events = 16384};
    struct scanned got = scan_in_blocks(events, n, &cutting);
    cr_expect(scanned_is_equal(&serial, &got));
    cr_expect_eq(got.n, depth);
    cr_expect_eq(got.counts.max_depth, depth);
    cr_expect_eq(got.counts.n_cut + got.counts.n_orphans, 0);
    scanned_free(&got);
    scanned_free(&serial);
    free(events);
}

static void apply(struct rv_block_join *carry, struct rv_block *block, const struct rv_event *events, uint32_t n,
                  uint32_t entry_stack)
{
    struct rv_event padded[MAX_EVENTS + RV_BLOCK_PADDING] = {0};
    memcpy(padded, events, n * sizeof *events);
    struct rv_block_input input = {
        .events = padded, .n = n, .base_ns = rv_event_ticks(events), .entry_stack = entry_stack};
    rv_block_scan(block, &input, RV_SCAN_SCALAR);
    rv_block_join_apply(carry, block);
}

Test(scan, reports_unchanged_open_frames, .timeout = 60)
{
    struct rv_block_join *carry = rv_block_join_create();
    struct rv_block *block = rv_block_create(16);
    struct rv_open_stack open;
    const struct rv_event ramp[] = {CALL(1, 0, 10), CALL(2, 1, 20), CALL(3, 2, 30), CALL(4, 3, 40)};
    apply(carry, block, ramp, 4, 0);
    rv_block_join_open_stack(carry, 0, &open);
    cr_assert_eq(open.n_frames, 4);
    cr_expect_eq(open.n_unchanged, 0);
    cr_expect_eq(open.start[2], 30);
    cr_expect_eq(open.id[3], 4);

    rv_block_join_mark_seen(carry);
    rv_block_join_open_stack(carry, 0, &open);
    cr_expect_eq(open.n_unchanged, 4);

    const struct rv_event down_and_up[] = {RETURN(4, 3, 50), RETURN(3, 2, 60), CALL(5, 2, 70), CALL(6, 3, 80)};
    apply(carry, block, down_and_up, 4, 0);
    rv_block_join_open_stack(carry, 0, &open);
    cr_expect_eq(open.n_frames, 4);
    cr_expect_eq(open.n_unchanged, 2);
    cr_expect_eq(open.id[2], 5);

    rv_block_join_mark_seen(carry);
    const struct rv_event elsewhere[] = {CALL(9, 0, 90)};
    apply(carry, block, elsewhere, 1, 33);
    cr_assert_eq(rv_block_join_n_stacks(carry), 2);
    rv_block_join_open_stack(carry, 0, &open);
    cr_expect_eq(open.n_unchanged, 4);
    rv_block_join_open_stack(carry, 1, &open);
    cr_expect_eq(open.stack, 33);
    cr_expect_eq(open.n_unchanged, 0);
    rv_block_destroy(block);
    rv_block_join_destroy(carry);
}

Test(scan, survives_more_stacks_than_any_program_has, .timeout = 60)
{
    const uint32_t n = 140000;
    struct rv_event *events = calloc(n, sizeof *events);
    for (uint32_t i = 0; i < n; i += 2) {
        events[i] = (struct rv_event)SWITCH(i * 2654435761u, 10 + i);
        events[i + 1] = (struct rv_event)CALL(1, 0, 10 + i);
    }
    struct cutting cutting = {.kernel = rv_scan_best_kernel(), .block_events = 16384};
    struct scanned got = scan_in_blocks(events, n, &cutting);
    cr_expect_eq(got.n, n / 2);
    cr_expect_eq(got.counts.n_calls, n / 2);
    scanned_free(&got);
    free(events);
}

/*
 * Random drops against the truth. When both the RETURN of one call and the CALL of the next at its place are gone,
 * nothing tells that what follows is not inside the first: it stays open until something cuts it. So: the nearest span
 * around a span that is neither cut nor still open at the end is its nearest caller whose CALL was kept; and whatever
 * is between the two is so flagged.
 *
 * Ids rise with the CALLs: what closes after a span and was called before it encloses it.
 */
static void check_parents(const struct stream *stream, const struct scanned *scanned, uint32_t *n_right,
                          uint32_t *n_behind_cut)
{
    const uint32_t lowest = stream->n; /* orphans move depths below 0, by one each */
    const struct rv_span **around = calloc(2 * (size_t)stream->n + 2, sizeof(const struct rv_span *));
    for (size_t i = scanned->n; i-- > 0;) {
        const struct rv_span *span = &scanned->spans[i];
        uint32_t depth = span->depth + lowest;
        if (span->flags & RV_SPAN_ORPHAN)
            continue;
        around[depth] = span;
        uint32_t parent = stream->parents[span->id], got = 0, n_passed = 0;
        while (parent && !stream->is_kept[parent])
            parent = stream->parents[parent];
        while (depth-- > 0 && around[depth] && around[depth]->id < span->id) {
            got = around[depth]->id;
            if (got == parent || !(around[depth]->flags & (RV_SPAN_CUT | RV_SPAN_OPEN)))
                break;
            got = 0;
            n_passed++;
        }
        cr_assert_eq(got, parent, "span %u at depth %d is in %u, not %u", span->id, (int)span->depth, got, parent);
        *(n_passed ? n_behind_cut : n_right) += 1;
    }
    free(around);
}

static void check_drops(uint32_t frame_size, uint32_t drop_percent, uint64_t seed)
{
    uint64_t random = seed;
    struct stream_params params = {
        .n = 12000,
        .frame_size = frame_size,
        .longjmp_permille = 5,
        .drop_percent = drop_percent,
    };
    uint32_t n_right = 0, n_behind_cut = 0;
    struct stream stream = stream_generate(&params, &random);
    struct cutting cutting = {.kernel = rv_scan_best_kernel(), .seed = seed};
    struct scanned got = scan_in_blocks(stream.events, stream.n, &cutting);
    check_parents(&stream, &got, &n_right, &n_behind_cut);
    if (drop_percent == 25)
        cr_expect_gt(n_right, 4 * n_behind_cut, "%u right, %u behind a cut span", n_right, n_behind_cut);
    cr_expect_gt(n_right + n_behind_cut, drop_percent == 25 ? 2000 : 20);
    scanned_free(&got);
    stream_free(&stream);
}

Test(scan, gives_no_span_a_wrong_parent_when_events_are_dropped, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (uint32_t drop_percent = 25; drop_percent < 100; drop_percent += 74) {
            check_drops(1, drop_percent, seed);
            check_drops(3, drop_percent, seed);
        }
    }
}

Test(scan, names_its_kernels_and_runs_the_best, .timeout = 60)
{
    cr_expect(rv_scan_kernel_is_supported(RV_SCAN_SCALAR));
    cr_expect(rv_scan_kernel_is_supported(rv_scan_best_kernel()));
    cr_expect(!rv_scan_kernel_is_supported(RV_SCAN_KERNEL_COUNT));
    cr_expect_str_eq(rv_scan_kernel_name(RV_SCAN_AVX512), "avx512");
}
