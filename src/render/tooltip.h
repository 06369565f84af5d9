/* A panel about one box, beside the cursor: swatch, name, and lines of what is known of it. */
#ifndef RV_RENDER_TOOLTIP_H
#define RV_RENDER_TOOLTIP_H

#include <stddef.h>
#include <stdint.h>

#include "model/timeline.h"

struct rv_overlay;
struct rv_palette;

#define RV_TOOLTIP_LINES 10u
#define RV_TOOLTIP_TITLE_BYTES 512

struct rv_tooltip_line {
    const char *label; /* outlives the tooltip */
    char text[128];
};

struct rv_tooltip {
    float at[2];       /* points from the upper left: what it stands beside */
    struct rv_box box; /* the swatch's, and the thread that it is of */
    uint32_t thread;
    char title[RV_TOOLTIP_TITLE_BYTES];
    struct rv_tooltip_line lines[RV_TOOLTIP_LINES];
    size_t n_lines;
    const char *foot;
};

#define RV_TOOLTIP_GAP 24.0f /* points between it and what it stands beside */

/* Upper left corner of a panel: right of the position and above it, on the other side where there is no room, and
 * always inside the picture as far as it fits. All in points; `top` is what the bar takes. */
void rv_tooltip_place(const float size[2], const float at[2], const float picture[2], float top, float out[2]);

/* Add it to the overlay of a picture of this many points, below what is taken at its top. */
void rv_tooltip_add(struct rv_overlay *overlay, const struct rv_palette *palette, const struct rv_tooltip *tooltip,
                    const float picture[2], float top);

#endif
