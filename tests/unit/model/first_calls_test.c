/* Random streams: the first calls are the begin of the list of all. */
#include "model/first_calls.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "spans.h"

#define N_LANES 3u
#define N_IDS 3u
#define MOST_DEPTH 8u

struct world {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    uint64_t last_ns;
};

static void open_frames(struct rv_lane *lane, const struct spans *spans)
{
    lane->open = rv_vec_reserve(NULL, &lane->open_capacity, MOST_DEPTH, sizeof *lane->open);
    for (uint32_t i = 0; i < spans->n_open; i++)
        lane->open[i] = (struct rv_lane_frame){spans->start[i], spans->id[i], i};
    lane->n_open = spans->n_open;
    lane->last_ns = spans->now_ns;
}

/* n finished calls on each lane, of durations below some 2^shift. Subroutines 0 and 2 have one name. */
static void init(struct world *world, uint64_t seed, size_t n, unsigned shift)
{
    *world = (struct world){.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create()};
    for (uint32_t i = 0; i < N_IDS; i++)
        rv_subroutines_define(world->subroutines, i, "", i % 2 ? "odd" : "even", "", 0);
    struct rv_span *made = calloc(n, sizeof *made);
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_lane *lane = rv_lanes_add(
            world->lanes, &(struct rv_lane_identity){.tid = i, .thread = i, .name = i ? "worker" : "main"});
        struct spans spans;
        spans_init(&spans, seed * N_LANES + i, N_IDS, MOST_DEPTH, shift);
        spans.same_time_percent = 0;
        spans_make(&spans, made, n);
        rv_timeline_add(lane->timeline, made, n);
        open_frames(lane, &spans);
        world->last_ns = spans.now_ns > world->last_ns ? spans.now_ns : world->last_ns;
        spans_fini(&spans);
    }
    free(made);
}

static void fini(struct world *world)
{
    rv_lanes_destroy(world->lanes);
    rv_subroutines_destroy(world->subroutines);
}

static bool is_wanted(const void *context)
{
    (void)context;
    return true;
}

static struct rv_call_list find(const struct rv_range_statistics_params *params)
{
    struct rv_call_list list = {0};
    rv_first_calls_find(&list, &(struct rv_first_calls_params){.range = params, .is_wanted = is_wanted});
    return list;
}

static bool is_measured_alike(const struct rv_call *a, const struct rv_call *b)
{
    return a->self_ns == RV_CALL_UNMEASURED ||
           (a->self_ns == b->self_ns && a->total_ns == b->total_ns && a->caller == b->caller);
}

/* Returns how many of the calls are measured. */
static size_t check_begin(const struct rv_call_list *found, const struct rv_call_list *all)
{
    const size_t most = RV_FIRST_CALLS_MOST;
    size_t n_measured = 0;
    cr_assert_eq(found->n, all->n < most ? all->n : most, "%zu of %zu", found->n, all->n);
    for (size_t i = 0; i < found->n; i++) {
        const struct rv_call *a = &found->calls[i], *b = &all->calls[i];
        const bool is_alike = a->duration_ns == b->duration_ns && a->start_ns == b->start_ns;
        cr_assert(is_alike || (all->order >= RV_CALL_LIST_EARLIEST && a->start_ns == b->start_ns), "call %zu", i);
        if (is_alike && a->duration_ns > 0 && a->lane_idx == b->lane_idx &&
            a->depth == b->depth) /* else another may be as good */
            cr_assert(a->id == b->id && a->flags == b->flags && is_measured_alike(a, b), "call %zu", i);
        n_measured += a->self_ns != RV_CALL_UNMEASURED;
        cr_assert_lt(found->by_start[i], found->n);
        cr_assert(i == 0 || found->calls[found->by_start[i - 1]].start_ns <= found->calls[found->by_start[i]].start_ns);
    }
    return n_measured;
}

static size_t check_order(const struct world *world, const uint64_t bounds[2], const struct rv_filter *filter,
                          enum rv_call_list_order order)
{
    const struct rv_range_statistics_params params = {.from_ns = bounds[0],
                                                      .to_ns = bounds[1],
                                                      .lanes = world->lanes,
                                                      .subroutines = world->subroutines,
                                                      .filter = filter,
                                                      .lists_calls = true,
                                                      .calls_of = 2,
                                                      .list_order = order};
    struct rv_range_statistics *range = rv_range_statistics_create(&params);
    struct rv_call_list found = find(&params);
    rv_range_statistics_measure(range);
    const size_t n_measured = check_begin(&found, rv_range_statistics_calls(range));
    rv_call_list_fini(&found);
    rv_range_statistics_destroy(range);
    return n_measured;
}

