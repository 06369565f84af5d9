#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "glyphs/shape.h"

#define SIZE_64 (26u * 64u)

static struct rv_fonts *fonts;
static struct rv_shaped shaped;

/* A machine without fonts, so that all are the embedded ones. */
static void begin(void)
{
    char path[] = "/tmp/ringviz-fonts-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(dprintf(file, "<fontconfig></fontconfig>\n"), 26);
    close(file);
    setenv("FONTCONFIG_FILE", path, 1);
    fonts = rv_fonts_create();
    shaped = (struct rv_shaped){.n = 0};
    struct rv_face *face;
    (void)rv_fonts_find(fonts, RV_TYPEFACE_TEXT, (const uint32_t[]){0xe000}, 1, true, &face);
    unlink(path);
}

static void end(void)
{
    rv_shaped_fini(&shaped);
    rv_fonts_destroy(fonts);
}

TestSuite(shape, .init = begin, .fini = end, .timeout = 60);

static float shape(const char *text)
{
    cr_assert(rv_shape_line(fonts, RV_TYPEFACE_TEXT, SIZE_64, true, text, strlen(text), &shaped));
    return shaped.width;
}

static uint32_t glyph_of(uint32_t codepoint)
{
    return FT_Get_Char_Index(rv_fonts_builtin(fonts, RV_TYPEFACE_TEXT)->outlines, codepoint);
}

/* Where a character's own glyph stands; -1 = it is not there. */
static float place_of(uint32_t codepoint)
{
    for (size_t i = 0; i < shaped.n; i++)
        if (shaped.glyphs[i].glyph == glyph_of(codepoint))
            return shaped.glyphs[i].x;
    return -1.0f;
}

Test(shape, text_from_left_to_right_stands_so)
{
    (void)shape("Привет, λόγος");
    cr_assert_eq(shaped.n, 13);
    for (size_t i = 1; i < shaped.n; i++)
        cr_assert_gt(shaped.glyphs[i].x, shaped.glyphs[i - 1].x);
}

Test(shape, hebrew_runs_to_the_left_between_what_runs_to_the_right)
{
    (void)shape("ab::שלוח(12)_cd");
    static const uint32_t seen[] = {'a', 'b', 0x05d7, 0x05d5, 0x05dc, 0x05e9, '_', 'c', 'd'};
    for (size_t i = 1; i < sizeof seen / sizeof *seen; i++)
        cr_assert(place_of(seen[i - 1]) >= 0.0f && place_of(seen[i - 1]) < place_of(seen[i]), "U+%04X", seen[i]);
    cr_assert_lt(place_of('1'), place_of('2'), "numbers run to the right");
}

Test(shape, parts_of_a_name_follow_each_other_from_the_left)
{
    (void)shape("של::ום.ער");
    static const uint32_t seen[] = {0x05dc, 0x05e9, ':', 0x05dd, 0x05d5, '.', 0x05e8, 0x05e2};
    for (size_t i = 1; i < sizeof seen / sizeof *seen; i++)
        cr_assert(place_of(seen[i - 1]) >= 0.0f && place_of(seen[i - 1]) < place_of(seen[i]), "U+%04X", seen[i]);
}

Test(shape, arabic_letters_are_joined)
{
    (void)shape("\u0628\u0628\u0628");
    cr_assert_eq(shaped.n, 3);
    for (size_t i = 0; i < shaped.n; i++)
        for (size_t k = 0; k < i; k++)
            cr_assert_neq(shaped.glyphs[i].glyph, shaped.glyphs[k].glyph);
}

Test(shape, marks_take_no_room_of_their_own)
{
    cr_assert_float_eq(shape("é"), shape("e\u0301"), 0.01f);
    cr_assert_float_eq(shape("x"), shape("x\u0301\u0308"), 0.01f);
    cr_assert_float_eq(shape("x"), shape("x\u0358\U0001d167\u0301"), 0.01f, "nor those that the font lacks");
    const float wide = shape("\u05e9"), marked = shape("\u05e9\u05c1\u05b8");
    cr_assert_float_eq(wide, marked, 0.01f);
}

Test(shape, of_many_marks_the_first_are_drawn)
{
    char text[2001] = "x";
    for (size_t i = 1; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\u0301", 3);
    (void)shape(text);
    cr_assert_leq(shaped.n, 4);
}

Test(shape, a_character_without_a_font_is_a_box_with_its_number)
{
    struct rv_face *face;
    cr_assert_eq(rv_fonts_find(fonts, RV_TYPEFACE_TEXT, (const uint32_t[]){0x4e2d}, 1, true, &face), RV_FONTS_NONE);
    const float box = shape("□"), width = shape("中");
    cr_assert_float_eq(width, box, 0.51f);
    cr_assert_eq(shaped.n, 5);
    static const char digits[] = "4E2D";
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(shaped.glyphs[i + 1].glyph, glyph_of((unsigned char)digits[i]));
    (void)shape("🚀");
    cr_assert_eq(shaped.n, 7);
}

Test(shape, embedded_fonts_come_first)
{
    for (int i = 0; i < RV_TYPEFACE_COUNT; i++) {
        struct rv_face *face;
        const enum rv_typeface typeface = (enum rv_typeface)i;
        cr_assert_eq(rv_fonts_find(fonts, typeface, (const uint32_t[]){0x416}, 1, true, &face), RV_FONTS_FOUND);
        cr_assert_eq(face, rv_fonts_builtin(fonts, typeface));
        cr_assert_eq(rv_fonts_find(fonts, typeface, (const uint32_t[]){0x5d0, 0x200d}, 2, true, &face), RV_FONTS_FOUND);
    }
}

Test(shape, long_and_broken_texts_are_cut_and_shown)
{
    const size_t n = 100000;
    char *text = malloc(n);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)(i * 7919u >> 3);
    cr_assert(rv_shape_line(fonts, RV_TYPEFACE_LABEL, SIZE_64, true, text, n, &shaped));
    cr_assert_leq(shaped.n, 7 * RV_SHAPE_CHARACTERS_MAX);
    cr_assert_eq(shape(""), 0.0f);
    cr_assert_eq(shaped.n, 0);
    free(text);
}
