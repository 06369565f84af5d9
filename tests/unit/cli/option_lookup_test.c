#include <criterion/criterion.h>
#include <string.h>

#include "cli/option_lookup.h"
#include "export/export.h"
#include "import/formats.h"
#include "model/color.h"
#include "render/view_mode.h"

Test(option_lookup, entries_stand_at_their_id, .timeout = 60)
{
    for (int i = 0; i < RV_N_OPTIONS; i++) {
        const struct rv_option_entry *entry = &RV_OPTION_TABLE[i];
        cr_assert_eq((int)entry->id, RV_OPTION_FIRST + i, "%s", entry->name);
        cr_assert_eq(rv_option_named(entry->name), entry, "%s", entry->name);
        cr_assert(entry->help && entry->help[0], "%s", entry->name);
    }
    cr_assert_null(rv_option_named("nonsense"));
    cr_assert_not_null(rv_option_heading(&RV_OPTION_TABLE[0]));
}

static void expect_words(const char *name, const char *expected)
{
    char words[256];
    cr_assert_str_eq(rv_option_text(rv_option_named(name), "{}", words, sizeof words), expected, "--%s: %s", name,
                     words);
}

/* The option's i-th word equals the name that another room uses for the same value. */
static void expect_word(const char *option, int i, const char *name)
{
    struct rv_option_word word;
    cr_assert(rv_option_word(rv_option_named(option), i, &word), "--%s has no word %d, %s", option, i, name);
    cr_assert_eq((size_t)word.length, strlen(name));
    cr_assert_eq(memcmp(word.text, name, strlen(name)), 0, "--%s: word %d is not %s", option, i, name);
}

static void expect_end(const char *option, int i)
{
    struct rv_option_word word;
    cr_assert_not(rv_option_word(rv_option_named(option), i, &word), "--%s has a word %d", option, i);
}

Test(option_lookup, words_come_from_the_argument_or_are_listed, .timeout = 60)
{
    expect_words("report", "text, csv, json, lines, lines-csv, lines-json, html");
    expect_words("policy", "block, switch, fill, ring");
    expect_words("record", "");
    expect_words("record-limit", "");
    expect_words("headless", "");
}

Test(option_lookup, words_are_those_of_the_enums_that_they_stand_for, .timeout = 60)
{
    for (int i = 0; i < RV_VIEW_MODE_COUNT; i++)
        expect_word("view", i, rv_view_mode_get((enum rv_view_mode)i)->name);
    for (int i = 0; i < RV_COLOR_PLAIN_SCHEMES; i++)
        expect_word("color", i, rv_color_scheme_name((enum rv_color_scheme)i));
    for (int i = 0; i < RV_COLOR_THEME_COUNT; i++)
        expect_word("theme", i, rv_color_theme_name((enum rv_color_theme)i));
    for (int i = 0; i < RV_N_IMPORT_FORMATS; i++)
        expect_word("import", i, RV_IMPORT_FORMATS[i]->name);
    expect_end("import", RV_N_IMPORT_FORMATS);
    expect_end("export", RV_EXPORT_KIND_COUNT);
    expect_end("view", RV_VIEW_MODE_COUNT);
    expect_end("color", RV_COLOR_PLAIN_SCHEMES);
    expect_end("theme", RV_COLOR_THEME_COUNT);
}

Test(option_lookup, a_paragraph_is_made_of_sentences, .timeout = 60)
{
    char text[RV_OPTION_TEXT_BYTES], cut[8];
    rv_option_paragraph(rv_option_named("force"), text, sizeof text);
    cr_assert_eq(strncmp(text, "Overwrite files that exist. Also ", 33), 0, "%s", text);
    cr_assert_str_eq(rv_option_paragraph(rv_option_named("force"), cut, sizeof cut), "Overwri");
}

Test(option_lookup, no_text_is_cut, .timeout = 60)
{
    char text[RV_OPTION_TEXT_BYTES];
    for (int i = 0; i < RV_N_OPTIONS; i++) {
        rv_option_paragraph(&RV_OPTION_TABLE[i], text, sizeof text);
        cr_assert_lt(strlen(text), sizeof text - 1, "--%s", RV_OPTION_TABLE[i].name);
    }
}
