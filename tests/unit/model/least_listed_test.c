/* Lists of many calls, of random durations, compared with all of them sorted. */
#include "model/least_listed.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "model/range_statistics.h"

enum { N_LANES = 2, N_OF_LANE = 2 * RV_CALL_LIST_MOST, LISTED = 1, OTHER = 2 };

struct world {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_span *calls; /* those that are listed */
    size_t n;
    uint64_t last_ns;
};

/* Two calls in three are listed; durations of all buckets up to 16 ms, many of them equal. */
static void world_init(struct world *world)
{
    *world = (struct world){.lanes = rv_lanes_create(),
                            .subroutines = rv_subroutines_create(),
                            .calls = calloc((size_t)N_LANES * N_OF_LANE, sizeof *world->calls)};
    uint64_t random = 1;
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_lane *lane = rv_lanes_add(world->lanes, &(struct rv_lane_identity){.tid = i, .thread = i});
        uint64_t now_ns = 1000 + i;
        for (size_t j = 0; j < N_OF_LANE; j++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const uint64_t duration_ns = (random >> 40) >> (random >> 33 & 15);
            const struct rv_span span = {
                .start = now_ns, .end = now_ns + duration_ns, .id = random >> 20 & 3 ? LISTED : OTHER};
            rv_timeline_add(lane->timeline, &span, 1);
            if (span.id == LISTED)
                world->calls[world->n++] = span;
            now_ns = span.end + 2;
        }
        lane->last_ns = now_ns;
        world->last_ns = rv_clock_later_ns(world->last_ns, now_ns);
    }
}

static void world_fini(struct world *world)
{
    rv_lanes_destroy(world->lanes);
    rv_subroutines_destroy(world->subroutines);
    free(world->calls);
}

static uint64_t duration_of(const struct rv_span *span)
{
    return span->end - span->start;
}

static int longer_first(const void *a, const void *b)
{
    const struct rv_span *x = a, *y = b;
    if (duration_of(x) != duration_of(y))
        return duration_of(x) > duration_of(y) ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Those of a range, of durations less than a limit. Returns their number. */
static size_t sort_calls_of(const struct world *world, const uint64_t range_ns[2], uint64_t limit_ns,
                            struct rv_span *sorted)
{
    size_t n = 0;
    for (size_t i = 0; i < world->n; i++)
        if (world->calls[i].start < range_ns[1] && world->calls[i].end > range_ns[0] &&
            duration_of(&world->calls[i]) < limit_ns)
            sorted[n++] = world->calls[i];
    qsort(sorted, n, sizeof *sorted, longer_first);
    return n;
}

static void expect_longest(const struct world *world, const uint64_t range_ns[2], const char *rule, uint64_t limit_ns)
{
    char why[128];
    const struct rv_filter *filter = NULL;
    struct rv_span *sorted = calloc(world->n, sizeof *sorted);
    const size_t n = sort_calls_of(world, range_ns, limit_ns, sorted);
    if (rule)
        cr_assert_eq(rv_filter_add(&filter, rule, why, sizeof why), 0, "%s", why);
    struct rv_range_statistics *range =
        rv_range_statistics_create(&(struct rv_range_statistics_params){.from_ns = range_ns[0],
                                                                        .to_ns = range_ns[1],
                                                                        .lanes = world->lanes,
                                                                        .subroutines = world->subroutines,
                                                                        .filter = filter,
                                                                        .lists_calls = true,
                                                                        .calls_of = LISTED});
    rv_range_statistics_measure(range);
    const struct rv_call_list *list = rv_range_statistics_calls(range);
    cr_assert_eq(list->n_calls, n);
    cr_assert_eq(list->n, n < RV_CALL_LIST_MOST ? n : RV_CALL_LIST_MOST);
    for (size_t i = 0; i < list->n; i++) {
        cr_assert_eq(list->calls[i].start_ns, sorted[i].start, "call %zu", i);
        cr_assert_eq(list->calls[i].duration_ns, duration_of(&sorted[i]), "call %zu", i);
    }
    rv_range_statistics_destroy(range);
    rv_filter_release(filter);
    free(sorted);
}

Test(least_listed, the_longest_of_many_calls_are_listed, .timeout = 60)
{
    struct world world;
    world_init(&world);
    expect_longest(&world, (const uint64_t[2]){0, UINT64_MAX}, NULL, UINT64_MAX);
    expect_longest(&world, (const uint64_t[2]){world.last_ns / 8, world.last_ns / 8 * 7}, NULL, UINT64_MAX);
    expect_longest(&world, (const uint64_t[2]){world.last_ns / 2, world.last_ns / 2 + 1000000}, NULL, UINT64_MAX);
    expect_longest(&world, (const uint64_t[2]){0, UINT64_MAX}, "duration:<40us", 40000);
    world_fini(&world);
}

Test(least_listed, it_leaves_out_nearly_all_that_are_not_among_the_longest, .timeout = 60)
{
    struct world world;
    struct rv_range_piece pieces[N_LANES];
    world_init(&world);
    for (uint32_t i = 0; i < N_LANES; i++)
        pieces[i] = (struct rv_range_piece){.known_ns = world.last_ns, .to_ns = UINT64_MAX, .lane_idx = i};
    const struct rv_range_scope scope = {
        .to_ns = UINT64_MAX, .lanes = world.lanes, .lists_calls = true, .calls_of = LISTED};
    const uint64_t least_ns = rv_least_listed_ns(&scope, pieces, N_LANES);
    size_t n = 0;
    for (size_t i = 0; i < world.n; i++)
        n += duration_of(&world.calls[i]) >= least_ns;
    cr_assert_geq(n, RV_CALL_LIST_MOST);
    cr_assert_leq(n, RV_CALL_LIST_MOST + RV_CALL_LIST_MOST / 4);
    world_fini(&world);
}
