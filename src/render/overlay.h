/*
 * Flat rectangles and text over the picture, on whole pixels. Main thread, with a current context.
 *
 * Coordinates are points from the upper left; a point is `scale` pixels. Calls between begin and draw appear in order.
 */
#ifndef RV_RENDER_OVERLAY_H
#define RV_RENDER_OVERLAY_H

#include <GL/glew.h>
#include <stdbool.h>

#include "render/text_glyphs.h"
#include "render/theme.h"

struct rv_overlay; /* opaque */

/* 0 through *overlay, or -ENOTSUP with one line printed. The atlas is the caller's and outlives the pass. */
int rv_overlay_create(struct rv_overlay **overlay, struct rv_text_glyphs *atlas);
void rv_overlay_destroy(struct rv_overlay *overlay);

/* Begin a frame: empty. */
void rv_overlay_begin(struct rv_overlay *overlay, const int size_px[2], double scale, const struct rv_theme *theme);

/* The theme, for all that draw on the overlay. */
const struct rv_theme *rv_overlay_theme(const struct rv_overlay *overlay);

struct rv_overlay_area {
    float x, y, width, height;
};

/* Room for a label, of a frame's first thousand: false where another one that claimed it before is in the way. */
bool rv_overlay_claim(struct rv_overlay *overlay, struct rv_overlay_area area);

/* rgba as of rv_theme_rgba(). */
void rv_overlay_rectangle(struct rv_overlay *overlay, struct rv_overlay_area area, float radius, uint32_t rgba);

/* Points; width too. */
void rv_overlay_line(struct rv_overlay *overlay, const float from[2], const float to[2], float width, uint32_t rgba);

/* font: RV_FONT_TEXT, RV_FONT_BOLD or RV_FONT_SMALL; the baseline is at y. */
void rv_overlay_text(struct rv_overlay *overlay, enum rv_font font, const float at[2], const char *text, uint32_t rgba);

/* Width of a text in points. */
float rv_overlay_text_width(const struct rv_overlay *overlay, enum rv_font font, const char *text);

/* The texture of its glyphs. Borrowed. */
struct rv_text_glyphs *rv_overlay_atlas(const struct rv_overlay *overlay);

/* Draw everything into the bound framebuffer. */
void rv_overlay_draw(struct rv_overlay *overlay);

#endif
