#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "glyphs/text_lines.h"

#define FIRST_HAN 0x4e00u

static struct rv_text_lines *lines;
static const struct rv_text_line_style LABEL = {RV_TYPEFACE_LABEL, 40.0f}, TEXT = {RV_TYPEFACE_TEXT, 13.0f};

static void begin(void)
{
    lines = rv_text_lines_create(NULL);
}

static void end(void)
{
    rv_text_lines_destroy(lines);
}

TestSuite(text_lines, .init = begin, .fini = end, .timeout = 120);

static struct rv_text_line get(const struct rv_text_line_style *style, const char *text)
{
    return rv_text_lines_get(lines, style, text, strlen(text));
}

/* Ink of a glyph in the atlas. */
static uint64_t ink(const struct rv_text_line_glyph *glyph)
{
    uint64_t sum = 0;
    const uint8_t *texels = rv_text_lines_atlas(lines)->texels;
    for (unsigned row = 0; row < glyph->height; row++)
        for (unsigned column = 0; column < glyph->width; column++)
            sum += texels[(size_t)(glyph->y + row) * RV_GLYPH_ATLAS_WIDTH + glyph->x + column];
    return sum;
}

Test(text_lines, glyphs_are_in_the_atlas)
{
    rv_text_lines_begin(lines, 0);
    struct rv_text_line line = get(&TEXT, "Жук");
    cr_assert_eq(line.n, 3);
    for (size_t i = 0; i < line.n; i++)
        cr_assert_gt(ink(&line.glyphs[i]), 0);
    cr_assert_gt(rv_text_lines_width(lines, &TEXT, "Жук", strlen("Жук")), line.glyphs[2].pen);
    cr_assert_not(rv_text_lines_is_late(lines));
}

Test(text_lines, each_frame_has_time_for_something_and_the_rest_comes_later)
{
    char text[8];
    unsigned n_frames = 0, n_shown = 0;
    for (; n_shown < 20; n_frames++) {
        n_shown = 0;
        rv_text_lines_begin(lines, 1);
        for (unsigned i = 0; i < 20; i++) {
            snprintf(text, sizeof text, "%c\u0436", 'a' + i);
            n_shown += get(&LABEL, text).n == 2;
        }
        cr_assert_eq(rv_text_lines_is_late(lines), n_shown < 20);
        cr_assert_lt(n_frames, 1000);
    }
    cr_assert_gt(n_frames, 20);
}

static struct rv_text_line get_number(unsigned number)
{
    char text[8];
    const unsigned codepoint = FIRST_HAN + number;
    snprintf(text, sizeof text, "%c%c%c", 0xe0 | codepoint >> 12, 0x80 | (codepoint >> 6 & 63),
             0x80 | (codepoint & 63));
    return get(&LABEL, text);
}

/* 20,000 characters, in any font or none, do not fit into the atlas; memory does not grow. */
Test(text_lines, many_characters_clear_the_atlas_between_frames)
{
    unsigned n_seen = 0;
    for (unsigned frame = 0; frame < 800; frame++) {
        rv_text_lines_begin(lines, 0);
        for (unsigned i = 0; i < 25; i++, n_seen++)
            cr_assert_gt(get_number(n_seen).n, 0);
        cr_assert_not(rv_text_lines_is_late(lines));
    }
    rv_text_lines_begin(lines, 0);
    rv_text_lines_begin(lines, 0);
    struct rv_text_line line = get(&LABEL, "Ж");
    cr_assert_gt(ink(&line.glyphs[0]), 0);
}
