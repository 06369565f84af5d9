/*
 * Pictures of glyphs side by side in one image: shelves from top to bottom, a pixel between glyphs, so that
 * filtering never reads a neighbour. Below a picture that was made before, which stays where it is.
 */
#ifndef RV_GLYPHS_ATLAS_H
#define RV_GLYPHS_ATLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_GLYPH_ATLAS_WIDTH 2048u
#define RV_GLYPH_ATLAS_HEIGHT 4096u

struct rv_glyph_image { /* one byte a pixel, rows top first */
    const uint8_t *texels;
    uint32_t width, height;
};

struct rv_glyph_atlas {
    struct rv_glyph_image base; /* borrowed; at the upper left */
    uint8_t *texels;            /* RV_GLYPH_ATLAS_WIDTH x RV_GLYPH_ATLAS_HEIGHT; NULL = still empty */
    uint32_t pen_x, pen_y, shelf_height;
    uint32_t changed_from, changed_to; /* rows that its texture lacks */
    bool is_in_texture;
};

/* Place an image of at most half the width: *x, *y. False when there is no room; an empty one needs none. */
bool rv_glyph_atlas_place(struct rv_glyph_atlas *atlas, const struct rv_glyph_image *image, size_t row_bytes,
                          uint16_t *x, uint16_t *y);

/* Remove all glyphs. */
void rv_glyph_atlas_clear(struct rv_glyph_atlas *atlas);

void rv_glyph_atlas_fini(struct rv_glyph_atlas *atlas);

#endif
