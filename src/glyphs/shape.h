/*
 * A line of text in any script as glyphs at their places: fonts chosen for each cluster, in the order in which they are
 * seen, shaped. The parts of a name follow each other from the left, in whatever script they are, so that packages stay
 * left of subroutines. Main thread.
 */
#ifndef RV_GLYPHS_SHAPE_H
#define RV_GLYPHS_SHAPE_H

#include "glyphs/fonts.h"

#define RV_SHAPE_CHARACTERS_MAX 1024u /* of a line: what follows is left out */

struct rv_shaped_glyph {
    struct rv_face *face;
    enum rv_typeface typeface; /* the typeface that the font is set for */
    uint32_t glyph;            /* the glyph's number in the font */
    uint32_t size_64;          /* 1/64 px of an em */
    float x, y;                /* from the line's origin, px, y up */
};

struct rv_shaped {                  /* zeroed = empty; one can be used for many lines */
    struct rv_shaped_glyph *glyphs; /* from left to right, but for marks */
    size_t n, capacity;
    float width; /* px */
};

/*
 * Shape the first n_bytes of a text. A character without a font becomes a box with its number.
 *   waits    wait for the machine's list of fonts
 *   returns  false when that list is being read: what is in out is of no use
 */
bool rv_shape_line(struct rv_fonts *fonts, enum rv_typeface typeface, uint32_t size_64, bool waits, const char *text,
                   size_t n_bytes, struct rv_shaped *out);

void rv_shaped_fini(struct rv_shaped *shaped);

#endif
