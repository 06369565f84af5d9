/*
 * Where things stand in the scene. No GL.
 *
 * World: x is time, 0 at the window's start, `width` at its end; y is up, a row per call depth; z comes towards the
 * viewer, lane 0 in front at z = 0 and the others behind it. Row heights are fixed: only a lane deeper than the tallest
 * allowed stack gets thinner rows, in steps. A lane that was once seen deep keeps its room, so that nothing jumps while
 * panning.
 */
#ifndef RV_RENDER_STAGE_H
#define RV_RENDER_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

struct rv_stage_lane {
    float z;              /* middle */
    float half_thickness; /* of depth 0; shrinks by RV_STAGE_INSET per depth */
    float row_height;
    uint32_t n_rows;
};

struct rv_stage { /* zeroed = empty */
    uint64_t from_ns, to_ns;
    float width;
    float z_front, z_back; /* edges of the floor */
    float top;             /* height of the highest lane */
    float row;             /* height of a row, but in lanes too deep for it */
    struct rv_stage_lane *lanes;
    size_t n_lanes, lanes_capacity;
    uint32_t *rows_held; /* by lane_idx */
    size_t n_rows_held, rows_held_capacity;
};

#define RV_STAGE_WIDTH 26.0f
#define RV_STAGE_INSET 0.018f            /* thickness lost per depth */
#define RV_STAGE_THICKNESS_MIN 0.25f     /* share of thickness that always stays */
#define RV_STAGE_BOX_HEIGHT 0.92f        /* of a row */
#define RV_STAGE_CELL_THICKNESS_MIN 0.3f /* share of thickness left to a cell that is hardly covered */

void rv_stage_update(struct rv_stage *stage, const struct rv_view *view);
void rv_stage_fini(struct rv_stage *stage);

/* World x of a time; may lie outside [0, width]. */
double rv_stage_x(const struct rv_stage *stage, uint64_t time_ns);

/* Time at a world x, clamped to what a uint64_t holds. */
uint64_t rv_stage_time(const struct rv_stage *stage, double x);

/* Half thickness of a box at this depth. */
float rv_stage_thickness(const struct rv_stage_lane *lane, uint32_t depth);

/* Height of the lane's top above the floor. */
float rv_stage_lane_top(const struct rv_stage_lane *lane);

#endif
