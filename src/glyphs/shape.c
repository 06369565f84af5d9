#include "glyphs/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fribidi.h>
#include <hb-ft.h>

#include "base/text.h"
#include "base/vec.h"
#include "glyphs/clusters.h"

#define MARKS_MAX 3u    /* of a cluster, so that lines stay apart */
#define BOX 0x25a1u     /* of a character without a font, */
#define BOX_DIGITS 0.4f /* em of the digits in it */

struct character {
    struct rv_face *face; /* NULL = none has it */
    hb_script_t script;
    FriBidiLevel level; /* odd: from right to left */
};

struct run { /* characters of one font, script and direction */
    uint32_t first, n;
};

struct text {
    struct rv_fonts *fonts;
    enum rv_typeface typeface;
    uint32_t size_64;
    uint32_t codepoints[RV_SHAPE_CHARACTERS_MAX];
    struct character characters[RV_SHAPE_CHARACTERS_MAX];
    struct run runs[RV_SHAPE_CHARACTERS_MAX];
    uint32_t n, n_runs;
};

/* Without the marks that a cluster has too many of. */
static void decode(struct text *text, const char *from, const char *end)
{
    uint32_t n_marks = 0;
    while (from < end && text->n < RV_SHAPE_CHARACTERS_MAX) {
        const uint32_t codepoint = rv_text_next(&from, end);
        n_marks = rv_cluster_is_extended_by(codepoint) ? n_marks + 1 : 0;
        if (n_marks <= MARKS_MAX)
            text->codepoints[text->n++] = codepoint;
    }
}

static bool choose_fonts(struct text *text, bool waits)
{
    for (uint32_t i = 0, n; i < text->n; i += n) {
        struct rv_face *face = NULL;
        n = (uint32_t)rv_cluster_length(text->codepoints + i, text->n - i);
        if (rv_fonts_find(text->fonts, text->typeface, text->codepoints + i, n, waits, &face) == RV_FONTS_LATER)
            return false;
        for (uint32_t k = i; k < i + n; k++)
            text->characters[k].face = face;
    }
    return true;
}

/* Signs of no script belong to that before them. */
static void find_scripts(struct text *text)
{
    hb_script_t last = HB_SCRIPT_LATIN;
    for (uint32_t i = 0; i < text->n; i++) {
        const hb_script_t script = hb_unicode_script(hb_unicode_funcs_get_default(), text->codepoints[i]);
        if (script != HB_SCRIPT_COMMON && script != HB_SCRIPT_INHERITED && script != HB_SCRIPT_UNKNOWN)
            last = script;
        text->characters[i].script = last;
    }
}

/* Between the parts of a name or a path, which follow each other from left to right. */
static bool is_separator(uint32_t codepoint)
{
    return codepoint == ':' || codepoint == '.' || codepoint == '/' || codepoint == '#';
}

static void find_directions(struct text *text)
{
    FriBidiCharType types[RV_SHAPE_CHARACTERS_MAX];
    FriBidiBracketType brackets[RV_SHAPE_CHARACTERS_MAX];
    FriBidiLevel levels[RV_SHAPE_CHARACTERS_MAX];
    FriBidiParType direction = FRIBIDI_PAR_LTR;
    const FriBidiStrIndex n = (FriBidiStrIndex)text->n;
    fribidi_get_bidi_types(text->codepoints, n, types);
    for (uint32_t i = 0; i < text->n; i++)
        if (is_separator(text->codepoints[i]))
            types[i] = FRIBIDI_TYPE_LTR;
    fribidi_get_bracket_types(text->codepoints, n, types, brackets);
    const bool is_known = fribidi_get_par_embedding_levels_ex(types, brackets, n, &direction, levels);
    for (uint32_t i = 0; i < text->n; i++)
        text->characters[i].level = is_known ? levels[i] : 0;
}

static bool is_same_run(const struct character *a, const struct character *b)
{
    return a->face == b->face && a->script == b->script && a->level == b->level;
}

static void split_runs(struct text *text)
{
    for (uint32_t i = 0; i < text->n; i++) {
        if (i && is_same_run(&text->characters[i - 1], &text->characters[i]))
            text->runs[text->n_runs - 1].n++;
        else
            text->runs[text->n_runs++] = (struct run){i, 1};
    }
}

static FriBidiLevel level_of(const struct text *text, uint32_t run)
{
    return text->characters[text->runs[run].first].level;
}

static void reverse(struct run *runs, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        const struct run last = runs[n - 1 - i];
        runs[n - 1 - i] = runs[i];
        runs[i] = last;
    }
}

/* Rule L2 of Unicode's annex 9, for whole runs: from the highest level down, reverse what is at it or above. */
static void order_runs(struct text *text)
{
    FriBidiLevel highest = 0;
    for (uint32_t i = 0; i < text->n_runs; i++)
        highest = level_of(text, i) > highest ? level_of(text, i) : highest;
    for (FriBidiLevel level = highest; level > 0; level--) {
        for (uint32_t i = 0, n; i < text->n_runs; i += n + 1) {
            for (n = 0; i + n < text->n_runs && level_of(text, i + n) >= level;)
                n++;
            reverse(text->runs + i, n);
        }
    }
}

