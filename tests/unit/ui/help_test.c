#include "ui/help.h"

#include <criterion/criterion.h>

static const struct rv_help_row rows[] = {
    {"W", "zoom in", "Moving"}, {"A", "pan to earlier times", "Moving"}, {"H", "hide the thread", "Threads"}};
static const struct rv_help shown = {rows, 3};

Test(help, rows_stand_below_the_title_of_their_section, .timeout = 60)
{
    uint16_t lines[RV_HELP_LINES_MAX];
    static const uint16_t all[] = {0 | RV_HELP_TITLE, 0, 1, 2 | RV_HELP_TITLE, 2};
    cr_assert_eq(rv_help_lines(&shown, "", lines), 5);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(lines[i], all[i]);
}

Test(help, rows_are_found_by_key_words_and_section, .timeout = 60)
{
    uint16_t lines[RV_HELP_LINES_MAX];
    cr_assert_eq(rv_help_lines(&shown, "moving earlier", lines), 2);
    cr_assert(lines[0] == (1 | RV_HELP_TITLE) && lines[1] == 1);
    cr_assert_eq(rv_help_lines(&shown, "threads", lines), 2);
    cr_assert_eq(rv_help_lines(&shown, "nothing such", lines), 0);
}
