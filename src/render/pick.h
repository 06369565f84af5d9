/*
 * Which box stands under a pixel. No GL.
 *
 * The ray of the pixel meets the lanes' slabs, in them the rows that it passes, and in a row, by binary search, the
 * boxes of that stretch of time; the nearest wins. Boxes are taken as they are packed for drawing, so minimum widths,
 * thickness and what is clipped are those of the picture.
 */
#ifndef RV_RENDER_PICK_H
#define RV_RENDER_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "render/camera.h"
#include "render/palette.h"
#include "render/stage.h"

struct rv_pick_item {
    int32_t start, end; /* units of the pack */
    int32_t reach;      /* greatest end of the row up to here */
    uint32_t box;       /* into the view's boxes */
    float fullness;     /* coverage of a cell; 1 = exact */
    float height;       /* share of its row's boxes' height */
};

struct rv_pick_lane {
    size_t first_row; /* into rows; one row per depth */
    uint32_t n_rows;
};

struct rv_pick { /* zeroed = empty */
    const struct rv_stage *stage;
    double centre_x, unit_x;    /* world x of the window's centre, world x per unit */
    struct rv_pick_item *items; /* by lane, depth, start */
    size_t n_items, items_capacity;
    uint32_t *rows; /* first item of each row, and one more at the end */
    size_t n_rows, rows_capacity;
    struct rv_pick_lane *lanes;
    size_t n_lanes, lanes_capacity;
    struct rv_box_record *records; /* scratch */
    size_t records_capacity;
};

struct rv_pick_hit {
    uint32_t box, lane; /* into the view's boxes and lanes */
};

/* Index the view as it stands on the stage in a picture this wide. The stage is read by rv_pick_at() too; the palette,
 * of which boxes have their heights, is not. O(boxes). */
void rv_pick_update(struct rv_pick *pick, const struct rv_view *view, const struct rv_stage *stage,
                    const struct rv_palette *palette, int width_px);
void rv_pick_fini(struct rv_pick *pick);

/* The box drawn at a position (the middle of a pixel is at .5); false where there is none. */
bool rv_pick_at(const struct rv_pick *pick, const struct rv_camera *camera, const double at_px[2],
                struct rv_pick_hit *hit);

#endif
