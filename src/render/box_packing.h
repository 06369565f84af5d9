/*
 * Boxes in GPU form: 20 bytes, times as integers relative to the window's centre. No GL.
 *
 * Times are in units of 2^shift ns, the smallest with window >> shift < 2^30, so that neither float nor 32-bit
 * arithmetic in the shader can jitter or wrap, however long the trace.
 */
#ifndef RV_RENDER_BOX_PACKING_H
#define RV_RENDER_BOX_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

struct rv_box_record {
    int32_t start;     /* units from the window's centre */
    uint32_t duration; /* units */
    uint32_t paint;    /* colour index 0..11, cell 12, emphasis 14..15 without a highlight; of a cell:
                          coverage 16..31, else marks */
    uint32_t place;    /* depth 0..15, lane 16..31 */
    uint32_t id;       /* of the subroutine */
};

#define RV_PAINT_COLOUR_MASK 0xFFFu
#define RV_PAINT_CELL (1u << 12)
#define RV_PAINT_EMPHASIS_SHIFT 14 /* enum rv_emphasis */
#define RV_PAINT_COVERAGE_SHIFT 16
#define RV_PAINT_ORPHAN (1u << 16)  /* its call was not seen; set if its begin is in the window */
#define RV_PAINT_CUT (1u << 17)     /* not ended by its return; set if its end is in the window */
#define RV_PAINT_OPEN (1u << 18)    /* not ended yet; set if its end so far is in the window */
#define RV_PAINT_OFF_CPU (1u << 19) /* its thread was off the CPU in a part of it */
#define RV_PLACE_LANE_SHIFT 16
#define RV_PLACE_MAX 0xFFFFu

struct rv_box_packing {
    uint64_t from_ns, to_ns, centre_ns;
    uint32_t shift;
    uint64_t box_min_ns; /* narrower calls are widened to stay visible; cells see render/cell_bar.h */
};

void rv_box_packing_init(struct rv_box_packing *pack, uint64_t from_ns, uint64_t to_ns, double ns_per_pixel);

/* One box, clipped to the window. colour_idx < 4096; depths and lanes beyond 16 bits are drawn as the last.
 */
struct rv_box_record rv_box_packing_box(const struct rv_box_packing *pack, const struct rv_box *box, size_t lane,
                                        uint32_t colour_idx);

enum rv_box_packing_form {
    RV_BOX_PACKING_PLAIN, /* for the shader's short form */
    RV_BOX_PACKING_RICH,  /* marked or striped */
    RV_BOX_PACKING_CELL,  /* transparent */
    RV_BOX_PACKING_FORM_COUNT
};

/* The number of records of each form. is_rich: none is plain. */
void rv_box_packing_count(const struct rv_box_record *records, size_t n, bool is_rich,
                          size_t counts[RV_BOX_PACKING_FORM_COUNT]);

/*
 * Sort boxes of one lane: deeper ones first, since they hide the tops of those below; within a depth the order stays.
 *   ends  where the boxes of each form go: calls from there on, cells before it, so that a later lane is drawn first.
 *         All are moved
 */
void rv_box_packing_order(const struct rv_box_record *records, size_t n, bool is_rich,
                          struct rv_box_record *ends[RV_BOX_PACKING_FORM_COUNT]);

/* Window widths per unit, and the centre as a share of the window: x = centre + start * scale. */
double rv_box_packing_scale(const struct rv_box_packing *pack);
double rv_box_packing_centre(const struct rv_box_packing *pack);

#endif
