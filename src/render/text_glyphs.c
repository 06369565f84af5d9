#include "render/text_glyphs.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "glyphs/clusters.h"
#include "glyphs/texture.h"

struct rv_text_glyphs {
    struct rv_text_lines *lines;
    GLuint texture;
};

struct rv_text_glyphs *rv_text_glyphs_create(void)
{
    const struct rv_glyph_image baked = {rv_font_atlas.texels, rv_font_atlas.width, rv_font_atlas.height};
    struct rv_text_glyphs *atlas = rv_alloc(1, sizeof *atlas);
    atlas->lines = rv_text_lines_create(&baked);
    atlas->texture = rv_glyph_texture_create(&baked);
    return atlas;
}

void rv_text_glyphs_destroy(struct rv_text_glyphs *atlas)
{
    if (!atlas)
        return;
    rv_text_lines_destroy(atlas->lines);
    glDeleteTextures(1, &atlas->texture);
    free(atlas);
}

void rv_text_glyphs_begin(struct rv_text_glyphs *atlas, uint64_t budget_ns)
{
    rv_text_lines_begin(atlas->lines, budget_ns);
}

bool rv_text_glyphs_is_late(const struct rv_text_glyphs *atlas)
{
    return rv_text_lines_is_late(atlas->lines);
}

static struct rv_text_line_style style_of(enum rv_font font)
{
    static const enum rv_typeface typefaces[RV_FONT_COUNT] = {
        [RV_FONT_LABEL] = RV_TYPEFACE_LABEL,  [RV_FONT_TEXT] = RV_TYPEFACE_TEXT,
        [RV_FONT_BOLD] = RV_TYPEFACE_BOLD,    [RV_FONT_SMALL] = RV_TYPEFACE_TEXT,
        [RV_FONT_TEXT_2X] = RV_TYPEFACE_TEXT, [RV_FONT_BOLD_2X] = RV_TYPEFACE_BOLD,
        [RV_FONT_SMALL_2X] = RV_TYPEFACE_TEXT};
    return (struct rv_text_line_style){typefaces[font], rv_font_atlas.faces[font].size_px};
}

float rv_text_glyphs_width(struct rv_text_glyphs *atlas, enum rv_font font, const char *text, size_t n_bytes)
{
    float width;
    if (rv_font_measure(font, text, n_bytes, &width))
        return width;
    const struct rv_text_line_style style = style_of(font);
    return rv_text_lines_width(atlas->lines, &style, text, n_bytes);
}

static float measure(const void *context, const char *text, size_t n_bytes)
{
    const struct rv_text_glyphs_font *font = context;
    return rv_text_glyphs_width(font->atlas, font->font, text, n_bytes);
}

struct rv_short_name_room rv_text_glyphs_room(const struct rv_text_glyphs_font *font, float width)
{
    return (struct rv_short_name_room){width, measure, rv_cluster_next, font};
}

struct rv_text_glyphs_text rv_text_glyphs_read(struct rv_text_glyphs *atlas, enum rv_font font, const char *text,
                                               float origin, float scale)
{
    struct rv_text_glyphs_text read = {.font = font, .origin = origin, .pen = origin, .scale = scale};
    const struct rv_text_line_style style = style_of(font);
    if (rv_font_has_all(text))
        read.rest = text;
    else
        read.line = rv_text_lines_get(atlas->lines, &style, text, strlen(text));
    return read;
}

static bool next_baked(struct rv_text_glyphs_text *text, struct rv_text_line_glyph *out)
{
    uint32_t codepoint;
    while ((codepoint = rv_font_next(&text->rest))) {
        const struct rv_glyph *glyph = rv_font_glyph(text->font, codepoint);
        *out = (struct rv_text_line_glyph){text->pen,     glyph->x,    glyph->y,  glyph->width,
                                           glyph->height, glyph->left, glyph->top};
        text->pen += (float)glyph->advance_64 * (text->scale / 64.0f);
        if (glyph->width)
            return true;
    }
    return false;
}

bool rv_text_glyphs_next(struct rv_text_glyphs_text *text, struct rv_text_line_glyph *glyph)
{
    if (text->rest)
        return next_baked(text, glyph);
    for (; text->line.n; text->line.n--) {
        *glyph = *text->line.glyphs++;
        glyph->pen = text->origin + glyph->pen * text->scale;
        if (glyph->width) {
            text->line.n--;
            return true;
        }
    }
    return false;
}

void rv_text_glyphs_bind(struct rv_text_glyphs *atlas)
{
    rv_glyph_texture_bind(atlas->texture, rv_text_lines_atlas(atlas->lines));
}
