#include "model/call_list.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Durations in an order that is neither rising nor falling. */
static uint64_t duration_of(uint64_t i, uint64_t n)
{
    return i * 7919 % n;
}

static struct rv_call_list make(uint64_t n)
{
    struct rv_call_list list = {0};
    for (uint64_t i = 0; i < n; i++)
        rv_call_list_add(&list, &(struct rv_call){.start_ns = 1000 * i,
                                                  .duration_ns = duration_of(i, n),
                                                  .self_ns = 1,
                                                  .total_ns = 2,
                                                  .lane_idx = (uint32_t)(i % 3),
                                                  .caller = (uint32_t)(i % 2)});
    rv_call_list_finish(&list);
    return list;
}

Test(call_list, of_too_many_calls_the_longest_are_kept_and_all_are_counted, .timeout = 60)
{
    uint64_t n = 3 * (uint64_t)RV_CALL_LIST_MOST + 5, n_summed = 0;
    struct rv_call_list list = make(n);
    cr_assert_eq(list.n, RV_CALL_LIST_MOST);
    cr_assert_eq(list.n_calls, n);
    for (size_t i = 0; i < list.n; i++)
        cr_assert_eq(list.calls[i].duration_ns, n - 1 - i);
    for (size_t i = 0; i < list.by_caller.n; i++)
        n_summed += list.by_caller.sums[i].n_calls;
    cr_assert_eq(list.by_caller.n, 6);
    cr_assert_eq(n_summed, n);
    rv_call_list_fini(&list);
}

Test(call_list, an_order_sorts_by_its_column_and_keeps_equal_ones, .timeout = 60)
{
    const uint32_t ranks[] = {2, 0, 1};
    struct rv_call_list list = make(1000);
    uint32_t *order = rv_call_list_take_order(&list, RV_CALL_THREAD, false, ranks);
    for (size_t i = 1; i < list.n; i++) {
        uint32_t before = ranks[list.calls[order[i - 1]].lane_idx], at = ranks[list.calls[order[i]].lane_idx];
        cr_assert(before < at || (before == at && order[i - 1] < order[i]));
    }
    free(order);
    order = rv_call_list_take_order(&list, RV_CALL_START, true, ranks);
    for (size_t i = 0; i < list.n; i++)
        cr_assert_eq(list.calls[order[i]].start_ns, 1000 * (999 - i));
    free(order);
    rv_call_list_fini(&list);
}

Test(call_list, a_list_without_calls_is_finished, .timeout = 60)
{
    struct rv_call_list list = {0};
    rv_call_list_finish(&list);
    cr_assert_eq(list.n, 0);
    rv_call_list_fini(&list);
}

Test(call_list, calls_with_the_same_arguments_are_a_group, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_call_list list = {0};
    size_t n;
    for (uint32_t i = 0; i < 2; i++)
        (void)rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = i});
    for (uint32_t i = 0; i < 9; i++)
        rv_call_list_add(&list, &(struct rv_call){.start_ns = i,
                                                  .duration_ns = i,
                                                  .arguments_total_ns = 10,
                                                  .lane_idx = i % 2,
                                                  .caller = i,
                                                  .arguments = i < 5   ? 7
                                                               : i < 8 ? 6
                                                                       : 0});
    rv_call_list_finish(&list);
    struct rv_call_sums *groups = rv_call_list_take_groups(&list, RV_CALLS_BY_ARGUMENTS, lanes, &n);
    cr_assert_eq(n, 3);
    cr_assert(groups[0].arguments == 7 && groups[0].n_calls == 5 && groups[0].total_ns == 50 && groups[0].max_ns == 4);
    cr_assert(groups[1].arguments == 6 && groups[1].n_calls == 3 && groups[1].max_ns == 7);
    cr_assert(groups[2].arguments == 0 && groups[2].n_calls == 1);
    free(groups);
    rv_call_list_fini(&list);
    rv_lanes_destroy(lanes);
}

