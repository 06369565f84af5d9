/*
 * Text as glyphs of one texture: those of font.h, baked, for a text that has no others; else all of it is shaped by
 * glyphs/text_lines.h, from the same fonts first. Main thread, with a current context.
 */
#ifndef RV_RENDER_TEXT_GLYPHS_H
#define RV_RENDER_TEXT_GLYPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "glyphs/text_lines.h"
#include "model/short_name.h"
#include "render/font.h"

struct rv_text_glyphs; /* opaque */

struct rv_text_glyphs *rv_text_glyphs_create(void);
void rv_text_glyphs_destroy(struct rv_text_glyphs *atlas);

/* Begin a frame, as rv_text_lines_begin(). */
void rv_text_glyphs_begin(struct rv_text_glyphs *atlas, uint64_t budget_ns);

/* Was there no time in this frame for some text? Then another frame should follow. */
bool rv_text_glyphs_is_late(const struct rv_text_glyphs *atlas);

/* Advance width of the first n_bytes of text in px at the face's own size. */
float rv_text_glyphs_width(struct rv_text_glyphs *atlas, enum rv_font font, const char *text, size_t n_bytes);

struct rv_text_glyphs_font {
    struct rv_text_glyphs *atlas;
    enum rv_font font;
};

/* Room for a name, in px at the face's own size; the font is borrowed. */
struct rv_short_name_room rv_text_glyphs_room(const struct rv_text_glyphs_font *font, float width);

struct rv_text_glyphs_text { /* a text as it is read, glyph by glyph */
    enum rv_font font;
    const char *rest;         /* of a text of baked glyphs; NULL = a line */
    struct rv_text_line line; /* its glyphs that are left */
    float origin, pen, scale;
};

/* Read a text from a pen that stands at `origin`; scale: the caller's units a px at the face's own size. Nothing else
 * may be asked of the atlas until the last glyph. */
struct rv_text_glyphs_text rv_text_glyphs_read(struct rv_text_glyphs *atlas, enum rv_font font, const char *text,
                                               float origin, float scale);

/* The next glyph to be drawn, its pen in the caller's units; false at the end. */
bool rv_text_glyphs_next(struct rv_text_glyphs_text *text, struct rv_text_line_glyph *glyph);

/* Bind its texture, with all glyphs read so far. */
void rv_text_glyphs_bind(struct rv_text_glyphs *atlas);

#endif
