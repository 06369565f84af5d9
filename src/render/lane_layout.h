/*
 * Layout of lanes in the scene. No GL.
 *
 * World: x is time, 0 at the window's start, `width` at its end; y is up, a row per call depth; z comes towards the
 * viewer, lane 0 in front at z = 0 and the others behind it. Row heights are the same, except that a lane deeper than
 * the tallest stack allowed gets thinner rows, in steps. A lane that was once deep keeps its room, so that nothing
 * jumps while panning, and one that once had values keeps the room of their graphs. Flat views stack the lanes at z = 0
 * instead, with y = 0 at the bottom and a world unit of 50 points; there, a lane is low while its calls have only
 * waited, in all that was shown of it so far.
 */
#ifndef RV_RENDER_LANE_LAYOUT_H
#define RV_RENDER_LANE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "render/view_mode.h"

#define RV_LANE_LAYOUT_GRAPHS_MAX 3u

struct rv_lane_layout_lane {
    float y;              /* of its bottom; 0 if lanes stand on the floor */
    float z;              /* middle */
    float half_thickness; /* of depth 0; shrinks by RV_LANE_LAYOUT_INSET per depth */
    float row_height;
    uint32_t n_rows;
    float zone[2];    /* the lane's own space between its neighbours: z from front to back; flat: y upwards */
    float graph_size; /* of each graph, along the zone */
    uint32_t n_graphs;
    uint32_t graph_ids[RV_LANE_LAYOUT_GRAPHS_MAX]; /* names of the values shown */
};

struct rv_lane_layout_held { /* room given to a lane, which it keeps */
    uint32_t n_rows, n_graphs;
    uint32_t n_low_rows; /* that it needed while it only waited */
    bool has_run, has_waited;
    uint32_t graph_ids[RV_LANE_LAYOUT_GRAPHS_MAX];
};

struct rv_lane_layout { /* zeroed = empty */
    uint64_t from_ns, to_ns;
    float width;
    bool is_flat;
    float box_share;       /* share of a row that a box fills */
    float scroll_range[2]; /* points; both 0: all lanes fit */
    float z_front, z_back; /* edges of the floor */
    float top;             /* height of the highest lane; flat: of all of them */
    float row;             /* height of a row, except in too deep lanes */
    struct rv_lane_layout_lane *lanes;
    size_t n_lanes, lanes_capacity;
    struct rv_lane_layout_held *held; /* by lane_idx */
    size_t n_held, held_capacity;
    int fit_step; /* of render/fit: the lanes' sizes that were the largest in the last picture */
};

#define RV_LANE_LAYOUT_WIDTH 26.0f
#define RV_LANE_LAYOUT_INSET 0.018f        /* thickness lost per depth */
#define RV_LANE_LAYOUT_THICKNESS_MIN 0.25f /* least share of the thickness */
#define RV_LANE_LAYOUT_POINT 0.02f         /* flat: world size of a point */
#define RV_LANE_LAYOUT_WALL_SHARE 0.9f     /* height of the back wall, as a share of the highest lane */
#define RV_LANE_LAYOUT_PLATE_MARGIN 0.16f  /* of a lane's plate, before and behind its boxes */

struct rv_lane_layout_params {
    const struct rv_view_mode_params *look;
    float room;       /* flat: height for the lanes in points */
    float scroll;     /* flat: points scrolled down from where the first lane's foot is in sight, clamped */
    float row_scale;  /* flat: of the rows' heights; 0 = 1 */
    float lane_scale; /* on the floor: of the lanes' sizes over the floor's width; 0 = 1 */
};

/* Take the lanes of a view; then place those of the same view, in one way or another. */
void rv_lane_layout_take(struct rv_lane_layout *layout, const struct rv_view *view,
                         const struct rv_view_mode_params *look);
void rv_lane_layout_place(struct rv_lane_layout *layout, const struct rv_view *view,
                          const struct rv_lane_layout_params *params);

/* Interpolate between layouts: share 0 gives `from`, 1 leaves the layout unchanged. */
void rv_lane_layout_mix(struct rv_lane_layout *layout, const struct rv_lane_layout *from, float share);
void rv_lane_layout_fini(struct rv_lane_layout *layout);

/* World x of a time; may lie outside [0, width]. */
double rv_lane_layout_x(const struct rv_lane_layout *layout, uint64_t time_ns);

/* Half thickness of a box at this depth. */
float rv_lane_layout_thickness(const struct rv_lane_layout_lane *lane, uint32_t depth);

/* y of the bottom of a depth's row in its lane. */
float rv_lane_layout_row_y(const struct rv_lane_layout_lane *lane, uint32_t depth);

/* Place of a graph's bottom and greatest value: z on the floor; flat: y. */
void rv_lane_layout_graph(const struct rv_lane_layout *layout, const struct rv_lane_layout_lane *lane, uint32_t which,
                          float *base, float *peak);

/* Height of the lane above its bottom. */
float rv_lane_layout_lane_top(const struct rv_lane_layout_lane *lane);

#endif