static void add(struct rv_shaped *out, const struct rv_shaped_glyph *glyph)
{
    out->glyphs = rv_vec_reserve(out->glyphs, &out->capacity, out->n + 1, sizeof *out->glyphs);
    out->glyphs[out->n++] = *glyph;
}

static void shape_run(const struct text *text, const struct run *run, hb_buffer_t *buffer, struct rv_shaped *out)
{
    const struct character *first = &text->characters[run->first];
    unsigned n_glyphs;
    rv_face_set(first->face, text->typeface, text->size_64);
    hb_buffer_clear_contents(buffer);
    hb_buffer_add_codepoints(buffer, text->codepoints, (int)text->n, run->first, (int)run->n);
    hb_buffer_set_cluster_level(buffer, HB_BUFFER_CLUSTER_LEVEL_MONOTONE_CHARACTERS);
    hb_buffer_set_direction(buffer, first->level & 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, first->script);
    hb_buffer_set_language(buffer, hb_language_get_default());
    hb_shape(first->face->shapes, buffer, NULL, 0);
    const hb_glyph_info_t *glyphs = hb_buffer_get_glyph_infos(buffer, &n_glyphs);
    const hb_glyph_position_t *places = hb_buffer_get_glyph_positions(buffer, &n_glyphs);
    for (unsigned i = 0; i < n_glyphs; i++) {
        if (!glyphs[i].codepoint && rv_cluster_is_extended_by(text->codepoints[glyphs[i].cluster]))
            continue; /* a mark that the font lacks */
        add(out, &(struct rv_shaped_glyph){first->face, text->typeface, glyphs[i].codepoint, text->size_64,
                                           out->width + (float)places[i].x_offset / 64.0f,
                                           (float)places[i].y_offset / 64.0f});
        out->width += (float)places[i].x_advance / 64.0f;
    }
}

static uint32_t glyph_of(const struct rv_face *face, uint32_t codepoint, float *advance)
{
    const uint32_t glyph = FT_Get_Char_Index(face->outlines, codepoint);
    *advance =
        FT_Load_Glyph(face->outlines, glyph, face->load_flags) ? 0.0f : (float)face->outlines->glyph->advance.x / 64.0f;
    return glyph;
}

/* A box with the character's number in two rows. */
static void add_box(const struct text *text, uint32_t codepoint, struct rv_shaped *out)
{
    struct rv_face *face = rv_fonts_builtin(text->fonts, text->typeface);
    const float em = (float)text->size_64 / 64.0f;
    const uint32_t digit_64 = (uint32_t)(BOX_DIGITS * (float)text->size_64);
    char digits[12];
    float width, step;
    const size_t n = (size_t)snprintf(digits, sizeof digits, codepoint > 0xffff ? "%06X" : "%04X", codepoint);
    rv_face_set(face, text->typeface, text->size_64);
    const struct rv_shaped_glyph box = {face,          text->typeface, glyph_of(face, BOX, &width),
                                        text->size_64, out->width,     0.0f};
    add(out, &box);
    rv_face_set(face, text->typeface, digit_64);
    for (size_t i = 0; i < n; i++) {
        const float column = (float)(i % (n / 2)) - 0.25f * (float)n, row = i < n / 2 ? 0.36f : -0.02f;
        const uint32_t glyph = glyph_of(face, (unsigned char)digits[i], &step);
        add(out, &(struct rv_shaped_glyph){face, text->typeface, glyph, digit_64,
                                           out->width + 0.5f * width + column * step, row * em});
    }
    out->width += width;
}

static void shape_runs(const struct text *text, struct rv_shaped *out)
{
    hb_buffer_t *buffer = hb_buffer_create();
    for (uint32_t i = 0; i < text->n_runs; i++) {
        const struct run *run = &text->runs[i];
        if (text->characters[run->first].face) {
            shape_run(text, run, buffer, out);
            continue;
        }
        for (uint32_t k = 0; k < run->n; k++)
            add_box(text, text->codepoints[run->first + k], out);
    }
    hb_buffer_destroy(buffer);
}

bool rv_shape_line(struct rv_fonts *fonts, enum rv_typeface typeface, uint32_t size_64, bool waits, const char *text,
                   size_t n_bytes, struct rv_shaped *out)
{
    struct text read = {.n = 0};
    read.fonts = fonts;
    read.typeface = typeface;
    read.size_64 = size_64;
    decode(&read, text, text + n_bytes);
    out->n = 0;
    out->width = 0.0f;
    if (!choose_fonts(&read, waits))
        return false;
    find_scripts(&read);
    find_directions(&read);
    split_runs(&read);
    order_runs(&read);
    shape_runs(&read, out);
    return true;
}

void rv_shaped_fini(struct rv_shaped *shaped)
{
    free(shaped->glyphs);
}
