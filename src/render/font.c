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
    size_t n_bytes = strnlen(*text, CHARACTER_BYTES);
    return n_bytes ? rv_text_next(text, *text + n_bytes) : 0;
}

bool rv_font_has_all(const char *text, size_t n_bytes)
{
    const char *end = text + n_bytes;
    while (text < end) {
        if ((unsigned char)*text < 0x80)
            text++;
        else if (!glyph_index(rv_text_next(&text, end)))
            return false;
    }
    return true;
}

const struct rv_glyph *rv_font_glyph(enum rv_font font, uint32_t codepoint)
{
    return &rv_font_atlas.faces[font].glyphs[glyph_index(codepoint)];
}

float rv_font_width(enum rv_font font, const char *text, size_t n_bytes)
{
    const char *at = text;
    uint32_t width_64 = 0, codepoint;
    while ((size_t)(at - text) < n_bytes && (codepoint = rv_font_next(&at)))
        width_64 += rv_font_glyph(font, codepoint)->advance_64;
    return (float)width_64 / 64.0f;
}
