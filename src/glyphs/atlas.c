#include "glyphs/atlas.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static void mark_changed(struct rv_glyph_atlas *atlas, uint32_t from, uint32_t to)
{
    const bool is_first = atlas->changed_from == atlas->changed_to;
    atlas->changed_from = is_first || from < atlas->changed_from ? from : atlas->changed_from;
    atlas->changed_to = is_first || to > atlas->changed_to ? to : atlas->changed_to;
}

static void begin(struct rv_glyph_atlas *atlas)
{
    const struct rv_glyph_image *base = &atlas->base;
    if (!atlas->texels)
        atlas->texels = rv_alloc_sparse(RV_GLYPH_ATLAS_WIDTH, RV_GLYPH_ATLAS_HEIGHT);
    for (uint32_t row = 0; row < base->height; row++)
        memcpy(atlas->texels + (size_t)row * RV_GLYPH_ATLAS_WIDTH, base->texels + (size_t)row * base->width,
               base->width);
    atlas->pen_x = 1;
    atlas->pen_y = base->height + 1;
    atlas->shelf_height = 0;
    mark_changed(atlas, 0, base->height);
}

static bool find_room(struct rv_glyph_atlas *atlas, const struct rv_glyph_image *image)
{
    if (atlas->pen_x + image->width + 1 > RV_GLYPH_ATLAS_WIDTH) {
        atlas->pen_x = 1;
        atlas->pen_y += atlas->shelf_height + 1;
        atlas->shelf_height = 0;
    }
    return atlas->pen_y + image->height + 1 <= RV_GLYPH_ATLAS_HEIGHT;
}

bool rv_glyph_atlas_place(struct rv_glyph_atlas *atlas, const struct rv_glyph_image *image, size_t row_bytes,
                          uint16_t *x, uint16_t *y)
{
    if (!atlas->texels)
        begin(atlas);
    if (image->width > RV_GLYPH_ATLAS_WIDTH / 2 || !find_room(atlas, image))
        return false;
    for (uint32_t row = 0; row < image->height; row++)
        memcpy(atlas->texels + (size_t)(atlas->pen_y + row) * RV_GLYPH_ATLAS_WIDTH + atlas->pen_x,
               image->texels + row * row_bytes, image->width);
    mark_changed(atlas, atlas->pen_y, atlas->pen_y + image->height);
    *x = (uint16_t)atlas->pen_x;
    *y = (uint16_t)atlas->pen_y;
    atlas->pen_x += image->width + 1;
    if (image->height > atlas->shelf_height)
        atlas->shelf_height = image->height;
    return true;
}

void rv_glyph_atlas_clear(struct rv_glyph_atlas *atlas)
{
    if (!atlas->texels)
        return;
    const uint32_t used = atlas->pen_y + atlas->shelf_height;
    memset(atlas->texels, 0, (size_t)used * RV_GLYPH_ATLAS_WIDTH);
    begin(atlas);
    mark_changed(atlas, 0, used);
}

void rv_glyph_atlas_fini(struct rv_glyph_atlas *atlas)
{
    free(atlas->texels);
}
