/* Which characters the atlas holds, in glyph order; box first. Shared by the baking tool and the run time. */
#ifndef RV_RENDER_FONT_CODEPOINTS_H
#define RV_RENDER_FONT_CODEPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include "render/font.h"

#define RV_FONT_ASCII_FIRST 0x20u
#define RV_FONT_ASCII_COUNT 95u
#define RV_FONT_LATIN1_FIRST 0xA0u
#define RV_FONT_LATIN1_COUNT 96u

/* box, ellipsis, dashes, quotes, bullet, arrows, infinity, comparisons, black circle, small triangles right and down */
static const uint16_t rv_font_signs[] = {0x25A1, 0x2026, 0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2190,
                                         0x2191, 0x2192, 0x2193, 0x221E, 0x2264, 0x2265, 0x25CF, 0x25B8, 0x25BE};

#define RV_FONT_SIGNS (sizeof rv_font_signs / sizeof rv_font_signs[0])

_Static_assert(RV_FONT_ASCII_COUNT + RV_FONT_LATIN1_COUNT + RV_FONT_SIGNS == RV_FONT_GLYPHS, "glyph count");

/* The character of a glyph. */
static inline uint32_t rv_font_codepoint(size_t glyph_idx)
{
    if (glyph_idx < RV_FONT_SIGNS)
        return rv_font_signs[glyph_idx];
    glyph_idx -= RV_FONT_SIGNS;
    if (glyph_idx < RV_FONT_ASCII_COUNT)
        return RV_FONT_ASCII_FIRST + (uint32_t)glyph_idx;
    return RV_FONT_LATIN1_FIRST + (uint32_t)(glyph_idx - RV_FONT_ASCII_COUNT);
}

#endif
