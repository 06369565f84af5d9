#include "ui/fonts.h"

/* The assembler includes the files. C11 has no way to, and an array of 1.4 million numbers takes seconds to compile. */
#define EMBED(symbol, path)                                                                                            \
    __asm__(".section .rodata\n.balign 16\n.global " #symbol "\n" #symbol ":\n.incbin \"" path "\"\n.global " #symbol  \
            "_end\n" #symbol "_end:\n.previous\n");                                                                    \
    extern const unsigned char symbol[], symbol##_end[]

EMBED(rv_fonts_text_bytes, RINGVIZ_FONT_DIRECTORY "/DejaVuSans.ttf");
EMBED(rv_fonts_bold_bytes, RINGVIZ_FONT_DIRECTORY "/DejaVuSans-Bold.ttf");

struct rv_fonts rv_fonts_text(void)
{
    return (struct rv_fonts){rv_fonts_text_bytes, (size_t)(rv_fonts_text_bytes_end - rv_fonts_text_bytes)};
}

struct rv_fonts rv_fonts_bold(void)
{
    return (struct rv_fonts){rv_fonts_bold_bytes, (size_t)(rv_fonts_bold_bytes_end - rv_fonts_bold_bytes)};
}
