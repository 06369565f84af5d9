/* A panel about one box, beside the cursor: swatch, name and lines of details. */
#ifndef RV_RENDER_TOOLTIP_H
#define RV_RENDER_TOOLTIP_H

#include <stddef.h>
#include <stdint.h>

#include "model/box.h"

struct rv_overlay;
struct rv_box_colors;

#define RV_TOOLTIP_LINES 20u /* all rows that there are about a call: a new row needs one more */
#define RV_TOOLTIP_TITLE_BYTES 512

struct rv_tooltip_line {
    const char *label; /* outlives the tooltip */
    char text[128];
};

struct rv_tooltip {
    float at[2];       /* points from the upper left: its anchor */
    struct rv_box box; /* for the swatch, with its thread */
    uint32_t thread;
    char title[RV_TOOLTIP_TITLE_BYTES];
    struct rv_tooltip_line lines[RV_TOOLTIP_LINES];
    size_t n_lines;
    const char *foot; /* "": none */
};

/* Append a line, with an empty text. There must be room. */
struct rv_tooltip_line *rv_tooltip_add_line(struct rv_tooltip *tooltip, const char *label);

#define RV_TOOLTIP_GAP 24.0f /* points between it and its anchor */

/* Upper left corner of a panel: right of and above the anchor, on the other side if there is no room, and inside the
 * picture as far as possible. All in points; `top` is the height of the bar. */
void rv_tooltip_place(const float size[2], const float at[2], const float picture[2], float top, float out[2]);

/* Add it to the overlay of a picture that ends here, in points, at the panels at its right and foot; below the bar. */
void rv_tooltip_add(struct rv_overlay *overlay, const struct rv_box_colors *colors, const struct rv_tooltip *tooltip,
                    const float picture[2], float top);

#endif
