/*
 * Which font a character comes from: the one place that decides it. First those that are embedded; then the machine's,
 * in the order in which fontconfig offers them to a reader of this locale. Main thread.
 *
 * A thread reads the machine's list, at the first character that needs one: it may take a second where fontconfig has
 * no cache.
 */
#ifndef RV_GLYPHS_FONTS_H
#define RV_GLYPHS_FONTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ft2build.h>
#include FT_FREETYPE_H
#include <hb.h>

#include "glyphs/builtin_fonts.h"

struct rv_fonts; /* opaque */

struct rv_face { /* an open font, as it was set last */
    FT_Face outlines;
    hb_font_t *shapes;
    uint32_t size_64; /* 1/64 px of an em; 0 = not set yet */
    int load_flags;   /* for FT_Load_Glyph() */
};

struct rv_fonts *rv_fonts_create(void);
void rv_fonts_destroy(struct rv_fonts *fonts);

enum rv_fonts_answer {
    RV_FONTS_FOUND,
    RV_FONTS_NONE, /* no font has it: a note says so, once for each script */
    RV_FONTS_LATER /* the machine's list is being read */
};

/*
 * The font for n characters that belong together: the first one that has all of them, or else the first of them.
 *   waits  wait for the machine's list
 *   face   written when found; valid until destroy
 */
enum rv_fonts_answer rv_fonts_find(struct rv_fonts *fonts, enum rv_typeface typeface, const uint32_t *codepoints,
                                   size_t n, bool waits, struct rv_face **face);

/* The embedded font of a typeface. */
struct rv_face *rv_fonts_builtin(struct rv_fonts *fonts, enum rv_typeface typeface);

/* Set what is loaded and shaped next: for labels at any size, for other typefaces on whole pixels. */
void rv_face_set(struct rv_face *face, enum rv_typeface typeface, uint32_t size_64);

#endif
