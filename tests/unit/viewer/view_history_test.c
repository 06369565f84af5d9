#include <criterion/criterion.h>

#include "viewer/view_history.h"

#define SECOND UINT64_C(1000000000)

static struct rv_view_history_place place(uint64_t from_ns)
{
    return (struct rv_view_history_place){from_ns, from_ns + 10, false};
}

static void note(struct rv_view_history *history, uint64_t from_ns, uint64_t clock_ns)
{
    struct rv_view_history_place at = place(from_ns);
    rv_view_history_note(history, &at, clock_ns);
}

Test(view_history, goes_back_through_all_places_and_forward_again, .timeout = 60)
{
    struct rv_view_history history = {0};
    for (uint64_t i = 1; i <= 5; i++)
        note(&history, i, i * SECOND);
    struct rv_view_history_place now = place(6);
    for (uint64_t i = 5; i >= 1; i--) {
        cr_assert(rv_view_history_back(&history, &now));
        cr_assert_eq(now.from_ns, i);
    }
    cr_assert_not(rv_view_history_back(&history, &now));
    cr_assert_eq(now.from_ns, 1, "nothing is behind: nothing changes");
    for (uint64_t i = 2; i <= 6; i++) {
        cr_assert(rv_view_history_forward(&history, &now));
        cr_assert_eq(now.from_ns, i);
    }
    cr_assert_not(rv_view_history_forward(&history, &now));
}

Test(view_history, moves_shortly_after_each_other_are_one, .timeout = 60)
{
    struct rv_view_history history = {0};
    for (uint64_t i = 0; i < 100; i++)
        note(&history, i, SECOND + i * SECOND / 50);
    struct rv_view_history_place now = place(100);
    cr_assert(rv_view_history_back(&history, &now));
    cr_assert_eq(now.from_ns, 0);
    cr_assert_not(rv_view_history_back(&history, &now));
}

Test(view_history, a_new_move_forgets_what_is_ahead, .timeout = 60)
{
    struct rv_view_history history = {0};
    note(&history, 1, SECOND);
    note(&history, 2, 3 * SECOND);
    struct rv_view_history_place now = place(3);
    cr_assert(rv_view_history_back(&history, &now));
    note(&history, now.from_ns, 4 * SECOND);
    now = place(9);
    cr_assert_not(rv_view_history_forward(&history, &now));
    cr_assert(rv_view_history_back(&history, &now));
    cr_assert_eq(now.from_ns, 2);
}

Test(view_history, keeps_the_last_places_when_there_are_many, .timeout = 60)
{
    struct rv_view_history history = {0};
    for (uint64_t i = 0; i < 1000; i++)
        note(&history, i, (i + 1) * SECOND);
    struct rv_view_history_place now = place(1000);
    unsigned n = 0;
    while (rv_view_history_back(&history, &now))
        n++;
    cr_assert_eq(n, RV_VIEW_HISTORY_PLACES);
    cr_assert_eq(now.from_ns, 1000 - RV_VIEW_HISTORY_PLACES);
}
