#include "glyphs/builtin_fonts.h"

/* The assembler includes the files. C11 has no way to, and an array of 2 million numbers takes seconds to compile. */
#define EMBED(symbol, path)                                                                                            \
    __asm__(".section .rodata\n.balign 16\n.global " #symbol "\n" #symbol ":\n.incbin \"" path "\"\n.global " #symbol  \
            "_end\n" #symbol "_end:\n.previous\n");                                                                    \
    extern const unsigned char symbol[], symbol##_end[]

EMBED(rv_builtin_font_label, RINGVIZ_FONT_DIRECTORY "/DejaVuSansCondensed-Bold.ttf");
EMBED(rv_builtin_font_text, RINGVIZ_FONT_DIRECTORY "/DejaVuSans.ttf");
EMBED(rv_builtin_font_bold, RINGVIZ_FONT_DIRECTORY "/DejaVuSans-Bold.ttf");

struct rv_font_file rv_builtin_font(enum rv_typeface typeface)
{
    const struct {
        const unsigned char *begin, *end;
    } files[RV_TYPEFACE_COUNT] = {
        [RV_TYPEFACE_LABEL] = {rv_builtin_font_label, rv_builtin_font_label_end},
        [RV_TYPEFACE_TEXT] = {rv_builtin_font_text, rv_builtin_font_text_end},
        [RV_TYPEFACE_BOLD] = {rv_builtin_font_bold, rv_builtin_font_bold_end},
    };
    return (struct rv_font_file){files[typeface].begin, (size_t)(files[typeface].end - files[typeface].begin)};
}
