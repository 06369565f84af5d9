/*
 * Joins density cells that are narrower than a pixel: the picture then has one cell a pixel and row, whose coverage is
 * the sum of theirs. Drawn one over another, only the last would show.
 */
#ifndef RV_MODEL_PIXEL_CELLS_H
#define RV_MODEL_PIXEL_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/timeline.h"

struct rv_pixel_cells_row { /* the last joined cell of a depth */
    uint64_t covered_ns, weight;
    size_t box; /* its index, plus one; 0 = none */
};

struct rv_pixel_cells { /* zeroed = ready; scratch only */
    struct rv_pixel_cells_row *rows;
    size_t n_rows;
};

/* The widest cells that are joined in a picture: a power of two, between one and two pixels; 0 = none. */
uint64_t rv_pixel_cells_width_ns(double pixel_ns);

/*
 * Join a lane's cells that are narrower than width_ns, in place. Cells of a depth come in order of time; a joined cell
 * begins at a multiple of the width, has the majority's subroutine, and is a hit if any of its cells is one.
 *   width_ns  a power of two, or 0: nothing is joined
 *   returns   the number of boxes left
 */
size_t rv_pixel_cells_join(struct rv_pixel_cells *cells, struct rv_box *boxes, size_t n, uint64_t width_ns);

/* Is it a call, not an open one, that others in a cell of this width may hide, or be hidden by? In one of 1 ns none is. */
static inline bool rv_pixel_cells_is_short(const struct rv_box *box, uint64_t width_ns)
{
    return box->duration_ns < width_ns / 2 && box->coverage == RV_BOX_EXACT && !(box->flags & RV_SPAN_OPEN);
}

/*
 * Add a short call to the last of n boxes of its lane, sorted by start, that begins in the same column, at its depth: a
 * cell, or a short call, which becomes one. A call that is alone stays one.
 *   returns  number of calls that are folded for it; 0 = there is none near
 */
size_t rv_pixel_cells_add_call(struct rv_box *boxes, size_t n, const struct rv_box *call, uint64_t width_ns);

void rv_pixel_cells_fini(struct rv_pixel_cells *cells);

#endif
