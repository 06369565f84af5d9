#include "ui/command_palette.h"

#include <criterion/criterion.h>

static const struct rv_command_palette_row row = {
    .action = RV_ACTION_FOCUS_OR_FIT, .keys = "F", .words = "fill the window with the call; again: all"};

Test(command_palette, every_word_of_the_text_must_occur_in_any_order_and_case, .timeout = 60)
{
    static const char *const found[] = {"", " ", "fill", "FILL", "call win", " window  call ", "ow"};
    static const char *const missed[] = {"fill thread", "threads", "fill x"};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        cr_assert(rv_command_palette_match(&row, found[i]), "\"%s\"", found[i]);
    for (size_t i = 0; i < sizeof missed / sizeof *missed; i++)
        cr_assert_not(rv_command_palette_match(&row, missed[i]), "\"%s\"", missed[i]);
}

Test(command_palette, an_action_is_found_by_its_key, .timeout = 60)
{
    const struct rv_command_palette_row keyed = {.action = RV_ACTION_QUIT, .keys = "Ctrl+Q", .words = "quit"};
    cr_assert(rv_command_palette_match(&keyed, "ctrl+q"));
    cr_assert_not(rv_command_palette_match(&row, "ctrl"));
}
