/*
 * Text as glyphs of one texture: those of font.h, baked, for a text that has no others; else all of it is shaped by
 * glyphs/text_lines.h, from the same fonts first. Main thread, with a current context.
 */
#ifndef RV_RENDER_ATLAS_H
#define RV_RENDER_ATLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "glyphs/text_lines.h"
#include "model/short_name.h"
#include "render/font.h"

struct rv_atlas; /* opaque */

struct rv_atlas *rv_atlas_create(void);
void rv_atlas_destroy(struct rv_atlas *atlas);

/* Begin a frame, as rv_text_lines_begin(). */
void rv_atlas_begin(struct rv_atlas *atlas, uint64_t budget_ns);

/* Was there no time in this frame for some text? Then another frame should follow. */
bool rv_atlas_is_late(const struct rv_atlas *atlas);

/* Advance width of the first n_bytes of text in px at the face's own size. */
float rv_atlas_width(struct rv_atlas *atlas, enum rv_font font, const char *text, size_t n_bytes);

struct rv_atlas_font {
    struct rv_atlas *atlas;
    enum rv_font font;
};

/* Room for a name, in px at the face's own size; the font is borrowed. */
struct rv_short_name_room rv_atlas_room(const struct rv_atlas_font *font, float width);

struct rv_atlas_text { /* a text as it is read, glyph by glyph */
    enum rv_font font;
    const char *rest;         /* of a text of baked glyphs; NULL = a line */
    struct rv_text_line line; /* its glyphs that are left */
    float origin, pen, scale;
};

/* Read a text from a pen that stands at `origin`; scale: the caller's units a px at the face's own size. Nothing else
 * may be asked of the atlas until the last glyph. */
struct rv_atlas_text rv_atlas_read(struct rv_atlas *atlas, enum rv_font font, const char *text, float origin,
                                   float scale);

/* The next glyph to be drawn, its pen in the caller's units; false at the end. */
bool rv_atlas_next(struct rv_atlas_text *text, struct rv_text_line_glyph *glyph);

/* Bind its texture, with all glyphs read so far. */
void rv_atlas_bind(struct rv_atlas *atlas);

#endif
