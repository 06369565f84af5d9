/*
 * What a picture shows, and all of it that takes time in proportion to its boxes: colours, boxes as the GPU gets them,
 * what stands where for the pointer, which boxes may carry a name. No GL: one thread composes it, then others read it,
 * until it is composed again. What is drawn, picked and listed is all of one picture.
 */
#ifndef RV_RENDER_FRAME_DATA_H
#define RV_RENDER_FRAME_DATA_H

#include "model/leaf_view.h"
#include "render/palette.h"
#include "render/pick.h"
#include "render/box_buffer.h"

struct rv_frame_data_wide { /* a box that may carry a name: of the content's boxes, and on its lanes */
    uint32_t box, lane;
};

struct rv_frame_data {               /* zeroed = empty */
    const struct rv_view *view;      /* borrowed */
    struct rv_leaf_view leaves;      /* while has_leaves */
    bool has_leaves;                 /* what is shown is the leaves' view: of all lanes, or of those shown as one row */
    struct rv_palette *palette;      /* has learned this view, and those before */
    struct rv_box_buffer records;    /* of the content */
    struct rv_pick pick;             /* of the content */
    struct rv_frame_data_wide *wide; /* by lane and start */
    size_t n_wide, wide_capacity;
};

struct rv_frame_data_params {
    const struct rv_view *view; /* lives as long as it is not composed again */
    struct rv_subroutines *subroutines;
    const struct rv_frame_data *before; /* whose colours go on; NULL = its own do. Read */
    bool has_leaves;                    /* innermost calls only, of all lanes */
    int width_px;
    enum rv_color_scheme scheme;
    const struct rv_compare *compare; /* for RV_COLOR_DIFFERENCE; NULL = none. Borrowed */
};

/* O(boxes). One thread at a time, while nobody reads it. */
void rv_frame_data_compose(struct rv_frame_data *picture, const struct rv_frame_data_params *params);
void rv_frame_data_fini(struct rv_frame_data *picture);

/* The view that is drawn, whole or reduced. */
const struct rv_view *rv_frame_data_content(const struct rv_frame_data *picture);

#endif
