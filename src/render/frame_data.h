/*
 * The contents of a picture, with everything whose cost is proportional to its boxes: colours, boxes in GPU form, the
 * index for picking, boxes that may carry a name. No GL. One thread composes it, then others read it until it is
 * composed again. Drawing, picking and lists all use the same picture.
 */
#ifndef RV_RENDER_FRAME_DATA_H
#define RV_RENDER_FRAME_DATA_H

#include "model/leaf_view.h"
#include "render/arc_list.h"
#include "render/box_colors.h"
#include "render/pick.h"
#include "render/box_buffer.h"

struct rv_frame_data_wide { /* a box that may carry a name: indices into the content's boxes and lanes */
    uint32_t box, lane;
};

struct rv_frame_data {               /* zeroed = empty */
    const struct rv_view *view;      /* borrowed */
    struct rv_leaf_view leaves;      /* valid if has_leaves */
    bool has_leaves;                 /* the leaf view is shown: of all lanes, or of those shown as one row */
    struct rv_box_colors *colors;    /* updated with this view and earlier ones */
    struct rv_off_cpu off_cpu;       /* of the view's lanes */
    struct rv_box_buffer records;    /* of the content */
    struct rv_pick pick;             /* of the content */
    struct rv_frame_data_wide *wide; /* by lane and start */
    size_t n_wide, wide_capacity;
    struct rv_arc_list arcs;
};

struct rv_frame_data_params {
    const struct rv_view *view; /* valid until composed again */
    struct rv_subroutines *subroutines;
    const struct rv_frame_data *before; /* picture whose colours are continued; NULL = its own. Read only */
    bool has_leaves;                    /* innermost calls only, of all lanes */
    enum rv_box_colors_stage stage;
    int width_px;
    enum rv_color_scheme scheme;
    const struct rv_diff *diff;       /* for RV_COLOR_DIFFERENCE; NULL = none. Borrowed */
    const struct rv_arc_levels *arcs; /* NULL = none. Borrowed until it returns */
};

/* Forget all colours, and choose them for this view: of a whole run, whatever part is shown later. */
void rv_frame_data_learn_colours(struct rv_frame_data *picture, const struct rv_view *view,
                                 struct rv_subroutines *subroutines);

/* O(boxes). One thread at a time, with no readers. */
void rv_frame_data_compose(struct rv_frame_data *picture, const struct rv_frame_data_params *params);
void rv_frame_data_fini(struct rv_frame_data *picture);

/* The view that is drawn: the whole one or the leaf view. */
const struct rv_view *rv_frame_data_content(const struct rv_frame_data *picture);

#endif
