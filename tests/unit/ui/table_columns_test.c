#include "ui/table_columns.h"

#include <criterion/criterion.h>

static const struct rv_imgui_column COLUMNS[] = {{.title = "name"},
                                                 {.title = "total", .width = 60.0f},
                                                 {.title = "calls", .width = 60.0f, .left_out = 1},
                                                 {.title = "self", .width = 60.0f, .left_out = 2},
                                                 {.title = "mean", .width = 60.0f, .left_out = 2}};

Test(table_columns, columns_are_left_out_until_names_have_room, .timeout = 60)
{
    cr_assert_eq(rv_table_columns_shown(COLUMNS, 5, 1000.0f), 2);
    cr_assert_eq(rv_table_columns_shown(COLUMNS, 5, 4 * 70.0f + 90.0f), 2);
    cr_assert_eq(rv_table_columns_shown(COLUMNS, 5, 4 * 70.0f + 89.0f), 1);
    cr_assert_eq(rv_table_columns_shown(COLUMNS, 5, 2 * 70.0f + 89.0f), 0);
}

Test(table_columns, the_most_important_columns_stay_in_a_narrow_table, .timeout = 60)
{
    cr_assert_eq(rv_table_columns_shown(COLUMNS, 5, 1.0f), 0);
    cr_assert_eq(rv_table_columns_shown(COLUMNS, 2, 1.0f), 0);
}
