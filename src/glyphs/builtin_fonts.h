/* The fonts of panels and picture, embedded at build time: without a font on the machine they are all that there is. */
#ifndef RV_GLYPHS_BUILTIN_FONTS_H
#define RV_GLYPHS_BUILTIN_FONTS_H

#include <stddef.h>

enum rv_typeface {
    RV_TYPEFACE_LABEL, /* DejaVu Sans Condensed Bold, for text in the scene */
    RV_TYPEFACE_TEXT,  /* DejaVu Sans */
    RV_TYPEFACE_BOLD,
    RV_TYPEFACE_COUNT
};

struct rv_font_file {
    const unsigned char *bytes; /* TrueType */
    size_t n_bytes;
};

/* The font file in the program. Lasts for ever. */
struct rv_font_file rv_builtin_font(enum rv_typeface typeface);

#endif
