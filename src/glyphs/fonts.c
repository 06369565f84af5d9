#include "glyphs/fonts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <fontconfig/fontconfig.h>
#include <hb-ft.h>

#include "base/err.h"
#include "base/vec.h"

#define FACES_MAX 64u /* fonts open at once; characters of further fonts are not drawn */
#define SCRIPTS_SAID 16u

struct open_face {
    struct rv_face face;
    const FcPattern *pattern; /* NULL = embedded */
};

struct rv_fonts {
    FT_Library library;
    struct open_face *faces[FACES_MAX]; /* the embedded ones first; NULL outlines: does not open */
    size_t n_faces;
    pthread_t reader;
    bool is_reading, is_read;
    _Atomic bool is_listed; /* R1, R2 */
    FcConfig *config;       /* the reader's until is_listed, as are the lists */
    FcFontSet *lists[RV_TYPEFACE_COUNT];
    hb_script_t lacking[SCRIPTS_SAID]; /* of characters that no font has, in the order in which that was said */
    size_t n_lacking;
};

/* ---- the machine's list ---- */

static FcFontSet *list_fonts(FcConfig *config, enum rv_typeface typeface)
{
    FcResult result;
    FcPattern *wanted = FcPatternCreate();
    FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)"sans-serif");
    FcPatternAddInteger(wanted, FC_WEIGHT, typeface == RV_TYPEFACE_TEXT ? FC_WEIGHT_REGULAR : FC_WEIGHT_BOLD);
    FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
    FcConfigSubstitute(config, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcFontSet *list = FcFontSort(config, wanted, FcTrue, NULL, &result);
    FcPatternDestroy(wanted);
    return list;
}

static void *read_lists(void *context)
{
    struct rv_fonts *fonts = context;
    fonts->config = FcInitLoadConfigAndFonts();
    for (int i = 0; fonts->config && i < RV_TYPEFACE_COUNT; i++)
        fonts->lists[i] = list_fonts(fonts->config, (enum rv_typeface)i);
    atomic_store_explicit(&fonts->is_listed, true, memory_order_release); /* R1 -> R2 */
    return NULL;
}

/* False while the list is being read. */
static bool has_list(struct rv_fonts *fonts, bool waits)
{
    if (fonts->is_read)
        return true;
    if (!fonts->is_reading && pthread_create(&fonts->reader, NULL, read_lists, fonts))
        return true; /* without one */
    fonts->is_reading = true;
    if (!waits && !atomic_load_explicit(&fonts->is_listed, memory_order_acquire)) /* R2 <- R1 */
        return false;
    (void)pthread_join(fonts->reader, NULL);
    fonts->is_read = true;
    return true;
}

/* ---- open fonts ---- */

static struct rv_face *add_face(struct rv_fonts *fonts, FT_Face outlines, const FcPattern *pattern)
{
    struct open_face *added = fonts->faces[fonts->n_faces++] = rv_alloc(1, sizeof *added);
    *added = (struct open_face){{.outlines = outlines}, pattern};
    return &added->face;
}

static struct rv_face *open_face(struct rv_fonts *fonts, const FcPattern *pattern)
{
    FcChar8 *path = NULL;
    int index = 0;
    FT_Face outlines = NULL;
    for (size_t i = 0; i < fonts->n_faces; i++)
        if (fonts->faces[i]->pattern == pattern)
            return &fonts->faces[i]->face;
    if (fonts->n_faces == FACES_MAX)
        return NULL;
    (void)FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
    if (FcPatternGetString(pattern, FC_FILE, 0, &path) != FcResultMatch ||
        FT_New_Face(fonts->library, (const char *)path, index, &outlines))
        outlines = NULL;
    return add_face(fonts, outlines, pattern);
}

void rv_face_set(struct rv_face *face, enum rv_typeface typeface, uint32_t size_64)
{
    const int flags = FT_LOAD_NO_BITMAP | (typeface == RV_TYPEFACE_LABEL ? FT_LOAD_NO_HINTING : FT_LOAD_TARGET_LIGHT);
    if (face->size_64 == size_64 && face->load_flags == flags)
        return;
    face->size_64 = size_64;
    face->load_flags = flags;
    (void)FT_Set_Char_Size(face->outlines, 0, (FT_F26Dot6)size_64, 72, 72);
    if (!face->shapes)
        face->shapes = hb_ft_font_create_referenced(face->outlines);
    hb_ft_font_set_load_flags(face->shapes, flags);
    hb_ft_font_changed(face->shapes);
}

struct rv_fonts *rv_fonts_create(void)
{
    struct rv_fonts *fonts = rv_alloc(1, sizeof *fonts);
    rv_assert(!FT_Init_FreeType(&fonts->library));
    for (int i = 0; i < RV_TYPEFACE_COUNT; i++) {
        const struct rv_font_file file = rv_builtin_font((enum rv_typeface)i);
        FT_Face outlines = NULL;
        rv_assert(!FT_New_Memory_Face(fonts->library, file.bytes, (FT_Long)file.n_bytes, 0, &outlines));
        (void)add_face(fonts, outlines, NULL);
    }
    return fonts;
}

