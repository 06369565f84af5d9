/* The panels' fonts, embedded at build time: no file is read at run time. */
#ifndef RV_UI_FONTS_H
#define RV_UI_FONTS_H

#include <stddef.h>

struct rv_fonts {
    const unsigned char *bytes; /* TrueType */
    size_t n_bytes;
};

struct rv_fonts rv_fonts_text(void); /* DejaVu Sans */
struct rv_fonts rv_fonts_bold(void);

#endif
