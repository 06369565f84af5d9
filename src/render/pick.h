/*
 * Finds the box under a pixel. No GL.
 *
 * The pixel's ray crosses the lanes' slabs and in each the rows; in a row, binary search finds the boxes of that
 * stretch of time; the nearest box wins. It uses the boxes packed for drawing, so minimum widths, thickness and
 * clipping are those of the picture.
 */
#ifndef RV_RENDER_PICK_H
#define RV_RENDER_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "render/camera.h"
#include "render/box_colors.h"
#include "render/box_buffer.h"
#include "render/lane_layout.h"

struct rv_pick_item {
    int32_t start, end; /* units of the pack */
    int32_t reach;      /* greatest end in the row so far */
    uint32_t box;       /* into the view's boxes */
    float fullness;     /* coverage of a cell; 1 = exact */
    float height;       /* share of its row's boxes' height */
};

struct rv_pick_lane {
    size_t first_row; /* into rows; one row per depth */
    uint32_t n_rows;
};

struct rv_pick {                /* zeroed = empty */
    double centre, unit;        /* the window's centre and a unit's width, as shares of the window */
    struct rv_pick_item *items; /* by lane, depth, start */
    size_t n_items, items_capacity;
    uint32_t *rows; /* first item of each row, plus one at the end */
    size_t n_rows, rows_capacity;
    struct rv_pick_lane *lanes;
    size_t n_lanes, lanes_capacity;
};

struct rv_pick_hit {
    uint32_t box, lane; /* into the view's boxes and lanes */
};

/* Index the view by its records. The colours give boxes their heights. O(boxes). */
void rv_pick_update(struct rv_pick *pick, const struct rv_view *view, const struct rv_box_buffer *records,
                    const struct rv_box_colors *colors);
void rv_pick_fini(struct rv_pick *pick);

struct rv_pick_params {
    const struct rv_lane_layout *layout; /* layout of the view */
    const struct rv_camera *camera;
    double at_px[2]; /* the middle of a pixel is at .5 */
};

/* The box drawn at a position; false if none. */
bool rv_pick_at(const struct rv_pick *pick, const struct rv_pick_params *params, struct rv_pick_hit *hit);

#endif
