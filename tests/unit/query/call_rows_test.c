#include "query/call_rows.h"

#include <criterion/criterion.h>
#include <string.h>

static struct rv_call_list make_list(size_t n, uint64_t odd)
{
    struct rv_call_list list = {0};
    for (uint64_t i = 0; i < n; i++)
        rv_call_list_add(&list,
                         &(struct rv_call){.start_ns = 1000 * i, .duration_ns = i == odd ? 900 : i * 7919 % 500});
    rv_call_list_finish(&list);
    return list;
}

Test(call_rows, few_calls_have_a_row_each_the_longest_first, .timeout = 60)
{
    struct rv_call_list list = make_list(400, 17);
    struct rv_call_rows *rows = rv_call_rows_take(&list, 5, false);
    cr_assert_eq(rows->n, 400);
    cr_assert_eq(rows->items[0].call.start_ns, 17000);
    cr_assert_eq(rows->longest_ns, 900);
    for (size_t i = 0; i < rows->n; i++) {
        cr_assert_eq(rows->items[i].rank, i + 1);
        cr_assert_eq(rows->items[i].n_calls, 1);
        cr_assert(i == 0 || rows->items[i].call.duration_ns <= rows->items[i - 1].call.duration_ns);
    }
    rv_call_rows_release(rows);
    rv_call_list_fini(&list);
}

Test(call_rows, by_time_the_earliest_is_first, .timeout = 60)
{
    struct rv_call_list list = make_list(400, 17);
    struct rv_call_rows *rows = rv_call_rows_take(&list, 5, true);
    cr_assert_eq(rows->n, 400);
    for (size_t i = 0; i < rows->n; i++)
        cr_assert_eq(rows->items[i].call.start_ns, 1000 * i);
    rv_call_rows_release(rows);
    rv_call_list_fini(&list);
}

static void check_groups(const struct rv_call_list *list, bool is_by_time)
{
    struct rv_call_rows *rows = rv_call_rows_take(list, 5, is_by_time);
    uint64_t n_calls = 0, longest_ns = 0;
    cr_assert_eq(rows->n, RV_CALL_ROWS_MOST);
    for (size_t i = 0; i < rows->n; i++) {
        cr_assert_eq(rows->items[i].rank, n_calls + 1);
        n_calls += rows->items[i].n_calls;
        cr_assert(!is_by_time || rows->items[i].call.start_ns / 1000 < n_calls, "row %zu is of another group", i);
        longest_ns = rows->items[i].call.duration_ns > longest_ns ? rows->items[i].call.duration_ns : longest_ns;
        cr_assert(is_by_time || i >= RV_CALL_ROWS_SINGLE || rows->items[i].n_calls == 1);
    }
    cr_assert_eq(n_calls, list->n);
    cr_assert_eq(longest_ns, 900, "the odd one has no row");
    rv_call_rows_release(rows);
}

Test(call_rows, of_many_calls_each_group_has_its_longest, .timeout = 60)
{
    struct rv_call_list list = make_list(54321, 33333);
    check_groups(&list, false);
    check_groups(&list, true);
    rv_call_list_fini(&list);
}

Test(call_rows, the_caption_has_the_number_of_rows_and_of_calls, .timeout = 60)
{
    char text[256];
    struct rv_call_list few = make_list(1, 0), many = make_list(5000, 0);
    struct rv_call_rows *one = rv_call_rows_take(&few, 5, false), *rows = rv_call_rows_take(&many, 5, true);
    cr_assert_str_eq(rv_call_rows_text(one, "main::f", text, sizeof text), "1 call of main::f, the longest in front");
    cr_assert_str_eq(rv_call_rows_text(rows, "main::f", text, sizeof text),
                     "1000 of 5000 calls of main::f, the earliest in front; each is the longest of its group");
    rv_call_rows_release(one);
    rv_call_rows_release(rows);
    rv_call_list_fini(&few);
    rv_call_list_fini(&many);
}

Test(call_rows, of_no_calls_there_are_none, .timeout = 60)
{
    struct rv_call_list list = {0};
    rv_call_list_finish(&list);
    struct rv_call_rows *rows = rv_call_rows_hold(rv_call_rows_take(&list, 5, false));
    cr_assert_eq(rows->n, 0);
    rv_call_rows_release(rows);
    rv_call_rows_release(rows);
    rv_call_rows_release(NULL);
}
