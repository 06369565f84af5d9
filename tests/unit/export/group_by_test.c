#include <criterion/criterion.h>
#include <string.h>

#include "export/group_by.h"

Test(group_by, words_of_the_command_line, .timeout = 60)
{
    struct rv_group_by_key key;
    cr_assert(rv_group_by_parse("arg2", &key));
    cr_assert_eq(key.argument, 2);
    cr_assert_not(key.is_result || key.is_sql);
    cr_assert(rv_group_by_parse("ret:sql", &key));
    cr_assert(key.is_result && key.is_sql);
    static const char *const wrong[] = {"",      "arg",   "arg0",      "arg65",   "arg1x",
                                        "arg-1", "arg1:", "arg1:json", "retarg1", "2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_not(rv_group_by_parse(wrong[i], &key), "%s", wrong[i]);
}

Test(group_by, numbers_and_strings_of_sql_are_one, .timeout = 60)
{
    static const struct {
        const char *text, *normal;
    } cases[] = {
        {"\"SELECT 1\"", "\"SELECT ?\""},
        {"\"SELECT a1, b FROM t2 WHERE c = 12.5e3 AND d=0xff\"", "\"SELECT a1, b FROM t2 WHERE c = ? AND d=?\""},
        {"\"x = 'it''s' OR x='a\\\\'b' OR 1=1\"", "\"x = ? OR x=? OR ?=?\""},
        {"\"INSERT INTO t VALUES (1, 'a')\"...", "\"INSERT INTO t VALUES (?, ?)\"..."},
        {"\"x = 'a\\\\\\\\' OR y = 'b\\n' OR z = 3\"", "\"x = ? OR y = ? OR z = ?\""},
        {"\"x = 'cut\"...", "\"x = ?"},
        {"7", "?"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        strcpy(text, cases[i].text);
        rv_group_by_normalize_sql(text);
        cr_assert_str_eq(text, cases[i].normal);
    }
}
