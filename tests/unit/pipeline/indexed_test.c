/*
 * A recording that is told in sum, and read where one looks, shows what the same recording shows that was read wholly:
 * spans as they are, cells with their counts.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "pipeline/session.h"
#include "sink/record.h"
#include "source/indexed.h"
#include "source/replay.h"

enum { N_STREAMS = 4, N_STACKS = 3, N_IDS = 30, MOST_DEPTH = 40, PORTION = 20000, N_WINDOWS = 60, WAIT_S = 30 };

static const struct rv_record_limit ALL = {0};

static char path[] = "/tmp/ringviz-indexed-XXXXXX";
static uint64_t seed = 11;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* ---- the recording ---- */

struct thread { /* on its way through its calls */
    uint32_t stack, depth[N_STACKS], ids[N_STACKS][MOST_DEPTH];
    uint64_t now_ns, step_ns; /* between events */
};

static struct rv_event next_event(struct thread *thread)
{
    thread->now_ns += draw(2 * thread->step_ns) + (draw(5000) == 0 ? draw(4000000) : 0);
    uint32_t *depth = &thread->depth[thread->stack], *ids = thread->ids[thread->stack];
    struct rv_event event = {.when = thread->now_ns};
    if (draw(3000) == 0) {
        event.id = thread->stack = (uint32_t)draw(N_STACKS);
        event.when |= (uint64_t)RV_EVENT_SWITCH << RV_EVENT_KIND_SHIFT;
    } else if (draw(9000) == 0) {
        event.id = 1;
        event.when |= (uint64_t)RV_EVENT_MARK << RV_EVENT_KIND_SHIFT;
    } else if (*depth == 0 || (*depth < MOST_DEPTH && draw(2))) {
        event.id = ids[*depth] = 1 + (uint32_t)draw(N_IDS);
        event.frame = (uint16_t)(*depth)++;
    } else {
        if (*depth > 3 && draw(60) == 0)
            *depth -= 2; /* a jump */
        event.frame = (uint16_t)-- * depth;
        event.id = ids[*depth];
        event.when |= (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT;
    }
    return event;
}

/* One stream is busy, one has a call now and then. */
static void record(const size_t *n_events, const uint64_t *step_ns, const struct rv_record_limit *limit)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    struct rv_record *recorder = rv_record_create(1);
    struct rv_sink sink = rv_record_sink(recorder);
    struct rv_clock clock = {.kind = RV_CLOCK_MONOTONIC, .mult = 1};
    struct rv_record_totals totals;
    static struct rv_event events[PORTION];
    static struct thread threads[N_STREAMS];
    size_t n_left[N_STREAMS], n_all = 0;
    cr_assert_eq(
        rv_record_start(recorder,
                        &(struct rv_record_params){.path = path, .program = "p", .is_forced = true, .limit = *limit}),
        0);
    sink.begin(sink.context, &clock);
    for (uint32_t i = 1; i <= N_IDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        sink.define(sink.context, &(struct rv_definition){i, "", name, "", i}, 1);
    }
    for (uint32_t i = 0; i < N_STREAMS; i++) {
        threads[i] = (struct thread){.now_ns = 1000000, .step_ns = step_ns[i]};
        struct rv_stream_info info = {.pid = 7, .tid = 10 + i, .process_name = "p", .thread_name = "t", .ring = i};
        sink.open(sink.context, i, &info);
        n_left[i] = n_events[i];
        n_all += n_events[i];
    }
    while (n_all > 0)
        for (uint32_t i = 0; i < N_STREAMS; i++) {
            size_t n = n_left[i] < PORTION ? n_left[i] : PORTION;
            for (size_t k = 0; k < n; k++)
                events[k] = next_event(&threads[i]);
            if (n)
                sink.events(sink.context, i, events, n);
            n_left[i] -= n;
            n_all -= n;
        }
    for (uint32_t i = 0; i < N_STREAMS; i++)
        sink.close(sink.context, i, threads[i].now_ns + 100,
                   &(struct rv_stream_account){n_events[i] + 2, n_events[i], 2});
    sink.end(sink.context);
    cr_assert_eq(rv_record_stop(recorder, &totals), 0);
    rv_record_destroy(recorder);
}

/* ---- comparing ---- */

