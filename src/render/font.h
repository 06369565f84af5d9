/*
 * Glyphs baked at build time: no font file is read at run time.
 *
 * One single-channel atlas holds every face. RV_FONT_LABEL is a signed distance field (edge at 0.5) for text that lies
 * in the scene; the others are hinted coverage for text on whole pixels, in two sizes for screens of one and two pixels
 * a point. Contains ASCII, Latin-1 and a few signs; of texts with others text_glyphs.h draws all by
 * glyphs/text_lines.h. Pure.
 */
#ifndef RV_RENDER_FONT_H
#define RV_RENDER_FONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_font {
    RV_FONT_LABEL,
    RV_FONT_TEXT,
    RV_FONT_BOLD,
    RV_FONT_SMALL,
    RV_FONT_TEXT_2X,
    RV_FONT_BOLD_2X,
    RV_FONT_SMALL_2X,
    RV_FONT_COUNT
};

#define RV_FONT_GLYPHS 210u

struct rv_glyph {           /* pixels of the face's size */
    uint16_t x, y;          /* in the atlas */
    uint16_t width, height; /* 0 = nothing to draw */
    int16_t left, top;      /* from the pen to the bitmap's upper left, y up */
    uint16_t advance_64;    /* 1/64 px */
};

struct rv_font_face {
    float size_px, ascent_px, descent_px; /* descent is positive */
    struct rv_glyph glyphs[RV_FONT_GLYPHS];
};

struct rv_font_atlas {
    uint16_t width, height;
    const uint8_t *texels; /* rows top first */
    struct rv_font_face faces[RV_FONT_COUNT];
};

extern const struct rv_font_atlas rv_font_atlas;

/* Decode one UTF-8 character and advance *text; each invalid byte gives U+FFFD. 0 at the end, without advancing.
 */
uint32_t rv_font_next(const char **text);

/* Does a text have these characters only? */
bool rv_font_has_all(const char *text);

/* Never NULL: of any other character, a box. */
const struct rv_glyph *rv_font_glyph(enum rv_font font, uint32_t codepoint);

/* Advance width of the first n_bytes of text in px at the face's own size. False if it has other characters. */
bool rv_font_measure(enum rv_font font, const char *text, size_t n_bytes, float *width);

#endif
