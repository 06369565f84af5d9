#include <criterion/criterion.h>

#include <string.h>

#include "base/text.h"

Test(text, a_character_that_was_cut_is_dropped, .timeout = 60)
{
    static const struct {
        const char *cut, *expected;
    } rows[] = {
        {"", ""},
        {"abc", "abc"},
        {"ab\xc3", "ab"},
        {"ab\xc3\xa9", "ab\xc3\xa9"},
        {"\xe4\xb8", ""},
        {"a\xe4\xb8\xad", "a\xe4\xb8\xad"},
        {"a\xf0\x9f\x9a", "a"},
        {"a\xf0\x9f\x9a\x80", "a\xf0\x9f\x9a\x80"},
        {"\x80\x80", "\x80\x80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[16];
        strcpy(text, rows[i].cut);
        cr_assert_str_eq(rv_text_end_whole(text), rows[i].expected, "row %zu", i);
    }
}
