/* A picture has arcs for the longest of its waits, and few at a time. */
#include "render/arc_list.h"

#include <criterion/criterion.h>

enum { N_LANES = 2, N_SHORT = 60 };

static const uint64_t FROM_NS = 1000000000, WIDTH_NS = 100000000;

/* N_SHORT waits: the first n_long of 40 ms, the others of 0.1 ms. */
static const struct rv_arc_levels *make_arcs(struct rv_lane *waker, uint32_t n_long)
{
    struct rv_arc_collector collector = {.n = 0};
    for (uint32_t i = 0; i < N_SHORT; i++) {
        const uint64_t end_ns = FROM_NS + 50000000 + i * 700000, n_ns = i < n_long ? 40000000 : 100000;
        const struct rv_wait_edge edge = {
            .wait = {.start_ns = end_ns - n_ns, .woke_ns = end_ns - 1000, .end_ns = end_ns, .lane = 0}, .waker = waker};
        rv_arc_collector_add(&collector, &edge);
    }
    return rv_arc_levels_create(&collector);
}

static void list(struct rv_arc_list *arcs, uint32_t n_long)
{
    struct rv_lane waker = {.idx = 1};
    uint32_t members[N_LANES] = {0, 1};
    struct rv_view_lane lanes[N_LANES] = {{.n_members = 1}, {.lane_idx = 1, .first_member = 1, .n_members = 1}};
    const struct rv_view view = {.from_ns = FROM_NS,
                                 .to_ns = FROM_NS + WIDTH_NS,
                                 .until_ns = UINT64_MAX,
                                 .lanes = lanes,
                                 .n_lanes = N_LANES,
                                 .members = members};
    const struct rv_arc_levels *index = make_arcs(&waker, n_long);
    *arcs = (struct rv_arc_list){.n = 0};
    rv_arc_list_make(arcs, index, &view, &view);
    cr_assert_eq(arcs->n, N_SHORT);
    rv_arc_levels_release(index);
}

Test(arc_list, a_wait_that_takes_much_of_the_picture_stands_out, .timeout = 60)
{
    struct rv_arc_list arcs;
    list(&arcs, 1);
    cr_expect_gt(arcs.items[0].strength, 0.99f);
    for (size_t i = 1; i < arcs.n; i++)
        cr_expect_lt(arcs.items[i].strength, 0.11f);
    rv_arc_list_fini(&arcs);
}

Test(arc_list, few_of_many_long_waits_stand_out, .timeout = 60)
{
    struct rv_arc_list arcs;
    unsigned n_strong = 0;
    list(&arcs, N_SHORT);
    for (size_t i = 0; i < arcs.n; i++)
        n_strong += arcs.items[i].strength > 0.5f;
    cr_expect_lt(n_strong, 12);
    cr_expect_gt(arcs.items[0].strength, 0.99f);
    rv_arc_list_fini(&arcs);
}

enum { N_THREADS = 1500 };

/* A thread starts, or awaits, very many: at one moment, or one after the other over all of the picture. */
static void list_starts(struct rv_arc_list *arcs, enum rv_wait_kind kind, uint64_t apart_ns)
{
    static struct rv_view_lane lanes[N_THREADS + 1];
    static uint32_t members[N_THREADS + 1];
    static struct rv_lane wakers[N_THREADS + 1];
    struct rv_arc_collector collector = {.n = 0};
    for (uint32_t i = 0; i <= N_THREADS; i++) {
        lanes[i] = (struct rv_view_lane){.lane_idx = i, .first_member = i, .n_members = 1};
        members[i] = wakers[i].idx = i;
    }
    for (uint32_t i = 1; i <= N_THREADS; i++) {
        const uint64_t end_ns = FROM_NS + 1000000 + i * apart_ns, n_ns = 1000 + i;
        const bool is_start = kind == RV_WAIT_START;
        const struct rv_wait_edge edge = {.wait = {.start_ns = end_ns - n_ns,
                                                   .woke_ns = is_start ? end_ns - n_ns : end_ns,
                                                   .end_ns = end_ns,
                                                   .lane = is_start ? i : 0,
                                                   .kind = kind},
                                          .waker = &wakers[is_start ? 0 : i]};
        rv_arc_collector_add(&collector, &edge);
    }
    const struct rv_view view = {.from_ns = FROM_NS,
                                 .to_ns = FROM_NS + WIDTH_NS,
                                 .until_ns = UINT64_MAX,
                                 .lanes = lanes,
                                 .n_lanes = N_THREADS + 1,
                                 .members = members};
    const struct rv_arc_levels *index = rv_arc_levels_create(&collector);
    *arcs = (struct rv_arc_list){.n = 0};
    rv_arc_list_make(arcs, index, &view, &view);
    rv_arc_levels_release(index);
}

Test(arc_list, starts_and_ends_of_very_many_threads_are_a_few_arcs, .timeout = 60)
{
    static const enum rv_wait_kind KINDS[] = {RV_WAIT_START, RV_WAIT_JOIN};
    for (size_t i = 0; i < 2; i++)
        for (uint64_t apart_ns = 10; apart_ns <= 60000; apart_ns += 59990) {
            struct rv_arc_list arcs;
            uint32_t n_starts = 0;
            list_starts(&arcs, KINDS[i], apart_ns);
            cr_expect_leq(arcs.n, apart_ns == 10 ? 1 : 50, "%zu arcs", arcs.n);
            cr_expect_eq(arcs.n_left, 0);
            for (size_t j = 0; j < arcs.n; j++) {
                n_starts += arcs.items[j].arc.n;
                cr_expect_eq(arcs.items[j].arc.n_others, arcs.items[j].arc.n - 1);
            }
            cr_expect_eq(n_starts, N_THREADS);
            rv_arc_list_fini(&arcs);
        }
}

Test(arc_list, many_waits_for_locks_stay_apart, .timeout = 60)
{
    struct rv_arc_list arcs;
    list_starts(&arcs, RV_WAIT_MUTEX, 10);
    cr_expect_eq(arcs.n, RV_ARC_LIST_MOST);
    cr_expect_eq(arcs.n_left, N_THREADS - RV_ARC_LIST_MOST);
    rv_arc_list_fini(&arcs);
}

static float rise_between(float z)
{
    struct rv_lane_layout_lane lanes[N_LANES] = {{.row_height = 1.0f}, {.row_height = 1.0f, .z = z}};
    const struct rv_lane_layout layout = {.to_ns = 1, .lanes = lanes, .n_lanes = N_LANES, .width = 20.0f, .row = 0.3f};
    const struct rv_arc_item item = {.to_lane = 1};
    return rv_arc_curve_of(&layout, &item).rise;
}

Test(arc_list, an_arc_rises_by_its_way_but_not_out_of_the_picture, .timeout = 60)
{
    cr_expect_gt(rise_between(4.0f), rise_between(1.0f));
    cr_expect_float_eq(rise_between(40.0f), rise_between(400.0f), 1e-6f);
    cr_expect_lt(rise_between(400.0f), 2.0f);
}
