#include "render/font.h"

#include <string.h>

#include "base/text.h"
#include "render/font_codepoints.h"

#define CHARACTER_BYTES 4u

static size_t glyph_index(uint32_t codepoint)
{
    if (codepoint - RV_FONT_ASCII_FIRST < RV_FONT_ASCII_COUNT)
        return RV_FONT_SIGNS + (codepoint - RV_FONT_ASCII_FIRST);
    if (codepoint - RV_FONT_LATIN1_FIRST < RV_FONT_LATIN1_COUNT)
        return RV_FONT_SIGNS + RV_FONT_ASCII_COUNT + (codepoint - RV_FONT_LATIN1_FIRST);
    for (size_t i = 1; i < RV_FONT_SIGNS; i++)
        if (rv_font_signs[i] == codepoint)
            return i;
    return 0;
}

uint32_t rv_font_next(const char **text)
{
    const unsigned char first = (unsigned char)**text;
    if (first < 0x80) {
        *text += first != 0;
        return first;
    }
    return rv_text_next(text, *text + strnlen(*text, CHARACTER_BYTES));
}

bool rv_font_has_all(const char *text)
{
    for (uint32_t codepoint; (codepoint = rv_font_next(&text));)
        if (codepoint >= 0x80 && !glyph_index(codepoint))
            return false;
    return true;
}

const struct rv_glyph *rv_font_glyph(enum rv_font font, uint32_t codepoint)
{
    return &rv_font_atlas.faces[font].glyphs[glyph_index(codepoint)];
}

bool rv_font_measure(enum rv_font font, const char *text, size_t n_bytes, float *width)
{
    const char *end = text + n_bytes;
    uint32_t width_64 = 0;
    bool has_all = true;
    while (text < end && *text && has_all) {
        const uint32_t codepoint = (unsigned char)*text < 0x80 ? (unsigned char)*text++ : rv_text_next(&text, end);
        const size_t idx = glyph_index(codepoint);
        has_all = idx || codepoint < 0x80;
        width_64 += rv_font_atlas.faces[font].glyphs[idx].advance_64;
    }
    *width = (float)width_64 / 64.0f;
    return has_all;
}
