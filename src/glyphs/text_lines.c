#include "glyphs/text_lines.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "glyphs/distance_field.h"
#include "glyphs/shape.h"

#define KEPT_GLYPHS_MAX 500000u /* of lines: 16 MB */
#define ESTIMATED_ADVANCE 0.6f  /* em a byte of a line that is not shaped yet */

struct picture { /* of a glyph */
    uint16_t x, y, width, height;
    int16_t left, top;
    bool is_loaded;
    uint32_t frame; /* the last frame that needs it */
};

struct placed {
    struct rv_shaped_glyph shaped;
    uint32_t picture; /* 1 .. */
};

struct kept_line {
    size_t first, n;
    float width;
};

struct rv_text_lines {
    struct rv_fonts *fonts; /* NULL until a line is needed */
    struct rv_glyph_atlas atlas;
    struct rv_hash_index line_of, picture_of;
    struct kept_line *kept;
    struct placed *placed;
    struct picture *pictures;
    size_t n_kept, kept_capacity, n_placed, placed_capacity, n_pictures, pictures_capacity;
    struct rv_text_line_glyph *out;
    size_t out_capacity;
    struct rv_shaped shaped;
    uint64_t budget_ns, spent_ns; /* of this frame; a budget of 0 has no limit */
    uint32_t frame;
    uint64_t texels_in_frame;
    bool is_late;
};

struct rv_text_lines *rv_text_lines_create(const struct rv_glyph_image *base)
{
    struct rv_text_lines *lines = rv_alloc(1, sizeof *lines);
    if (base)
        lines->atlas.base = *base;
    lines->budget_ns = 1; /* before the first frame */
    return lines;
}

void rv_text_lines_destroy(struct rv_text_lines *lines)
{
    if (!lines)
        return;
    rv_fonts_destroy(lines->fonts);
    rv_glyph_atlas_fini(&lines->atlas);
    rv_hash_index_fini(&lines->line_of);
    rv_hash_index_fini(&lines->picture_of);
    rv_shaped_fini(&lines->shaped);
    free(lines->kept);
    free(lines->placed);
    free(lines->pictures);
    free(lines->out);
    free(lines);
}

static void forget(struct rv_text_lines *lines)
{
    rv_hash_index_clear(&lines->line_of);
    rv_hash_index_clear(&lines->picture_of);
    rv_glyph_atlas_clear(&lines->atlas);
    lines->n_kept = lines->n_placed = lines->n_pictures = 0;
}

/* The last frame, of the atlas. */
static bool needs_less_than_half(const struct rv_text_lines *lines)
{
    return lines->texels_in_frame < (uint64_t)RV_GLYPH_ATLAS_WIDTH * RV_GLYPH_ATLAS_HEIGHT / 2;
}

void rv_text_lines_begin(struct rv_text_lines *lines, uint64_t budget_ns)
{
    const bool is_short = lines->atlas.pen_y > RV_GLYPH_ATLAS_HEIGHT / 4 * 3;
    if ((is_short && needs_less_than_half(lines)) || lines->n_placed > KEPT_GLYPHS_MAX)
        forget(lines);
    lines->budget_ns = budget_ns;
    lines->spent_ns = 0;
    lines->frame++;
    lines->texels_in_frame = 0;
    lines->is_late = false;
}

bool rv_text_lines_is_late(const struct rv_text_lines *lines)
{
    return lines->is_late;
}

struct rv_glyph_atlas *rv_text_lines_atlas(struct rv_text_lines *lines)
{
    return &lines->atlas;
}

/* Is there time left in this frame to shape one more text? There is always for the first. */
static bool has_time(struct rv_text_lines *lines)
{
    const bool has_some = !lines->budget_ns || lines->spent_ns < lines->budget_ns;
    lines->is_late |= !has_some;
    return has_some;
}

/* ---- lines ---- */

static uint32_t picture_for(struct rv_text_lines *lines, const struct rv_shaped_glyph *glyph)
{
    const uint64_t kind = (uint64_t)glyph->size_64 << 8 | glyph->typeface;
    const uint64_t key = rv_hash_combine(rv_hash_combine((uintptr_t)glyph->face, kind), glyph->glyph);
    uint32_t number = rv_hash_index_get(&lines->picture_of, key);
    if (number)
        return number;
    lines->pictures =
        rv_vec_reserve(lines->pictures, &lines->pictures_capacity, lines->n_pictures + 1, sizeof *lines->pictures);
    lines->pictures[lines->n_pictures] = (struct picture){.is_loaded = false};
    number = (uint32_t)++lines->n_pictures;
    rv_hash_index_add(&lines->picture_of, key, number);
    return number;
}

static struct kept_line *keep(struct rv_text_lines *lines, uint64_t key)
{
    const struct rv_shaped *shaped = &lines->shaped;
    lines->kept = rv_vec_reserve(lines->kept, &lines->kept_capacity, lines->n_kept + 1, sizeof *lines->kept);
    lines->placed =
        rv_vec_reserve(lines->placed, &lines->placed_capacity, lines->n_placed + shaped->n, sizeof *lines->placed);
    struct kept_line *line = &lines->kept[lines->n_kept];
    *line = (struct kept_line){lines->n_placed, shaped->n, shaped->width};
    rv_hash_index_add(&lines->line_of, key, (uint32_t)++lines->n_kept);
    for (size_t i = 0; i < shaped->n; i++)
        lines->placed[lines->n_placed++] = (struct placed){shaped->glyphs[i], picture_for(lines, &shaped->glyphs[i])};
    return line;
}

