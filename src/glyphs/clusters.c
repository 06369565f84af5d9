/*
 * The rules of Unicode's annex 29 that need no table beyond HarfBuzz's: general categories and combining classes. Any
 * two characters that a joiner or a virama joins are one cluster.
 */
#include "glyphs/clusters.h"

#include <hb.h>

#include "base/text.h"

#define JOINER 0x200du
#define NON_JOINER 0x200cu
#define VIRAMA_CLASS 9

static bool is_between(uint32_t codepoint, uint32_t first, uint32_t last)
{
    return codepoint - first <= last - first;
}

static hb_unicode_general_category_t category_of(uint32_t codepoint)
{
    return hb_unicode_general_category(hb_unicode_funcs_get_default(), codepoint);
}

static bool is_virama(uint32_t codepoint)
{
    return hb_unicode_combining_class(hb_unicode_funcs_get_default(), codepoint) ==
           (hb_unicode_combining_class_t)VIRAMA_CLASS;
}

bool rv_cluster_is_extended_by(uint32_t codepoint)
{
    const hb_unicode_general_category_t category = category_of(codepoint);
    const bool is_mark = category == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
                         category == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK ||
                         category == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK;
    const bool is_am = codepoint == 0x0e33 || codepoint == 0x0eb3; /* a vowel of Thai and Lao with its own width */
    const bool is_modifier = is_between(codepoint, 0x1f3fb, 0x1f3ff) || is_between(codepoint, 0xe0020, 0xe007f);
    return is_mark || is_am || is_modifier || codepoint == JOINER || codepoint == NON_JOINER;
}

/* Hangul: letters that begin a syllable, its vowels, its ends; syllables in one. */
static bool continues_syllable(uint32_t before, uint32_t next)
{
    const bool is_begin = is_between(before, 0x1100, 0x115f), is_syllable = is_between(before, 0xac00, 0xd7a3);
    if (is_begin && (is_between(next, 0x1100, 0x115f) || is_between(next, 0xac00, 0xd7a3)))
        return true;
    return (is_syllable || is_between(before, 0x1100, 0x11ff)) && is_between(next, 0x1160, 0x11ff);
}

static bool is_flag_letter(uint32_t codepoint)
{
    return is_between(codepoint, 0x1f1e6, 0x1f1ff);
}

static bool continues(uint32_t before, uint32_t next)
{
    const bool is_conjunct = is_virama(before) && category_of(next) == HB_UNICODE_GENERAL_CATEGORY_OTHER_LETTER;
    return rv_cluster_is_extended_by(next) || before == JOINER || is_conjunct || continues_syllable(before, next);
}

size_t rv_cluster_length(const uint32_t *codepoints, size_t n)
{
    size_t length = 1;
    if (n > 1 && is_flag_letter(codepoints[0]) && is_flag_letter(codepoints[1]))
        length = 2;
    while (length < n && continues(codepoints[length - 1], codepoints[length]))
        length++;
    return length;
}

/* Nothing of ASCII joins ASCII: within a line there is no "\r\n". */
const char *rv_cluster_next(const char *text, const char *end)
{
    if ((unsigned char)*text < 0x80 && (end - text < 2 || (unsigned char)text[1] < 0x80))
        return text + 1;
    const char *next = text;
    uint32_t pair[2] = {rv_text_next(&next, end), 0};
    bool is_flag = is_flag_letter(pair[0]);
    while (next < end) {
        const char *after = next;
        pair[1] = rv_text_next(&after, end);
        if (!continues(pair[0], pair[1]) && !(is_flag && is_flag_letter(pair[1])))
            break;
        is_flag = false;
        pair[0] = pair[1];
        next = after;
    }
    return next;
}
