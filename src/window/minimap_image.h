/*
 * The minimap's pixels: a row for each lane, in each column the colour of what it did, as bright as it was busy. No GL.
 * While the trace grows it is made again when it can have changed visibly, a part in each frame.
 */
#ifndef RV_WINDOW_MINIMAP_IMAGE_H
#define RV_WINDOW_MINIMAP_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/live_edge.h"
#include "model/leaf_view.h"
#include "render/palette.h"

struct rv_minimap_image { /* zeroed = empty */
    uint8_t *rgba;        /* width * height, rows top first */
    int width, height;
    uint64_t first_ns, last_ns; /* of its edges */
    uint64_t version;           /* other pixels, other version */
    uint64_t made_ns;
    enum rv_color_scheme scheme;
    struct rv_color idle;
    struct rv_view view;
    struct rv_leaf_view leaves;
    bool is_making;      /* the next pixels: nobody looks at rgba before there is another version */
    size_t n_painted;    /* lanes of them */
    float (*columns)[4]; /* scratch: weighted colour and weight */
};

struct rv_minimap_image_params {
    struct rv_lanes *lanes;
    const struct rv_palette *palette; /* knows the subroutines on show */
    const struct rv_live_edge *live_edge;
    struct rv_color idle; /* of a lane that does nothing */
    int width, height;    /* pixels */
    uint64_t clock_ns;
};

/* At once when what there is cannot stay, or nothing more will come; else for about half a millisecond. */
void rv_minimap_image_update(struct rv_minimap_image *minimap_image, const struct rv_minimap_image_params *params);
void rv_minimap_image_fini(struct rv_minimap_image *minimap_image);

#endif
