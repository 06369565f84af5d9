#include "ui/statistics.h"

#include <criterion/criterion.h>

static const struct rv_statistics_known KINDS[] = {{false, false}, {true, false}, {false, true}, {true, true}};

static int n_columns(float room, bool is_narrow, struct rv_statistics_known known)
{
    int n = 0;
    for (int column = 0; column < RV_STATISTICS_COLUMNS; column++)
        n += rv_statistics_has_column((enum rv_statistics_column)column, room, is_narrow, known);
    return n;
}

/* A window of 1,280 points leaves a table of 705: with all numbers, names were as wide as a letter. */
Test(statistics, names_keep_their_room, .timeout = 60)
{
    cr_assert_eq(n_columns(1000.0f, false, KINDS[3]), RV_STATISTICS_COLUMNS);
    cr_assert(!rv_statistics_has_column(RV_STATISTICS_BLOCKED, 705.0f, false, KINDS[1]));
    cr_assert(rv_statistics_has_column(RV_STATISTICS_MAX, 705.0f, false, KINDS[1]));
    cr_assert_eq(n_columns(299.0f, true, KINDS[0]), 2);
    cr_assert_eq(n_columns(300.0f, true, KINDS[0]), 4);
    for (float room = 160.0f; room < 1200.0f; room += 5.0f)
        for (int kind = 0; kind < 8; kind++) {
            const int n = n_columns(room, kind & 1, KINDS[kind / 2]);
            cr_assert(rv_statistics_has_column(RV_STATISTICS_NAME, room, kind & 1, KINDS[kind / 2]));
            cr_assert_geq(room - 70.0f * (float)(n - 1) + 12.0f, 90.0f, "%g points, %d columns", (double)room, n);
        }
}
