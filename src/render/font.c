#include "render/font.h"

#include <stdbool.h>

#include "render/font_codepoints.h"

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

/* Length of a character by its first byte, 0 if invalid. */
static unsigned sequence_bytes(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first < 0xE0)
        return 2;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

uint32_t rv_font_next(const char **text)
{
    static const uint8_t first_mask[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const uint8_t *bytes = (const uint8_t *)*text;
    if (!bytes[0])
        return 0;
    unsigned n = sequence_bytes(bytes[0]);
    uint32_t codepoint = bytes[0] & first_mask[n];
    bool is_whole = n > 0;
    for (unsigned i = 1; is_whole && i < n; i++) {
        is_whole = (bytes[i] & 0xC0) == 0x80;
        codepoint = codepoint << 6 | (bytes[i] & 0x3Fu);
    }
    *text += is_whole ? n : 1;
    return is_whole ? codepoint : 0xFFFD;
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

float rv_font_measure(const void *font, const char *text, size_t n_bytes)
{
    return rv_font_width(*(const enum rv_font *)font, text, n_bytes);
}
