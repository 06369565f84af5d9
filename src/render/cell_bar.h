/*
 * How a fold (a density cell) is drawn: a bar in the middle of the cell, whose width times its light is the cell's
 * coverage. What is hardly covered is a spike, the fuller a cell the wider and the brighter its bar, and a covered cell
 * is solid. A bar has a front and a top, as large as its width; the side of a spike, which is many times as large,
 * would show more coverage than there is. Bars that are wider than their cells overlap, and have as much light as all
 * of them need for their coverage together. shaders/box.vert computes the same.
 */
#ifndef RV_RENDER_CELL_BAR_H
#define RV_RENDER_CELL_BAR_H

#include <math.h>

#define RV_FOLD_POWER 0.75f    /* width = coverage to this power, as a share of the cell's; the rest is light */
#define RV_FOLD_LEAST_PX 1.0f  /* narrower bars are widened, and have less light for it */
#define RV_FOLD_PICK_PX 3.0f   /* the same for the bars that are pointed at, within their cells */
#define RV_FOLD_THICKNESS 0.9f /* as a share of a call's: calls stand before cells of their row */

/* The bar's share of its cell's width: more than 1 if the cell is narrower than least_px. */
static inline float rv_cell_bar_share(float coverage, float width_px, float least_px)
{
    return fmaxf(powf(coverage, RV_FOLD_POWER), least_px / width_px);
}

#endif