static struct rv_session *start(struct rv_source *source, uint64_t memory_bytes)
{
    cr_assert_not_null(source);
    struct rv_session *session =
        rv_session_start(&(struct rv_session_params){.n_workers = 2, .memory_bytes = memory_bytes}, source);
    cr_assert(rv_session_wait(session, UINT64_C(1000000000) * WAIT_S));
    return session;
}

static void fetch(struct rv_session *session, uint64_t from_ns, uint64_t to_ns, uint32_t level)
{
    uint64_t until_ns = rv_clock_mono_ns() + UINT64_C(1000000000) * WAIT_S;
    while (rv_session_want(session, from_ns, to_ns, level)) {
        cr_assert_lt(rv_clock_mono_ns(), until_ns, "pages do not come");
        usleep(500);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct rv_box *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->duration_ns != y->duration_ns)
        return x->duration_ns < y->duration_ns ? -1 : 1;
    return x->coverage != y->coverage ? (x->coverage < y->coverage ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

struct boxes {
    struct rv_box *list;
    size_t n, capacity;
};

static void query(struct boxes *boxes, struct rv_lane *lane, const uint64_t window[2], uint32_t level)
{
    pthread_mutex_lock(&lane->lock);
    size_t n = rv_timeline_count(lane->timeline, window[0], window[1], level);
    boxes->list = rv_vec_reserve(boxes->list, &boxes->capacity, n, sizeof *boxes->list);
    boxes->n = rv_timeline_query(lane->timeline, window[0], window[1], level, boxes->list, n);
    pthread_mutex_unlock(&lane->lock);
    cr_assert_leq(boxes->n, n);
    qsort(boxes->list, boxes->n, sizeof *boxes->list, by_place);
}

/* Coverage was rounded once more for each part of a cell; no majority is more right than another where there is none.
 */
static void compare_boxes(const struct boxes *whole, const struct boxes *indexed, uint32_t lane, uint32_t level)
{
    cr_assert_eq(whole->n, indexed->n, "lane %u, level %u: %zu boxes, %zu by index", lane, level, whole->n, indexed->n);
    for (size_t i = 0; i < whole->n; i++) {
        const struct rv_box *a = &whole->list[i], *b = &indexed->list[i];
        cr_assert_eq(a->start_ns, b->start_ns, "lane %u, level %u, box %zu", lane, level, i);
        cr_assert_eq(a->duration_ns, b->duration_ns);
        cr_assert_eq(a->depth, b->depth);
        cr_assert_eq(a->count, b->count, "lane %u, level %u, box %zu: %u calls, %u by index", lane, level, i, a->count,
                     b->count);
        cr_assert_eq(a->flags, b->flags, "lane %u, level %u, box %zu: %x, %x", lane, level, i, a->flags, b->flags);
        if (a->coverage == RV_BOX_EXACT || b->coverage == RV_BOX_EXACT)
            cr_assert_eq(a->id, b->id);
        cr_assert_leq(abs((int)a->coverage - (int)b->coverage), a->coverage == RV_BOX_EXACT ? 0 : 8,
                      "lane %u, level %u, box %zu: %u, %u", lane, level, i, a->coverage, b->coverage);
    }
}

struct pair {
    struct rv_lane *whole, *indexed;
};

/* The lane of the same thread and stack. */
static struct rv_lane *find(struct rv_session *session, const struct rv_lane *like)
{
    struct rv_lanes *lanes = rv_session_lanes(session);
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        if (lane->tid == like->tid && lane->stack == like->stack)
            return lane;
    }
    cr_assert_fail("thread %u has no stack %u", like->tid, like->stack);
    return NULL;
}

static void compare_lane(struct rv_lane *whole, struct rv_lane *indexed)
{
    cr_assert_eq(rv_timeline_n_spans(whole->timeline), rv_timeline_n_spans(indexed->timeline));
    cr_assert_eq(rv_timeline_max_depth(whole->timeline), rv_timeline_max_depth(indexed->timeline));
    cr_assert_eq(whole->last_ns, indexed->last_ns);
    cr_assert_eq(whole->n_notes, indexed->n_notes);
    for (size_t i = 0; i < whole->n_notes; i++)
        cr_assert_eq(whole->notes[i].start_ns, indexed->notes[i].start_ns);
    cr_assert(indexed->has_ended);
}

static void compare_stats(struct rv_session *whole, struct rv_session *indexed)
{
    struct rv_stats *stats[2] = {rv_session_stats(whole), rv_session_stats(indexed)};
    struct rv_stats_row rows[2][N_IDS + 2];
    size_t n = rv_stats_rows(stats[0], rows[0], N_IDS + 2);
    cr_assert_eq(n, rv_stats_rows(stats[1], rows[1], N_IDS + 2));
    cr_assert_eq(n, N_IDS);
    for (size_t i = 0; i < n; i++) {
        const struct rv_stats_row *a = &rows[0][i], *b = &rows[1][i];
        cr_assert_eq(a->id, b->id);
        cr_assert_eq(a->n_calls, b->n_calls, "subroutine %u", a->id);
        cr_assert_eq(a->total_ns, b->total_ns, "subroutine %u", a->id);
        cr_assert_eq(a->self_ns, b->self_ns, "subroutine %u", a->id);
        cr_assert(a->min_ns == b->min_ns && a->p50_ns == b->p50_ns && a->p99_ns == b->p99_ns && a->max_ns == b->max_ns);
    }
    rv_stats_destroy(stats[0]);
    rv_stats_destroy(stats[1]);
}

static void compare_sessions(struct rv_session *whole, struct rv_session *indexed)
{
    struct rv_lanes *lanes = rv_session_lanes(whole);
    struct boxes boxes[2] = {{0}, {0}};
    uint64_t first_ns, last_ns;
    uint32_t n_exact = 0;
    cr_assert_eq(rv_lanes_n(lanes), rv_lanes_n(rv_session_lanes(indexed)));
    cr_assert(rv_lanes_bounds(lanes, &first_ns, &last_ns));
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        compare_lane(lane, find(indexed, lane));
    }
    for (unsigned k = 0; k < N_WINDOWS; k++) {
        uint64_t from_ns = first_ns + draw(last_ns - first_ns), width_ns = UINT64_C(1) << draw(k < 3 ? 40 : 24);
        uint64_t window[2] = {k == 0 ? 0 : from_ns, k == 0 ? UINT64_MAX : from_ns + width_ns};
        uint32_t level = k < N_WINDOWS / 2 ? (uint32_t)draw(RV_TIMELINE_LEVELS) : (uint32_t)draw(4);
        fetch(indexed, window[0], window[1], level);
        for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
            struct rv_lane *lane = rv_lanes_get(lanes, i), *same = find(indexed, lane);
            query(&boxes[0], lane, window, level);
            query(&boxes[1], same, window, level);
            compare_boxes(&boxes[0], &boxes[1], (uint32_t)i, level);
            n_exact += level < rv_timeline_sums_level(same->timeline);
        }
    }
    cr_assert_gt(n_exact, 0);
    free(boxes[0].list);
    free(boxes[1].list);
}

