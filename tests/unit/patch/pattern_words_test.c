/* Words of patterns, and, of a library with thousands of mangled names, that no readable one has a word that is not found. */
#include "patch/pattern_words.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

TestSuite(pattern_words, .timeout = 60);

static const char *text_of(const char *pattern)
{
    static char text[256];
    struct rv_pattern_words words;
    rv_pattern_words_find(&words, pattern, "", 0);
    text[0] = '\0';
    for (size_t i = 0; i < words.n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", i ? " " : "", (int)words.words[i].n,
                 words.words[i].at);
    return text;
}

Test(pattern_words, are_the_longest_of_each_alternative)
{
    static const struct {
        const char *pattern, *words;
    } CASES[] = {
        {"parse_expr", "parse_expr"},
        {"^main::parse$", "parse"},
        {"mysql_real_query|mysql_send_query", "mysql_real_query mysql_send_query"},
        {"abcd*ef", "abc"},
        {"abcd?", "abc"},
        {"abcd+e", "abcd"},
        {"xyz{2,3}", "xy"},
        {"a.c.*defg", "defg"},
        {"x{0}", ""},
        {"a|", ""},
        {"|a", ""},
        {".*", ""},
        {"", ""},
        {"123", ""},
        {"x|123", ""},
        {"(abc)", ""},
        {"[abc]", ""},
        {"ab\\.c", ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        cr_expect_str_eq(text_of(CASES[i].pattern), CASES[i].words, "of \"%s\"", CASES[i].pattern);
}

static bool may_match(const char *pattern, const char *mangled)
{
    struct rv_pattern_words words;
    rv_pattern_words_find(&words, pattern, "program", strlen("program"));
    return rv_pattern_words_may_match(&words, mangled);
}

Test(pattern_words, reject_names_that_have_none_of_them)
{
    cr_expect_not(may_match("nosuchthing", "_ZN3foo3barEv"));
    cr_expect(may_match("foo::bar", "_ZN3foo3barEv"));
    cr_expect_not(may_match("other|nothing", "_ZN3foo3barEv"));
    cr_expect(may_match("other|ba", "_ZN3foo3barEv"));
    cr_expect(may_match("program", "_ZN3foo3barEv"), "the module's name");
    cr_expect(may_match("unsigned", "_ZN3foo3barIjEEv"), "a type");
    cr_expect(may_match("{2}", "_ZN3foo3barEv"));
    cr_expect(may_match("closure", "_RNCNvC7example3foo0B3_"));
    cr_expect_not(may_match("closured", "_RNCNvC7example3foo0B3_"));
}

/* Each word of the readable name, as a pattern. Returns how many there are. */
static size_t try_words(const char *mangled, struct rv_demangle_piece piece)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t n_words = 0;
    for (size_t i = 0; i < piece.n_bytes;) {
        char word[512];
        size_t n = 0;
        while (i + n < piece.n_bytes && strchr(LETTERS, piece.text[i + n]) && n < sizeof word - 1)
            n++;
        memcpy(word, piece.text + i, n);
        word[n] = '\0';
        if (n) {
            cr_assert(may_match(word, mangled), "%s of %.*s, %s", word, (int)piece.n_bytes, piece.text, mangled);
            n_words++;
        }
        i += n ? n : 1;
    }
    return n_words;
}

static size_t try_symbol(const char *mangled)
{
    struct rv_demangled readable;
    rv_demangle(mangled, &readable);
    const size_t n = try_words(mangled, readable.package) + try_words(mangled, readable.name);
    free(readable.owned);
    return n;
}

Test(pattern_words, are_found_in_the_mangled_name_of_each_readable_one)
{
    size_t n_words = 0;
    FILE *names = popen("nm -D --defined-only $(gcc -print-file-name=libstdc++.so.6) | sed -n 's/.* \\(_Z[^@]*\\).*/\\1/p'", "r");
    char line[8192];
    cr_assert_not_null(names);
    while (fgets(line, sizeof line, names)) {
        line[strcspn(line, "\n")] = '\0';
        n_words += try_symbol(line);
    }
    pclose(names);
    cr_assert_gt(n_words, 10000, "%zu words", n_words);
}