static int longer_first(const void *a, const void *b)
{
    const struct rv_call *x = a, *y = b;
    if (x->duration_ns != y->duration_ns)
        return x->duration_ns > y->duration_ns ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Few durations, in parts of which the latest comes first, as a range adds them. */
Test(call_list, the_earlier_of_equally_long_calls_are_kept_and_parts_are_merged, .timeout = 60)
{
    enum { N_PARTS = 7, PER_PART = RV_CALL_LIST_MOST / 2 + 13 };
    const size_t n = (size_t)N_PARTS * PER_PART;
    struct rv_call *all = calloc(n, sizeof *all);
    struct rv_call_list list = {0};
    for (size_t part = N_PARTS; part-- > 0;) {
        struct rv_call_list some = {.least_rank = list.least_rank};
        for (size_t i = part * PER_PART; i < (part + 1) * PER_PART; i++) {
            all[i] = (struct rv_call){
                .start_ns = i, .duration_ns = i * 7919 % 4, .total_ns = 1, .caller = (uint32_t)(i % 2)};
            rv_call_list_add(&some, &all[i]);
        }
        rv_call_list_merge(&list, &some);
        rv_call_list_fini(&some);
    }
    rv_call_list_finish(&list);
    qsort(all, n, sizeof *all, longer_first);
    cr_assert_eq(list.n, RV_CALL_LIST_MOST);
    cr_assert_eq(list.n_calls, n);
    for (size_t i = 0; i < list.n; i++)
        cr_assert_eq(list.calls[i].start_ns, all[i].start_ns, "call %zu", i);
    cr_assert_eq(list.by_caller.n, 2);
    cr_assert_eq(list.by_caller.sums[0].n_calls + list.by_caller.sums[1].n_calls, n);
    cr_assert_eq(list.by_arguments.n, 1);
    free(all);
    rv_call_list_fini(&list);
}

static int earlier_first(const void *a, const void *b)
{
    const struct rv_call *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int shorter_first(const void *a, const void *b)
{
    const struct rv_call *x = a, *y = b;
    const int order = x->duration_ns < y->duration_ns ? -1 : x->duration_ns > y->duration_ns;
    return order ? order : earlier_first(a, b);
}

static int later_first(const void *a, const void *b)
{
    return earlier_first(b, a);
}

Test(call_list, the_first_calls_in_its_order_are_kept_and_sorted, .timeout = 60)
{
    enum { N = 5000, MOST = 300 };
    int (*const oracles[])(const void *, const void *) = {[RV_CALL_LIST_LONGEST] = longer_first,
                                                          [RV_CALL_LIST_SHORTEST] = shorter_first,
                                                          [RV_CALL_LIST_EARLIEST] = earlier_first,
                                                          [RV_CALL_LIST_LATEST] = later_first};
    struct rv_call *all = calloc(N, sizeof *all);
    for (int order = RV_CALL_LIST_LONGEST; order <= RV_CALL_LIST_LATEST; order++) {
        struct rv_call_list list = {.order = (enum rv_call_list_order)order, .most = MOST};
        for (size_t i = 0; i < N; i++) {
            all[i] = (struct rv_call){.start_ns = 10 * (i * 7919 % N), .duration_ns = i * 104729 % 97};
            rv_call_list_add(&list, &all[i]);
        }
        rv_call_list_finish(&list);
        qsort(all, N, sizeof *all, oracles[order]);
        cr_assert_eq(list.n, MOST);
        cr_assert_eq(list.n_calls, N);
        for (size_t i = 0; i < MOST; i++)
            cr_assert(list.calls[i].start_ns == all[i].start_ns && list.calls[i].duration_ns == all[i].duration_ns,
                      "order %d, call %zu", order, i);
        for (size_t i = 1; i < MOST; i++)
            cr_assert_lt(list.calls[list.by_start[i - 1]].start_ns, list.calls[list.by_start[i]].start_ns);
        rv_call_list_fini(&list);
    }
    free(all);
}
