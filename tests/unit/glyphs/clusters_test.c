#include <criterion/criterion.h>

#include <string.h>

#include "glyphs/clusters.h"
#include "model/short_name.h"

/* Clusters of a text, each before a bar. */
static const char *split(const char *text)
{
    static char out[256];
    const char *end = text + strlen(text);
    char *to = out;
    while (text < end) {
        const char *next = rv_cluster_next(text, end);
        to = mempcpy(to, text, (size_t)(next - text));
        *to++ = '|';
        text = next;
    }
    *to = '\0';
    return out;
}

Test(clusters, what_a_reader_takes_for_one_character_is_one, .timeout = 60)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"abc", "a|b|c|"},
        {"e\u0301a\u0308\u0301x", "e\u0301|a\u0308\u0301|x|"},
        {"\u0301a", "\u0301|a|"},
        {"क्षत्रिय", "क्ष|त्रि|य|"},
        {"ที่นี่", "ที่|นี่|"},
        {"กำ", "กำ|"},
        {"שָׁל", "שָׁ|ל|"},
        {"한국\u1112\u1161\u11ab\u1112", "한|국|\u1112\u1161\u11ab|\u1112|"},
        {"👩\u200d🚀👍🏽x", "👩\u200d🚀|👍🏽|x|"},
        {"🇩🇪🇫🇷🇮", "🇩🇪|🇫🇷|🇮|"},
        {"中文", "中|文|"},
        {"a\xff\xcc b", "a|\xff|\xcc| |b|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_str_eq(split(rows[i].text), rows[i].expected, "row %zu: %s", i, split(rows[i].text));
}

static float count_bytes(const void *context, const char *text, size_t n_bytes)
{
    (void)context;
    (void)text;
    return (float)n_bytes;
}

/* What stands before the ellipsis ends where a cluster ends, at every width and in every buffer. */
static void check_cuts(const char *name, size_t out_bytes)
{
    char out[256];
    for (float room = 0.0f; room < 120.0f; room += 1.0f) {
        const struct rv_short_name_room place = {room, count_bytes, rv_cluster_next, NULL};
        if (!rv_short_name_fit(name, &place, out, out_bytes))
            continue;
        cr_assert_leq((float)strlen(out), room);
        cr_assert_lt(strlen(out), out_bytes);
        const char *ellipsis = strstr(out, "…"), *at = name;
        for (const char *end = name + strlen(name); ellipsis && at < name + (ellipsis - out);)
            at = rv_cluster_next(at, end);
        cr_assert(!ellipsis || at == name + (ellipsis - out), "\"%s\" in %g", out, (double)room);
    }
}

Test(clusters, names_are_cut_between_them, .timeout = 60)
{
    static const char *const names[] = {"क्षत्रियक्षत्रिय", "e\u0301e\u0301\u0302e\u0303\u0301e\u0301e",
                                        "👩\u200d🚀👩\u200d🚀👍🏽", "中文你好世界中文你好世界",
                                        "a\u0351\u036b\u0343\u036a\u0302b\u0308\u0301\u0305c"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t out_bytes = 8; out_bytes < 100; out_bytes += 7)
            check_cuts(names[i], out_bytes);
}
