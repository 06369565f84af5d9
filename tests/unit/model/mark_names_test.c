#include "model/mark_names.h"

#include <criterion/criterion.h>

enum { N = 400 };
static struct rv_lane_note notes[N];
static size_t n;

static void setup(void)
{
    n = 0;
}

TestSuite(mark_names, .init = setup, .timeout = 60);

static void add(enum rv_note_kind kind, uint32_t id, uint32_t n_more)
{
    notes[n] = (struct rv_lane_note){.start_ns = 10 * n, .end_ns = 10 * n, .kind = kind, .id = id, .n_more = n_more};
    n++;
}

Test(mark_names, the_most_frequent_comes_first_and_merged_marks_count_as_many)
{
    struct rv_mark_names names;
    add(RV_NOTE_MARK, 7, 0);
    add(RV_NOTE_MARK, 5, 2);
    add(RV_NOTE_VALUE, 9, 50);
    add(RV_NOTE_MARK, RV_NOTE_SEVERAL, 20);
    add(RV_NOTE_MARK, 5, 0);
    rv_mark_names_count(&names, notes, n, 0, UINT64_MAX);
    cr_assert_eq(names.n, 3);
    cr_assert_eq(names.n_marks, 26);
    cr_assert(names.items[0].id == 5 && names.items[0].n == 4);
    cr_assert(names.items[1].id == 7 && names.items[1].n == 1);
    cr_assert(names.items[2].id == RV_NOTE_SEVERAL && names.items[2].n == 21, "what has no name comes last");
}

Test(mark_names, only_those_in_the_range_count)
{
    struct rv_mark_names names;
    for (uint32_t i = 0; i < 10; i++)
        add(RV_NOTE_MARK, i, 0);
    rv_mark_names_count(&names, notes, n, 20, 40);
    cr_assert_eq(names.n, 3);
    cr_assert(names.items[0].id == 2 && names.items[2].id == 4);
    rv_mark_names_count(&names, notes, n, 41, 49);
    cr_assert_eq(names.n, 0);
}

Test(mark_names, of_more_names_than_there_is_room_for_the_first_are_kept)
{
    struct rv_mark_names names;
    uint64_t n_all = 0;
    for (uint32_t i = 0; i < N; i++)
        add(RV_NOTE_MARK, i * 4096, 0);
    rv_mark_names_count(&names, notes, n, 0, UINT64_MAX);
    cr_assert_eq(names.n, RV_MARK_NAMES_MOST);
    cr_assert_eq(names.items[names.n - 1].id, RV_NOTE_SEVERAL);
    for (size_t i = 0; i < names.n; i++)
        n_all += names.items[i].n;
    cr_assert_eq(n_all, N);
    cr_assert_eq(names.n_marks, N);
}
