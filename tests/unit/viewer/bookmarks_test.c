#include <criterion/criterion.h>

#include "viewer/bookmarks.h"

Test(bookmarks, bookmarks_are_ordered_and_marking_again_removes_one, .timeout = 60)
{
    struct rv_bookmarks marks = {0};
    static const uint64_t times[] = {500, 100, 900, 300};
    for (size_t i = 0; i < 4; i++)
        rv_bookmarks_toggle(&marks, times[i], 10);
    cr_assert_eq(marks.n, 4);
    for (size_t i = 1; i < 4; i++)
        cr_assert_lt(marks.ns[i - 1], marks.ns[i]);
    rv_bookmarks_toggle(&marks, 305, 10);
    cr_assert_eq(marks.n, 3);
    rv_bookmarks_toggle(&marks, 311, 10);
    cr_assert_eq(marks.n, 4);
    cr_assert_eq(marks.ns[1], 311);
}

Test(bookmarks, after_the_last_bookmark_comes_the_first, .timeout = 60)
{
    struct rv_bookmarks marks = {0};
    uint64_t ns = 42;
    cr_assert_not(rv_bookmarks_next(&marks, 0, &ns));
    rv_bookmarks_toggle(&marks, 100, 1);
    rv_bookmarks_toggle(&marks, 200, 1);
    cr_assert(rv_bookmarks_next(&marks, 100, &ns) && ns == 200);
    cr_assert(rv_bookmarks_next(&marks, 200, &ns) && ns == 100);
}

Test(bookmarks, bookmarks_beyond_the_limit_are_refused, .timeout = 60)
{
    struct rv_bookmarks marks = {0};
    for (uint64_t i = 0; i < 2 * RV_BOOKMARKS_MAX; i++)
        rv_bookmarks_toggle(&marks, 1000 - i, 0);
    cr_assert_eq(marks.n, RV_BOOKMARKS_MAX);
}
