/* The arcs of one picture: between the lanes of its view, few enough to be drawn in every frame. No GL. */
#ifndef RV_RENDER_ARC_LIST_H
#define RV_RENDER_ARC_LIST_H

#include "model/view.h"
#include "render/arc_levels.h"
#include "render/camera.h"
#include "render/lane_layout.h"
#include "render/theme.h"

#define RV_ARC_LIST_MOST 128u /* more cannot be told apart */

struct rv_arc_item {
    struct rv_arc arc;
    uint32_t from_lane, to_lane; /* of the view */
    uint32_t from_depth, to_depth;
    uint64_t shift_ns; /* by how much earlier it is drawn */
    float strength;    /* 0..1: by the total length of the waits */
};

struct rv_arc_list { /* zeroed = empty */
    struct rv_arc_item *items;
    size_t n, capacity;
    size_t n_left;   /* arcs that are not drawn, as the coarsest level has too many; the longest are drawn */
    uint32_t *lanes; /* scratch: by lane_idx, 1 + the lane of the view */
    size_t lanes_capacity, n_lanes;
};

/*
 * Make the list of the index's arcs (NULL: none) and of the links of a view of tasks. content: the view that is drawn.
 */
void rv_arc_list_make(struct rv_arc_list *list, const struct rv_arc_levels *index, const struct rv_view *content,
                      const struct rv_view *view);
void rv_arc_list_fini(struct rv_arc_list *list);

/* 0xrrggbb: locks, other waits and flows differ. */
uint32_t rv_arc_rgb(const struct rv_theme *theme, enum rv_arc_kind kind);

struct rv_arc_curve { /* in world units; rise: above the straight line, or in flat views to its right */
    float from[3], to[3];
    float rise;
};

/* Where an arc is drawn. Its lanes are in the layout. */
struct rv_arc_curve rv_arc_curve_of(const struct rv_lane_layout *layout, const struct rv_arc_item *item);

/* The drawn arc nearest to a position; false if none is near. */
bool rv_arc_list_pick(const struct rv_arc_list *list, const struct rv_lane_layout *layout,
                      const struct rv_camera *camera, const double at_px[2], size_t *idx);

#endif
