#include "sessions.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "model/timeline_query.h"
#include "pipeline/history_on_disk.h"
#include "recorded.h"

enum { WAIT_S = 60 };

struct rv_session *sessions_start(struct rv_source *source, uint64_t memory_bytes, struct rv_history *history)
{
    cr_assert_not_null(source);
    struct rv_sink sink = {0};
    if (history)
        sink = rv_history_sink(history);
    struct rv_session *session = rv_session_start(&(struct rv_session_params){.n_workers = 2,
                                                                              .memory_bytes = memory_bytes,
                                                                              .keeps_waits = true,
                                                                              .sinks = &sink,
                                                                              .n_sinks = history ? 1 : 0,
                                                                              .history = history},
                                                  source);
    cr_assert(rv_session_wait(session, UINT64_C(1000000000) * WAIT_S));
    return session;
}

void sessions_fetch(struct rv_session *session, uint64_t from_ns, uint64_t to_ns, uint32_t level)
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

void sessions_query(struct sessions_boxes *boxes, struct rv_lane *lane, const uint64_t window[2], uint32_t level)
{
    pthread_rwlock_wrlock(&lane->lock);
    size_t n = rv_timeline_query_count(lane->timeline, window[0], window[1], level);
    boxes->list = rv_vec_reserve(boxes->list, &boxes->capacity, n, sizeof *boxes->list);
    boxes->n = rv_timeline_query_boxes(lane->timeline, window[0], window[1], level, boxes->list, n);
    pthread_rwlock_unlock(&lane->lock);
    cr_assert_leq(boxes->n, n);
    qsort(boxes->list, boxes->n, sizeof *boxes->list, by_place);
}

/* Coverage may differ by one rounding for each part of a cell; the subroutine may differ where none has a majority. */
void sessions_compare_boxes(const struct sessions_boxes *whole, const struct sessions_boxes *indexed, uint32_t lane,
                            uint32_t level)
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

/* The lane of the same thread and stack. */
size_t sessions_compare_stats(const struct rv_stats *whole, const struct rv_stats *indexed)
{
    struct rv_stats_row rows[2][RECORDED_IDS + 2];
    size_t n = rv_stats_rows(whole, rows[0], RECORDED_IDS + 2);
    cr_assert_eq(n, rv_stats_rows(indexed, rows[1], RECORDED_IDS + 2));
    for (size_t i = 0; i < n; i++) {
        const struct rv_stats_row *a = &rows[0][i], *b = &rows[1][i];
        cr_assert_eq(a->id, b->id);
        cr_assert_eq(a->n_calls, b->n_calls, "subroutine %u: %llu calls, %llu by index", a->id,
                     (unsigned long long)a->n_calls, (unsigned long long)b->n_calls);
        cr_assert_eq(a->total_ns, b->total_ns, "subroutine %u", a->id);
        cr_assert_eq(a->inner_ns, b->inner_ns, "subroutine %u", a->id);
        cr_assert_eq(a->self_ns, b->self_ns, "subroutine %u", a->id);
        cr_assert(a->min_ns == b->min_ns && a->p50_ns == b->p50_ns && a->p99_ns == b->p99_ns && a->max_ns == b->max_ns);
    }
    return n;
}

struct rv_lane *sessions_find(struct rv_session *session, const struct rv_lane *like)
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
