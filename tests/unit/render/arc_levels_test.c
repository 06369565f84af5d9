/* Arcs at every level of detail against the waits that they fold. */
#include "render/arc_levels.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { N_LANES = 6, N_CALLS = 3, MOST_EDGES = 3000 };

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
                                                .call = below(N_CALLS),
                                                .object = below(4),
                                                .kind = (enum rv_wait_kind)below(RV_WAIT_KIND_COUNT)};
        edges->items[i].waker = below(8) ? &edges->lanes[below(N_LANES)] : NULL;
        edges->items[i].waker_call = below(N_CALLS);
    }
    return edges;
}

static const struct rv_arc_levels *index_of(const struct edges *edges, size_t most)
{
    struct rv_arc_collector collector = {.most = most};
    for (size_t i = 0; i < edges->n; i++)
        rv_arc_collector_add(&collector, &edges->items[i]);
    return rv_arc_levels_create(&collector);
}

static bool has_arc(const struct rv_wait_edge *edge)
{
    return edge->waker && edge->waker->idx != edge->wait.lane;
}

static enum rv_arc_kind kind_of(const struct rv_wait_edge *edge)
{
    const enum rv_wait_kind kind = edge->wait.kind;
    if (kind == RV_WAIT_JOIN || kind == RV_WAIT_PROCESS || kind == RV_WAIT_START)
        return RV_ARC_START;
    if (kind == RV_WAIT_MUTEX || kind == RV_WAIT_READ_LOCK || kind == RV_WAIT_WRITE_LOCK || kind == RV_WAIT_FILE_LOCK)
        return RV_ARC_LOCK;
    if ((kind >= RV_WAIT_READ && kind <= RV_WAIT_SYNC) || kind == RV_WAIT_MESSAGE || kind == RV_WAIT_FULL_RING)
        return RV_ARC_TRANSFER;
    return RV_ARC_SIGNAL;
}

struct sums {
    struct {
        uint64_t n, ns, longest_ns;
    } of[N_LANES][N_LANES][RV_ARC_KIND_COUNT][N_CALLS][N_CALLS];
};

static void add(struct sums *sums, uint32_t from, uint32_t to, uint32_t kind, const uint32_t calls[2],
                const uint64_t added[3])
{
    sums->of[from][to][kind][calls[0]][calls[1]].n += added[0];
    sums->of[from][to][kind][calls[0]][calls[1]].ns += added[1];
    if (added[2] > sums->of[from][to][kind][calls[0]][calls[1]].longest_ns)
        sums->of[from][to][kind][calls[0]][calls[1]].longest_ns = added[2];
}

static struct sums *sum_edges(const struct edges *edges)
{
    struct sums *sums = calloc(1, sizeof *sums);
    for (size_t i = 0; i < edges->n; i++) {
        const struct rv_wait_edge *edge = &edges->items[i];
        const uint64_t n_ns = edge->wait.end_ns - edge->wait.start_ns;
        if (!has_arc(edge))
            continue;
        const uint32_t from = edge->waker->idx, to = edge->wait.lane, kind = kind_of(edge);
        add(sums, from, to, kind, (const uint32_t[2]){edge->waker_call, edge->wait.call},
            (const uint64_t[3]){1, n_ns, n_ns});
    }
    return sums;
}

/* Its longest one is of these lanes, subroutines and object. */
static bool has_wait(const struct edges *edges, const struct rv_arc *arc)
{
    for (size_t i = 0; i < edges->n; i++) {
        const struct rv_wait_edge *edge = &edges->items[i];
        if (has_arc(edge) && edge->wait.end_ns == arc->to_ns && edge->wait.lane == arc->to_lane &&
            edge->waker->idx == arc->from_lane && edge->waker_call == arc->from_call &&
            edge->wait.call == arc->to_call && edge->wait.object == arc->object &&
            edge->wait.end_ns - edge->wait.start_ns == arc->longest_ns)
            return true;
    }
    return false;
}

