/* Arcs at every level of detail against the waits that they fold. */
#include "render/arc_index.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { N_LANES = 6, MOST_EDGES = 3000 };

static uint32_t state;

static uint32_t below(uint32_t n)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
}

struct edges {
    struct rv_lane lanes[N_LANES];
    struct rv_wait_edge items[MOST_EDGES];
    size_t n;
};

/* Some without a waker, some whose waker is on their own lane: they have no arc. */
static struct edges *make(uint32_t seed, size_t n, uint32_t step_ns)
{
    struct edges *edges = calloc(1, sizeof *edges);
    uint64_t now_ns = 1000000;
    state = seed;
    edges->n = n;
    for (uint32_t i = 0; i < N_LANES; i++)
        edges->lanes[i].idx = i;
    for (size_t i = 0; i < n; i++) {
        const uint64_t n_ns = below(5000);
        now_ns += below(step_ns);
        edges->items[i].wait = (struct rv_wait){.start_ns = now_ns - n_ns,
                                                .end_ns = now_ns,
                                                .woke_ns = below(2) ? now_ns - below(20) : 0,
                                                .lane = below(N_LANES),
                                                .kind = (enum rv_wait_kind)below(RV_WAIT_KIND_COUNT)};
        edges->items[i].waker = below(8) ? &edges->lanes[below(N_LANES)] : NULL;
    }
    return edges;
}

static bool has_arc(const struct rv_wait_edge *edge)
{
    return edge->waker && edge->waker->idx != edge->wait.lane;
}

static bool is_lock(const struct rv_wait_edge *edge)
{
    return edge->wait.kind == RV_WAIT_MUTEX || edge->wait.kind == RV_WAIT_READ_LOCK ||
           edge->wait.kind == RV_WAIT_WRITE_LOCK;
}

struct sums {
    uint64_t n[N_LANES][N_LANES][2], ns[N_LANES][N_LANES][2], longest_ns[N_LANES][N_LANES][2];
};

static struct sums sum_edges(const struct edges *edges)
{
    struct sums sums = {0};
    for (size_t i = 0; i < edges->n; i++) {
        const struct rv_wait_edge *edge = &edges->items[i];
        const uint64_t n_ns = edge->wait.end_ns - edge->wait.start_ns;
        if (!has_arc(edge))
            continue;
        const uint32_t from = edge->waker->idx, to = edge->wait.lane, kind = is_lock(edge) ? RV_ARC_LOCK : RV_ARC_OTHER;
        sums.n[from][to][kind]++;
        sums.ns[from][to][kind] += n_ns;
        if (n_ns > sums.longest_ns[from][to][kind])
            sums.longest_ns[from][to][kind] = n_ns;
    }
    return sums;
}

static struct sums sum_level(const struct rv_arc_index *index, size_t level, const struct edges *edges)
{
    struct sums sums = {0};
    size_t n;
    const struct rv_arc *arcs = rv_arc_index_window(index, level, 0, UINT64_MAX, &n);
    for (size_t i = 0; i < n; i++) {
        const struct rv_arc *arc = &arcs[i];
        const struct rv_wait *longest = &edges->items[arc->longest].wait;
        sums.n[arc->from_lane][arc->to_lane][arc->kind] += arc->n;
        sums.ns[arc->from_lane][arc->to_lane][arc->kind] += arc->total_ns;
        if (arc->longest_ns > sums.longest_ns[arc->from_lane][arc->to_lane][arc->kind])
            sums.longest_ns[arc->from_lane][arc->to_lane][arc->kind] = arc->longest_ns;
        cr_assert_eq(arc->longest_ns, longest->end_ns - longest->start_ns);
        cr_assert_eq(arc->to_ns, longest->end_ns);
        cr_assert_leq(arc->from_ns, arc->to_ns);
        cr_assert(level > 0 || arc->n == 1);
    }
    return sums;
}

Test(arc_index, each_level_sums_up_to_the_waits, .timeout = 60)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct edges *edges = make(seed, 1 + below(MOST_EDGES - 1), seed % 4 ? 300 : 100000);
        const struct rv_arc_index *index = rv_arc_index_create(edges->items, edges->n);
        const struct sums wanted = sum_edges(edges);
        size_t n_before = SIZE_MAX;
        for (size_t level = 0; level < rv_arc_index_n_levels(index); level++) {
            const struct sums sums = sum_level(index, level, edges);
            size_t n;
            cr_assert_arr_eq(&sums, &wanted, sizeof sums, "seed %u: level %zu", seed, level);
            (void)rv_arc_index_window(index, level, 0, UINT64_MAX, &n);
            cr_assert_lt(n, n_before);
            n_before = n;
        }
        rv_arc_index_release(index);
        free(edges);
    }
}

/* All waits that end in it are in the arcs of a window, whatever the level. */
Test(arc_index, a_window_has_all_that_ended_in_it, .timeout = 60)
{
    struct edges *edges = make(5, MOST_EDGES, 2000);
    const struct rv_arc_index *index = rv_arc_index_create(edges->items, edges->n);
    for (int i = 0; i < 100; i++) {
        const uint64_t from_ns = 1000000 + below(3000000), to_ns = from_ns + below(500000);
        uint64_t n_ended = 0;
        for (size_t k = 0; k < edges->n; k++)
            n_ended += has_arc(&edges->items[k]) && edges->items[k].wait.end_ns >= from_ns &&
                       edges->items[k].wait.end_ns <= to_ns;
        for (size_t level = 0; level < rv_arc_index_n_levels(index); level++) {
            uint64_t n_waits = 0;
            size_t n;
            const struct rv_arc *arcs = rv_arc_index_window(index, level, from_ns, to_ns, &n);
            for (size_t k = 0; k < n; k++)
                n_waits += arcs[k].n;
            if (level == 0)
                cr_assert_eq(n_waits, n_ended);
            cr_assert_geq(n_waits, n_ended);
        }
    }
    rv_arc_index_release(index);
    free(edges);
}

Test(arc_index, the_finest_level_that_has_few_enough_is_chosen)
{
    struct edges *edges = make(9, MOST_EDGES, 2000);
    const struct rv_arc_index *index = rv_arc_index_create(edges->items, edges->n);
    const size_t last = rv_arc_index_n_levels(index) - 1;
    size_t n, n_finer;
    cr_assert_gt(last, 1);
    cr_expect_eq(rv_arc_index_choose(index, 0, UINT64_MAX, SIZE_MAX), 0);
    cr_expect_eq(rv_arc_index_choose(index, 0, UINT64_MAX, 0), last);
    for (size_t most = 100; most < 2000; most += 200) {
        const size_t level = rv_arc_index_choose(index, 0, UINT64_MAX, most);
        (void)rv_arc_index_window(index, level, 0, UINT64_MAX, &n);
        cr_expect(n <= most || level == last);
        (void)rv_arc_index_window(index, level ? level - 1 : 0, 0, UINT64_MAX, &n_finer);
        cr_expect(level == 0 || n_finer > most);
    }
    rv_arc_index_release(index);
    free(edges);
}

Test(arc_index, without_wakers_there_are_no_levels)
{
    const struct rv_wait_edge edge = {.wait = {.end_ns = 5}};
    const struct rv_arc_index *index = rv_arc_index_hold(rv_arc_index_create(&edge, 1));
    rv_arc_index_release(index);
    cr_expect_eq(rv_arc_index_n_levels(index), 0);
    rv_arc_index_release(index);
}
