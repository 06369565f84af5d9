/*
 * Build-time tool: draws the glyphs of DejaVu Sans into one atlas and writes it as a C source.
 *
 *   bake_font FONT_DIRECTORY OUT.c
 *
 * Shelves from top to bottom, one pixel between glyphs, so that filtering never reads a neighbour.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_MODULE_H

#include "render/font_codepoints.h"

#define ATLAS_WIDTH 1024
#define ATLAS_HEIGHT_MAX 2048
#define SDF_SPREAD_PX 6

struct face_plan {
    const char *file;
    unsigned size_px;
    int is_sdf;
};

static const struct face_plan plans[RV_FONT_COUNT] = {
    [RV_FONT_LABEL] = {"DejaVuSansCondensed-Bold.ttf", 40, 1},
    [RV_FONT_TEXT] = {"DejaVuSans.ttf", 13, 0},
    [RV_FONT_BOLD] = {"DejaVuSans-Bold.ttf", 13, 0},
    [RV_FONT_SMALL] = {"DejaVuSans.ttf", 11, 0},
    [RV_FONT_TEXT_2X] = {"DejaVuSans.ttf", 26, 0},
    [RV_FONT_BOLD_2X] = {"DejaVuSans-Bold.ttf", 26, 0},
    [RV_FONT_SMALL_2X] = {"DejaVuSans.ttf", 22, 0},
};

static uint8_t texels[ATLAS_HEIGHT_MAX][ATLAS_WIDTH];
static struct rv_font_face faces[RV_FONT_COUNT];
static unsigned pen_x = 1, pen_y = 1, shelf_height;

static void fail(const char *what)
{
    fprintf(stderr, "bake_font: %s\n", what);
    exit(1);
}

static void place_bitmap(const FT_Bitmap *bitmap, struct rv_glyph *glyph)
{
    if (pen_x + bitmap->width + 1 > ATLAS_WIDTH) {
        pen_x = 1;
        pen_y += shelf_height + 1;
        shelf_height = 0;
    }
    if (pen_y + bitmap->rows + 1 > ATLAS_HEIGHT_MAX)
        fail("atlas full");
    for (unsigned row = 0; row < bitmap->rows; row++)
        memcpy(&texels[pen_y + row][pen_x], bitmap->buffer + (ptrdiff_t)row * bitmap->pitch, bitmap->width);
    glyph->x = (uint16_t)pen_x;
    glyph->y = (uint16_t)pen_y;
    glyph->width = (uint16_t)bitmap->width;
    glyph->height = (uint16_t)bitmap->rows;
    pen_x += bitmap->width + 1;
    if (bitmap->rows > shelf_height)
        shelf_height = bitmap->rows;
}

static void bake_glyph(FT_Face face, const struct face_plan *plan, uint32_t codepoint, struct rv_glyph *glyph)
{
    int load = plan->is_sdf ? FT_LOAD_NO_HINTING : FT_LOAD_TARGET_LIGHT;
    if (FT_Load_Char(face, codepoint, load))
        fail("a character does not load");
    FT_GlyphSlot slot = face->glyph;
    glyph->advance_64 = (uint16_t)slot->advance.x;
    if (!slot->outline.n_points)
        return;
    if (FT_Render_Glyph(slot, plan->is_sdf ? FT_RENDER_MODE_SDF : FT_RENDER_MODE_NORMAL))
        fail("a character does not render");
    glyph->left = (int16_t)slot->bitmap_left;
    glyph->top = (int16_t)slot->bitmap_top;
    place_bitmap(&slot->bitmap, glyph);
}

static void bake_face(FT_Library library, const char *directory, enum rv_font font)
{
    const struct face_plan *plan = &plans[font];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, plan->file);
    FT_Face face;
    if (FT_New_Face(library, path, 0, &face))
        fail(path);
    FT_Set_Pixel_Sizes(face, 0, plan->size_px);
    faces[font].size_px = (float)plan->size_px;
    faces[font].ascent_px = (float)face->size->metrics.ascender / 64.0f;
    faces[font].descent_px = -(float)face->size->metrics.descender / 64.0f;
    for (size_t i = 0; i < RV_FONT_GLYPHS; i++)
        bake_glyph(face, plan, rv_font_codepoint(i), &faces[font].glyphs[i]);
    FT_Done_Face(face);
}

static void write_face(FILE *out, const struct rv_font_face *face)
{
    fprintf(out, "  {%#gf, %#gf, %#gf, {\n", (double)face->size_px, (double)face->ascent_px, (double)face->descent_px);
    for (size_t i = 0; i < RV_FONT_GLYPHS; i++) {
        const struct rv_glyph *glyph = &face->glyphs[i];
        fprintf(out, "   {%u, %u, %u, %u, %d, %d, %u},\n", glyph->x, glyph->y, glyph->width, glyph->height, glyph->left,
                glyph->top, glyph->advance_64);
    }
    fprintf(out, "  }},\n");
}

static int write_source(FILE *out)
{
    unsigned height = pen_y + shelf_height + 1;
    fprintf(out, "#include \"render/font.h\"\n\nstatic const uint8_t texels[%u] = {\n", height * ATLAS_WIDTH);
    for (unsigned row = 0; row < height; row++) {
        for (unsigned column = 0; column < ATLAS_WIDTH; column++)
            fprintf(out, "%u,", texels[row][column]);
        fputc('\n', out);
    }
    fprintf(out, "};\n\nconst struct rv_font_atlas rv_font_atlas = {\n %u, %u, texels, {\n", ATLAS_WIDTH, height);
    for (int font = 0; font < RV_FONT_COUNT; font++)
        write_face(out, &faces[font]);
    fprintf(out, " }\n};\n");
    return ferror(out) | fclose(out);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        fail("usage: bake_font FONT_DIRECTORY OUT.c");
    FT_Library library;
    FT_Int spread = SDF_SPREAD_PX;
    if (FT_Init_FreeType(&library) || FT_Property_Set(library, "sdf", "spread", &spread))
        fail("FreeType with distance fields (2.11 or newer) is needed");
    for (int font = 0; font < RV_FONT_COUNT; font++)
        bake_face(library, argv[1], (enum rv_font)font);
    FT_Done_FreeType(library);
    FILE *out = fopen(argv[2], "w");
    if (!out || write_source(out))
        fail(argv[2]);
    return 0;
}