static bool shape(struct rv_text_lines *lines, enum rv_typeface typeface, uint32_t size_64, const char *text,
                  size_t n_bytes)
{
    const uint64_t start_ns = rv_clock_mono_ns();
    if (!lines->fonts)
        lines->fonts = rv_fonts_create();
    const bool waits = !lines->budget_ns;
    const bool is_shaped = rv_shape_line(lines->fonts, typeface, size_64, waits, text, n_bytes, &lines->shaped);
    lines->is_late |= !is_shaped;
    lines->spent_ns += rv_clock_mono_ns() - start_ns;
    return is_shaped;
}

/* NULL when there is no time to shape it. */
static struct kept_line *find_line(struct rv_text_lines *lines, const struct rv_text_line_style *style,
                                   const char *text, size_t n_bytes)
{
    const uint32_t size_64 = (uint32_t)lroundf(64.0f * style->size_px);
    const uint64_t key = rv_hash_bytes_seeded(text, n_bytes, (uint64_t)size_64 << 8 | (uint64_t)style->typeface);
    const uint32_t known = rv_hash_index_get(&lines->line_of, key);
    if (known)
        return &lines->kept[known - 1];
    return has_time(lines) && shape(lines, style->typeface, size_64, text, n_bytes) ? keep(lines, key) : NULL;
}

float rv_text_lines_width(struct rv_text_lines *lines, const struct rv_text_line_style *style, const char *text,
                          size_t n_bytes)
{
    const struct kept_line *line = find_line(lines, style, text, n_bytes);
    return line ? line->width : ESTIMATED_ADVANCE * style->size_px * (float)n_bytes;
}

/* ---- pictures ---- */

static void place(struct rv_text_lines *lines, struct picture *picture, const struct rv_glyph_image *image,
                  size_t row_bytes)
{
    if (!rv_glyph_atlas_place(&lines->atlas, image, row_bytes, &picture->x, &picture->y)) {
        lines->is_late |= needs_less_than_half(lines);
        return;
    }
    picture->width = (uint16_t)image->width;
    picture->height = (uint16_t)image->height;
}

static void place_field(struct rv_text_lines *lines, struct picture *picture, const FT_Bitmap *bitmap)
{
    const uint32_t spread = RV_DISTANCE_FIELD_SPREAD;
    const uint32_t width = bitmap->width + 2 * spread, height = bitmap->rows + 2 * spread;
    uint8_t *field = rv_alloc_scratch(width, height);
    rv_distance_field(bitmap->buffer, (size_t)bitmap->pitch, bitmap->width, bitmap->rows, field);
    place(lines, picture, &(struct rv_glyph_image){field, width, height}, width);
    picture->left = (int16_t)(picture->left - (int)spread);
    picture->top = (int16_t)(picture->top + (int)spread);
    free(field);
}

static void render(struct rv_text_lines *lines, const struct rv_shaped_glyph *glyph, struct picture *picture)
{
    struct rv_face *face = glyph->face;
    rv_face_set(face, glyph->typeface, glyph->size_64);
    const FT_GlyphSlot slot = face->outlines->glyph;
    if (FT_Load_Glyph(face->outlines, glyph->glyph, face->load_flags) || !slot->outline.n_points ||
        FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL))
        return;
    const FT_Bitmap *bitmap = &slot->bitmap;
    picture->left = (int16_t)slot->bitmap_left;
    picture->top = (int16_t)slot->bitmap_top;
    if (glyph->typeface == RV_TYPEFACE_LABEL)
        place_field(lines, picture, bitmap);
    else
        place(lines, picture, &(struct rv_glyph_image){bitmap->buffer, bitmap->width, bitmap->rows},
              (size_t)bitmap->pitch);
}

static void load(struct rv_text_lines *lines, const struct rv_shaped_glyph *glyph, struct picture *picture)
{
    const uint64_t start_ns = rv_clock_mono_ns();
    render(lines, glyph, picture);
    picture->is_loaded = true;
    lines->spent_ns += rv_clock_mono_ns() - start_ns;
}

/* False when there is no time to load it. */
static bool need(struct rv_text_lines *lines, const struct placed *placed)
{
    struct picture *picture = &lines->pictures[placed->picture - 1];
    if (!picture->is_loaded) {
        if (!has_time(lines))
            return false;
        load(lines, &placed->shaped, picture);
    }
    if (picture->frame != lines->frame)
        lines->texels_in_frame += (uint64_t)picture->width * picture->height;
    picture->frame = lines->frame;
    return true;
}

struct rv_text_line rv_text_lines_get(struct rv_text_lines *lines, const struct rv_text_line_style *style,
                                      const char *text, size_t n_bytes)
{
    const struct kept_line *line = find_line(lines, style, text, n_bytes);
    if (!line)
        return (struct rv_text_line){NULL, 0};
    lines->out = rv_vec_reserve(lines->out, &lines->out_capacity, line->n, sizeof *lines->out);
    for (size_t i = 0; i < line->n; i++) {
        const struct placed *placed = &lines->placed[line->first + i];
        if (!need(lines, placed))
            return (struct rv_text_line){NULL, 0};
        const struct picture *picture = &lines->pictures[placed->picture - 1];
        const float rise = style->typeface == RV_TYPEFACE_LABEL ? placed->shaped.y : roundf(placed->shaped.y);
        lines->out[i] = (struct rv_text_line_glyph){
            placed->shaped.x,          picture->x, picture->y, picture->width, picture->height, picture->left,
            rise + (float)picture->top};
    }
    return (struct rv_text_line){lines->out, line->n};
}