static void leave(void)
{
    unlink(path);
}

TestSuite(indexed, .fini = leave, .timeout = 120);

static struct rv_source *open_indexed(void)
{
    struct rv_source *source;
    cr_assert_eq(rv_indexed_open(&source, path, 0), 0);
    return source;
}

static void compare_both(void)
{
    struct rv_session *whole = start(rv_replay_open(path), 0), *indexed = start(open_indexed(), 0);
    compare_stats(whole, indexed);
    compare_sessions(whole, indexed);
    struct rv_session_counts counts[2];
    rv_session_counts(whole, &counts[0]);
    rv_session_counts(indexed, &counts[1]);
    cr_assert_eq(counts[0].n_produced, counts[1].n_produced);
    cr_assert_eq(counts[0].n_consumed, counts[1].n_consumed);
    cr_assert_eq(counts[0].n_dropped, counts[1].n_dropped);
    cr_assert_eq(counts[0].n_spans, counts[1].n_spans);
    cr_assert_gt(counts[1].n_pages, 0);
    rv_session_destroy(whole);
    rv_session_destroy(indexed);
}

Test(indexed, shows_what_the_whole_shows)
{
    const size_t n_events[N_STREAMS] = {600000, 300000, 5000, 1};
    const uint64_t step_ns[N_STREAMS] = {40, 90, 60000, 10};
    record(n_events, step_ns, &ALL);
    compare_both();
}

Test(indexed, shows_what_the_whole_shows_of_the_newest_events)
{
    const size_t n_events[N_STREAMS] = {900000, 400000, 5000, 1};
    const uint64_t step_ns[N_STREAMS] = {40, 90, 60000, 10};
    record(n_events, step_ns, &(struct rv_record_limit){.n_bytes = 1 << 20});
    compare_both();
}

