/*
 * Lines of text whose characters the baked font lacks: shaped when they are first needed, and kept, with the pictures
 * of their glyphs in an atlas. Main thread.
 *
 * What is new in a frame may take only so much of its time: a line is absent until a later frame has the time for it.
 * An atlas that is nearly full is cleared between two frames, unless one frame needs most of it: then glyphs for which
 * there is no room are not drawn.
 */
#ifndef RV_GLYPHS_TEXT_LINES_H
#define RV_GLYPHS_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "glyphs/atlas.h"
#include "glyphs/builtin_fonts.h"

struct rv_text_lines; /* opaque */

struct rv_text_line_style {
    enum rv_typeface typeface; /* labels: a signed distance field, edge at 0.5; others: coverage, on whole pixels */
    float size_px;             /* of an em */
};

struct rv_text_line_glyph {
    float pen;                    /* from the line's begin, px */
    uint16_t x, y, width, height; /* in the atlas; width 0: nothing to draw */
    float left, top;              /* from the pen on the baseline to the picture's upper left, px, y up */
};

struct rv_text_line {
    const struct rv_text_line_glyph *glyphs;
    size_t n;
};

/* base: an image that the atlas begins with, or NULL; borrowed until destroy. */
struct rv_text_lines *rv_text_lines_create(const struct rv_glyph_image *base);
void rv_text_lines_destroy(struct rv_text_lines *lines);

/* Begin a frame. budget_ns: how long new lines may take in it; 0 = as long as they need, and as reading
 * the machine's list of fonts takes. */
void rv_text_lines_begin(struct rv_text_lines *lines, uint64_t budget_ns);

/* Was there no time in this frame for some? Then another frame should follow. */
bool rv_text_lines_is_late(const struct rv_text_lines *lines);

/* Width of the first n_bytes in px; an estimate when there is no time to shape them. */
float rv_text_lines_width(struct rv_text_lines *lines, const struct rv_text_line_style *style, const char *text,
                          size_t n_bytes);

/* The glyphs, until the next call; none when there is no time. */
struct rv_text_line rv_text_lines_get(struct rv_text_lines *lines, const struct rv_text_line_style *style,
                                      const char *text, size_t n_bytes);

/* The glyphs' texture in memory. Borrowed. */
struct rv_glyph_atlas *rv_text_lines_atlas(struct rv_text_lines *lines);

#endif