void rv_fonts_destroy(struct rv_fonts *fonts)
{
    if (!fonts)
        return;
    if (fonts->is_reading)
        (void)has_list(fonts, true);
    for (size_t i = 0; i < fonts->n_faces; i++) {
        hb_font_destroy(fonts->faces[i]->face.shapes);
        FT_Done_Face(fonts->faces[i]->face.outlines);
        free(fonts->faces[i]);
    }
    for (int i = 0; i < RV_TYPEFACE_COUNT; i++)
        if (fonts->lists[i])
            FcFontSetDestroy(fonts->lists[i]);
    if (fonts->config)
        FcConfigDestroy(fonts->config);
    FT_Done_FreeType(fonts->library);
    free(fonts);
}

/* ---- the choice ---- */

/* A joiner or selector that a font lacks is not shown. */
static bool is_needed(uint32_t codepoint)
{
    const bool is_selector = codepoint - 0xfe00u < 16u || codepoint - 0xe0000u < 0x1000u;
    return !is_selector && codepoint - 0x200bu >= 5u && codepoint != 0x2060u && codepoint != 0xfeffu;
}

static struct rv_face *find_builtin(struct rv_fonts *fonts, enum rv_typeface typeface, const uint32_t *codepoints,
                                    size_t n)
{
    struct rv_face *face = &fonts->faces[typeface]->face;
    for (size_t i = 0; i < n; i++)
        if (is_needed(codepoints[i]) && !FT_Get_Char_Index(face->outlines, codepoints[i]))
            return NULL;
    return face;
}

static bool lists_all(const FcPattern *pattern, const uint32_t *codepoints, size_t n)
{
    FcCharSet *characters;
    if (FcPatternGetCharSet(pattern, FC_CHARSET, 0, &characters) != FcResultMatch)
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_needed(codepoints[i]) && !FcCharSetHasChar(characters, codepoints[i]))
            return false;
    return true;
}

/* Pictures in colour have no outlines. */
static bool has_outlines(const FcPattern *pattern)
{
    FcBool has_them = FcTrue;
    (void)FcPatternGetBool(pattern, FC_OUTLINE, 0, &has_them);
    return has_them;
}

static struct rv_face *find_listed(struct rv_fonts *fonts, enum rv_typeface typeface, const uint32_t *codepoints,
                                   size_t n)
{
    const FcFontSet *list = fonts->lists[typeface];
    for (int i = 0; list && i < list->nfont; i++) {
        if (!lists_all(list->fonts[i], codepoints, n) || !has_outlines(list->fonts[i]))
            continue;
        struct rv_face *face = open_face(fonts, list->fonts[i]);
        if (face && face->outlines)
            return face;
    }
    return NULL;
}

static struct rv_face *find(struct rv_fonts *fonts, enum rv_typeface typeface, const uint32_t *codepoints, size_t n)
{
    struct rv_face *face = find_listed(fonts, typeface, codepoints, n);
    return face ? face : find_builtin(fonts, RV_TYPEFACE_TEXT, codepoints, n);
}

/* Once for each script, by its name in ISO 15924: Hang, Arab, Zyyy for signs of any. */
static void say_none(struct rv_fonts *fonts, uint32_t codepoint)
{
    const hb_script_t script = hb_unicode_script(hb_unicode_funcs_get_default(), codepoint);
    char name[5] = "";
    size_t i = 0;
    while (i < fonts->n_lacking && fonts->lacking[i] != script)
        i++;
    if (i < fonts->n_lacking || i == SCRIPTS_SAID)
        return;
    fonts->lacking[fonts->n_lacking++] = script;
    hb_tag_to_string(hb_script_to_iso15924_tag(script), name);
    rv_note(
        "no font on this machine has an outline of U+%04X (script %s): such characters are boxes with their numbers",
        codepoint, name);
}

enum rv_fonts_answer rv_fonts_find(struct rv_fonts *fonts, enum rv_typeface typeface, const uint32_t *codepoints,
                                   size_t n, bool waits, struct rv_face **face)
{
    *face = find_builtin(fonts, typeface, codepoints, n);
    if (!*face && !has_list(fonts, waits))
        return RV_FONTS_LATER;
    if (!*face)
        *face = find(fonts, typeface, codepoints, n);
    if (!*face && n > 1)
        return rv_fonts_find(fonts, typeface, codepoints, 1, waits, face);
    if (!*face)
        say_none(fonts, codepoints[0]);
    return *face ? RV_FONTS_FOUND : RV_FONTS_NONE;
}

struct rv_face *rv_fonts_builtin(struct rv_fonts *fonts, enum rv_typeface typeface)
{
    return &fonts->faces[typeface]->face;
}