/* In all orders; returns how many of the longest are measured. */
static size_t check(const struct world *world, const uint64_t bounds[2], const struct rv_filter *filter)
{
    for (int order = RV_CALL_LIST_SHORTEST; order <= RV_CALL_LIST_LATEST; order++)
        (void)check_order(world, bounds, filter, (enum rv_call_list_order)order);
    return check_order(world, bounds, filter, RV_CALL_LIST_LONGEST);
}

Test(first_calls, they_are_the_begin_of_the_list_of_all, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct world world;
        init(&world, seed, 4000, 20);
        cr_assert_gt(check(&world, (uint64_t[2]){0, UINT64_MAX}, NULL), RV_FIRST_CALLS_MEASURED / 2);
        for (uint64_t i = 1; i < 12; i++) {
            const uint64_t from_ns = world.last_ns / 12 * i;
            (void)check(&world, (uint64_t[2]){from_ns, from_ns + 1 + world.last_ns / (i * i * i)}, NULL);
        }
        fini(&world);
    }
}

Test(first_calls, of_too_many_the_first_are_found_and_of_equally_long_ones_the_earlier, .timeout = 60)
{
    static const unsigned shifts[] = {2, 5, 20};
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        struct world world;
        init(&world, 30 + i, 20000, shifts[i]);
        (void)check(&world, (uint64_t[2]){0, UINT64_MAX}, NULL);
        fini(&world);
    }
}

Test(first_calls, a_filter_is_obeyed, .timeout = 60)
{
    static const char *const rules[] = {"thread:work", "depth:>=2", "duration:<2us", "!name:odd"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct world world;
        const struct rv_filter *filter = NULL;
        char why[128];
        init(&world, 40 + i, 3000, 16);
        cr_assert_eq(rv_filter_add(&filter, rules[i], why, sizeof why), 0);
        cr_assert_gt(check(&world, (uint64_t[2]){0, UINT64_MAX}, filter), 0);
        rv_filter_release(filter);
        fini(&world);
    }
}

/* Of a lane of which short calls are only summed, the long ones are known; no shorter one may stand among them. The first in
 * another order are not known. */
Test(first_calls, where_blocks_have_the_short_calls_the_list_ends_before_them, .timeout = 60)
{
    enum { N = 20, LEVEL = 3 };
    struct world world = {.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create()};
    struct rv_lane *lane = rv_lanes_add(world.lanes, &(struct rv_lane_identity){.name = "main"});
    struct rv_span spans[N];
    for (uint64_t i = 0; i < N; i++)
        spans[i] = (struct rv_span){.start = i * 10000000, .end = i * 10000000 + (i + 1) * 150000, .id = 2};
    rv_timeline_add_sums(lane->timeline, &(struct rv_timeline_sums){.level = LEVEL, .spans = spans, .n_spans = N});
    lane->last_ns = spans[N - 1].end + 2000;
    lane->open = rv_vec_reserve(NULL, &lane->open_capacity, 1, sizeof *lane->open);
    lane->open[lane->n_open++] = (struct rv_lane_frame){lane->last_ns - 1000, 2, 0};
    struct rv_range_statistics_params params = {.to_ns = UINT64_MAX,
                                                .lanes = world.lanes,
                                                .subroutines = world.subroutines,
                                                .lists_calls = true,
                                                .calls_of = 2,
                                                .list_order = RV_CALL_LIST_EARLIEST};
    cr_assert_eq(find(&params).n, 0);
    params.list_order = RV_CALL_LIST_LONGEST;
    struct rv_call_list found = find(&params);
    cr_assert_eq(found.n, N);
    for (size_t i = 0; i < N; i++) {
        cr_assert_eq(found.calls[i].duration_ns, (N - i) * 150000);
        cr_assert_eq(found.calls[i].self_ns, RV_CALL_UNMEASURED, "its callees are in blocks");
    }
    rv_call_list_fini(&found);
    fini(&world);
}

Test(first_calls, there_is_none_by_another_kind_of_time, .timeout = 60)
{
    struct world world;
    init(&world, 50, 100, 16);
    struct rv_call_list found = find(&(struct rv_range_statistics_params){.to_ns = UINT64_MAX,
                                                                          .lanes = world.lanes,
                                                                          .subroutines = world.subroutines,
                                                                          .time = RV_TIME_ON_CPU,
                                                                          .lists_calls = true,
                                                                          .calls_of = 2});
    cr_assert_eq(found.n, 0);
    rv_call_list_fini(&found);
    fini(&world);
}
