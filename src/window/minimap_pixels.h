/*
 * The minimap's pixels: a row per lane, or for as many lanes as there are for a pixel; each column has the colours of
 * what they executed, by their times, as bright as they were busy; lost events have theirs. No GL. While the trace
 * grows, and when colours change, it is rebuilt, a part in each frame. It shows the whole trace; of an ended trace
 * whose calls have less than a fifth of the time, the part with calls.
 */
#ifndef RV_WINDOW_MINIMAP_PIXELS_H
#define RV_WINDOW_MINIMAP_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/live_edge.h"
#include "model/view.h"
#include "render/box_colors.h"
#include "render/selected_range.h"

struct rv_minimap_pixels { /* zeroed = empty */
    uint8_t *rgba;          /* width * height, rows top first */
    int width, height;
    uint64_t first_ns, last_ns; /* times of its edges */
    struct rv_range_ns trace;   /* bounds of the trace that it was made of */
    bool is_of_ended;           /* it had ended */
    uint64_t version;           /* changes with the pixels */
    uint64_t made_ns;
    uint64_t colors_version;
    enum rv_color_scheme scheme;
    struct rv_color idle;
    struct rv_view view;               /* has the boxes of one lane at a time */
    bool is_making;                    /* rgba is being rebuilt and not valid until the version changes */
    struct rv_minimap_column *columns; /* these are scratch, of the lanes of a row of pixels */
    size_t n_in_row;
    struct rv_minimap_call *callers; /* by depth, the last ones */
    size_t n_callers;
};

struct rv_minimap_pixels_params {
    struct rv_lanes *lanes;
    const struct rv_box_colors *colors; /* updated with the visible subroutines */
    struct rv_subroutines *subroutines;
    const struct rv_live_edge *live_edge;
    struct rv_color idle, lost; /* of an idle lane; of lost events */
    int width, height;          /* pixels */
    uint64_t clock_ns;
};

/* Rebuild at once if all pixels must be replaced or the trace has ended; else work for about half a millisecond. */
void rv_minimap_pixels_update(struct rv_minimap_pixels *minimap_image,
                              const struct rv_minimap_pixels_params *params);
void rv_minimap_pixels_fini(struct rv_minimap_pixels *minimap_image);

#endif