/* Where nobody has looked there are sums, beside pages too. */
Test(indexed, what_lies_between_pages_is_shown_in_sum)
{
    const size_t n_events[N_STREAMS] = {2000000, 1, 1, 1};
    const uint64_t step_ns[N_STREAMS] = {40, 10, 10, 10};
    struct boxes boxes = {0};
    uint64_t first_ns, last_ns, n_sums = 0, n_mixed = 0;
    record(n_events, step_ns, &ALL);
    struct rv_session *session = start(open_indexed(), 0);
    cr_assert(rv_lanes_bounds(rv_session_lanes(session), &first_ns, &last_ns));
    struct rv_lane *lane = rv_lanes_get(rv_session_lanes(session), 0);
    uint32_t level = rv_timeline_sums_level(lane->timeline) - 1;
    uint64_t all[2] = {0, UINT64_MAX}, middle_ns = first_ns + (last_ns - first_ns) / 2;
    query(&boxes, lane, all, level);
    for (size_t i = 0; i < boxes.n; i++)
        n_sums += boxes.list[i].count;
    fetch(session, middle_ns, middle_ns + 1000, 0);
    query(&boxes, lane, all, level);
    uint64_t first_box_ns = boxes.list[0].start_ns, last_box_ns = boxes.list[boxes.n - 1].start_ns;
    for (size_t i = 0; i < boxes.n; i++)
        n_mixed += boxes.list[i].count;
    cr_assert_leq(first_box_ns, first_ns);
    cr_assert_gt(last_box_ns, middle_ns + (last_ns - middle_ns) / 2);
    cr_assert_leq(n_sums, n_mixed); /* cells at the border are counted whole */
    cr_assert_lt(n_mixed, n_sums + n_sums / 5, "%llu, %llu", (unsigned long long)n_mixed, (unsigned long long)n_sums);
    rv_session_destroy(session);
    free(boxes.list);
}

Test(indexed, small_recordings_are_for_reading_wholly)
{
    const size_t n_events[N_STREAMS] = {1000, 1000, 1000, 1000};
    const uint64_t step_ns[N_STREAMS] = {50, 50, 50, 50};
    record(n_events, step_ns, &ALL);
    struct rv_source *source;
    cr_assert_eq(rv_indexed_open(&source, path, 4001), 0);
    cr_assert_null(source);
    cr_assert_eq(rv_indexed_open(&source, path, 4000), 0);
    cr_assert_not_null(source);
    source->close(source);
}

/* Pages that are on their way have somewhere to go. */
Test(indexed, ends_while_pages_come)
{
    const size_t n_events[N_STREAMS] = {400000, 400000, 5000, 1};
    const uint64_t step_ns[N_STREAMS] = {40, 40, 60000, 10};
    record(n_events, step_ns, &ALL);
    for (unsigned i = 0; i < 20; i++) {
        struct rv_session *session = start(open_indexed(), 0);
        cr_assert_gt(rv_session_want(session, 0, UINT64_MAX, 0), 0);
        usleep(500 * i);
        rv_session_destroy(session);
    }
}

/* A thread that has ended is not looked at any more: nothing of it is read, and what was read may go. */
Test(indexed, what_has_ended_takes_no_pages)
{
    const size_t n_events[N_STREAMS] = {400000, 400000, 5000, 1};
    const uint64_t step_ns[N_STREAMS] = {40, 40, 60000, 10};
    const uint64_t early_ns = 5000000, late_ns = 200000000;
    struct rv_session_counts early, late;
    record(n_events, step_ns, &ALL);
    struct rv_session *session = start(open_indexed(), 0);
    fetch(session, early_ns, early_ns + 1000, 0);
    rv_session_counts(session, &early);
    fetch(session, late_ns, late_ns + 1000, 0);
    rv_session_counts(session, &late);
    cr_assert_eq(early.n_pages, late.n_pages);
    rv_lanes_limit_memory(rv_session_lanes(session), 1);
    cr_assert_eq(rv_session_want(session, late_ns, late_ns + 1000, 0), 0);
    cr_assert_gt(rv_session_want(session, early_ns, early_ns + 1000, 0), 0);
    rv_session_destroy(session);
}
