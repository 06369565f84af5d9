/*
 * Joins density cells that are narrower than a pixel: the picture then has one cell a pixel and row, whose coverage is
 * the sum of theirs. Drawn one over another, only the last would show.
 */
#ifndef RV_MODEL_PIXEL_CELLS_H
#define RV_MODEL_PIXEL_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/box.h"
#include "scan/span.h"

struct rv_pixel_cells_row { /* the last joined cell of a depth */
    uint64_t covered_ns, weight;
    size_t box; /* its index, plus one; 0 = none */
};

struct rv_pixel_cells_last { /* the last box of a depth */
    uint64_t column_ns;      /* rv_pixel_cells_offered() */
    size_t box;
};

struct rv_pixel_cells { /* zeroed = ready; scratch only */
    struct rv_pixel_cells_row *rows;
    size_t n_rows;
    struct rv_pixel_cells_last *lasts; /* by depth; of an earlier lane or picture, too: its box decides */
    size_t n_lasts;
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

/* Is it a call, not an open one, that others in a cell of this width may hide, or be hidden by? In one of 1 ns none
 * is. */
static inline bool rv_pixel_cells_is_short(const struct rv_box *box, uint64_t width_ns)
{
    return (box->duration_ns < width_ns / 2) & (box->coverage == RV_BOX_EXACT) & !(box->flags & RV_SPAN_OPEN);
}

/* The column in which a short call looks for a box that it is added to; UINT64_MAX for others. Without a branch. */
static inline uint64_t rv_pixel_cells_wanted(const struct rv_box *box, uint64_t width_ns)
{
    const bool is_apart = !rv_pixel_cells_is_short(box, width_ns);
    return (box->start_ns & ~(width_ns - 1)) | -(uint64_t)is_apart;
}

/* The column whose calls are added to a box, if it is a cell or a short call, which becomes one; else UINT64_MAX -
 * 1. */
static inline uint64_t rv_pixel_cells_offered(const struct rv_box *box, uint64_t width_ns)
{
    const bool is_full = (box->coverage == RV_BOX_EXACT) & !rv_pixel_cells_is_short(box, width_ns);
    return ((box->start_ns & ~(width_ns - 1)) | -(uint64_t)is_full) - is_full;
}

/* The last box of a depth, valid until the next call. */
static inline struct rv_pixel_cells_last *rv_pixel_cells_last(struct rv_pixel_cells *cells, uint32_t depth)
{
    if (depth >= cells->n_lasts)
        cells->lasts = rv_vec_extend(cells->lasts, &cells->n_lasts, (size_t)depth + 1, sizeof *cells->lasts);
    return &cells->lasts[depth];
}

/* Add a short call to a box of its depth that takes it. Returns the number of calls that are folded for it. */
size_t rv_pixel_cells_add_call(struct rv_box *box, const struct rv_box *call);

void rv_pixel_cells_fini(struct rv_pixel_cells *cells);

#endif