static struct sums *sum_level(const struct rv_arc_levels *index, size_t level, const struct edges *edges)
{
    struct sums *sums = calloc(1, sizeof *sums);
    size_t n;
    const struct rv_arc *arcs = rv_arc_levels_window(index, level, 0, UINT64_MAX, &n);
    for (size_t i = 0; i < n; i++) {
        const struct rv_arc *arc = &arcs[i];
        add(sums, arc->from_lane, arc->to_lane, arc->kind, (const uint32_t[2]){arc->from_call, arc->to_call},
            (const uint64_t[3]){arc->n, arc->total_ns, arc->longest_ns});
        cr_assert(has_wait(edges, arc));
        cr_assert_leq(arc->from_ns, arc->to_ns);
        cr_assert(level > 0 || !rv_arc_levels_is_exact(index) || arc->n == 1);
    }
    return sums;
}

/* With every third seed there are too many for single ones. */
Test(arc_levels, each_level_sums_up_to_the_waits, .timeout = 60)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct edges *edges = make(seed, 1 + below(MOST_EDGES - 1), seed % 4 ? 300 : 100000);
        const struct rv_arc_levels *index = index_of(edges, seed % 3 ? 0 : 300);
        struct sums *wanted = sum_edges(edges);
        size_t n_before = SIZE_MAX;
        for (size_t level = 0; level < rv_arc_levels_n_levels(index); level++) {
            struct sums *sums = sum_level(index, level, edges);
            size_t n;
            cr_assert_arr_eq(sums, wanted, sizeof *sums, "seed %u: level %zu", seed, level);
            (void)rv_arc_levels_window(index, level, 0, UINT64_MAX, &n);
            cr_assert_lt(n, n_before);
            n_before = n;
            free(sums);
        }
        rv_arc_levels_release(index);
        free(wanted);
        free(edges);
    }
}

/* All waits that end in it are in the arcs of a window, whatever the level. */
Test(arc_levels, kinds_that_are_left_out_are_not_there_and_all_others_are, .timeout = 60)
{
    struct edges *edges = make(7, 2000, 300);
    for (unsigned left_out = 0; left_out < 1u << RV_ARC_KIND_COUNT; left_out++) {
        struct rv_arc_collector collector = {.left_out = left_out};
        size_t n, n_wanted = 0;
        for (size_t i = 0; i < edges->n; i++) {
            rv_arc_collector_add(&collector, &edges->items[i]);
            n_wanted += has_arc(&edges->items[i]) && !(left_out & 1u << kind_of(&edges->items[i]));
        }
        const struct rv_arc_levels *index = rv_arc_levels_create(&collector);
        n = 0;
        if (rv_arc_levels_n_levels(index))
            (void)rv_arc_levels_window(index, 0, 0, UINT64_MAX, &n);
        cr_assert_eq(n, n_wanted);
        rv_arc_levels_release(index);
    }
    free(edges);
}

Test(arc_levels, a_window_has_all_that_ended_in_it, .timeout = 60)
{
    struct edges *edges = make(5, MOST_EDGES, 2000);
    const struct rv_arc_levels *index = index_of(edges, 0);
    for (int i = 0; i < 100; i++) {
        const uint64_t from_ns = 1000000 + below(3000000), to_ns = from_ns + below(500000);
        uint64_t n_ended = 0;
        for (size_t k = 0; k < edges->n; k++)
            n_ended += has_arc(&edges->items[k]) && edges->items[k].wait.end_ns >= from_ns &&
                       edges->items[k].wait.end_ns <= to_ns;
        for (size_t level = 0; level < rv_arc_levels_n_levels(index); level++) {
            uint64_t n_waits = 0;
            size_t n;
            const struct rv_arc *arcs = rv_arc_levels_window(index, level, from_ns, to_ns, &n);
            for (size_t k = 0; k < n; k++)
                n_waits += arcs[k].n;
            if (level == 0)
                cr_assert_eq(n_waits, n_ended);
            cr_assert_geq(n_waits, n_ended);
        }
    }
    rv_arc_levels_release(index);
    free(edges);
}

