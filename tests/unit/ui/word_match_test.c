#include "ui/word_match.h"

#include <criterion/criterion.h>

static bool matches(const char *words)
{
    static const char *const texts[] = {"fill the window with the call; again: all", "Ctrl+F"};
    return rv_word_match(words, texts, 2);
}

Test(word_match, every_word_must_occur_in_any_order_case_and_text, .timeout = 60)
{
    static const char *const found[] = {"", " ", "fill", "FILL", "call win", " window  call ", "ow", "ctrl+f"};
    static const char *const missed[] = {"fill thread", "threads", "fill x", "ctrl+q"};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        cr_assert(matches(found[i]), "\"%s\"", found[i]);
    for (size_t i = 0; i < sizeof missed / sizeof *missed; i++)
        cr_assert_not(matches(missed[i]), "\"%s\"", missed[i]);
}

Test(word_match, nothing_is_found_in_nothing, .timeout = 60)
{
    cr_assert(rv_word_match("", NULL, 0));
    cr_assert_not(rv_word_match("a", NULL, 0));
}