Test(arc_levels, the_finest_level_that_has_few_enough_is_chosen)
{
    struct edges *edges = make(9, MOST_EDGES, 2000);
    const struct rv_arc_levels *index = index_of(edges, 0);
    const size_t last = rv_arc_levels_n_levels(index) - 1;
    size_t n, n_finer;
    cr_assert_gt(last, 1);
    cr_expect_eq(rv_arc_levels_choose(index, 0, UINT64_MAX, SIZE_MAX), 0);
    cr_expect_eq(rv_arc_levels_choose(index, 0, UINT64_MAX, 0), last);
    for (size_t most = 100; most < 2000; most += 200) {
        const size_t level = rv_arc_levels_choose(index, 0, UINT64_MAX, most);
        (void)rv_arc_levels_window(index, level, 0, UINT64_MAX, &n);
        cr_expect(n <= most || level == last);
        (void)rv_arc_levels_window(index, level ? level - 1 : 0, 0, UINT64_MAX, &n_finer);
        cr_expect(level == 0 || n_finer > most);
    }
    rv_arc_levels_release(index);
    free(edges);
}

Test(arc_levels, more_pairs_of_calls_than_may_be_kept_are_kept, .timeout = 60)
{
    enum { N_PAIRS = 100000 };
    struct rv_arc_collector collector = {.most = 1000};
    struct rv_lane waker = {.idx = 1};
    size_t n;
    for (uint32_t i = 0; i < N_PAIRS; i++)
        rv_arc_collector_add(&collector,
                             &(struct rv_wait_edge){.wait = {.end_ns = 1000 * (i + 1), .call = i}, .waker = &waker});
    const struct rv_arc_levels *index = rv_arc_levels_create(&collector);
    (void)rv_arc_levels_window(index, 0, 0, UINT64_MAX, &n);
    cr_assert_eq(n, (size_t)N_PAIRS);
    cr_assert_not(rv_arc_levels_is_exact(index));
    rv_arc_levels_release(index);
}

Test(arc_levels, without_wakers_there_are_no_levels)
{
    struct rv_arc_collector collector = {.n = 0};
    rv_arc_collector_add(&collector, &(struct rv_wait_edge){.wait = {.end_ns = 5}});
    const struct rv_arc_levels *index = rv_arc_levels_hold(rv_arc_levels_create(&collector));
    rv_arc_levels_release(index);
    cr_expect_eq(rv_arc_levels_n_levels(index), 0);
    rv_arc_levels_release(index);
}

Test(arc_levels, flows_lead_from_lane_to_lane_and_tasks_from_the_end_of_a_turn)
{
    struct rv_flow_step steps[] = {{.at_ns = 10, .until_ns = 10, .lane = 0, .call = 4},
                                   {.at_ns = 20, .until_ns = 20, .lane = 0, .call = 5},
                                   {.at_ns = 30, .until_ns = 30, .lane = 1, .call = 6},
                                   {.at_ns = 40, .until_ns = 55, .lane = 1, .call = 7},
                                   {.at_ns = 60, .until_ns = UINT64_MAX, .lane = 2, .call = 8},
                                   {.at_ns = 90, .until_ns = 95, .lane = 1, .call = 9}};
    struct rv_flow flows[] = {{.name = 1, .first = 0, .n = 3}, {.name = 2, .is_task = true, .first = 3, .n = 3}};
    const struct rv_flow_table table = {.steps = steps, .n_steps = 6, .flows = flows, .n_flows = 2};
    struct rv_arc_collector collector = {.n = 0};
    rv_arc_collector_add_flows(&collector, &table, 0, 90);
    const struct rv_arc_levels *index = rv_arc_levels_create(&collector);
    size_t n;
    const struct rv_arc *arcs = rv_arc_levels_window(index, 0, 0, 100, &n);
    cr_assert_eq(n, 2);
    cr_assert(arcs[0].kind == RV_ARC_FLOW && arcs[0].object == 1 && arcs[0].from_call == 5 && arcs[0].to_call == 6);
    cr_assert(arcs[0].from_ns == 20 && arcs[0].to_ns == 30 && arcs[0].to_lane == 1 && arcs[0].total_ns == 10);
    cr_assert(arcs[1].object == 2 && arcs[1].from_ns == 55 && arcs[1].to_ns == 60 && arcs[1].to_lane == 2);
    rv_arc_levels_release(index);
}
