/*
 * Notes drawn on the ground, each in the zone of its own lane or process: collections as stripes, losses as hatched
 * gaps, marks as lines, thread states as a strip along the lane's foot, values as graphs before it. No GL.
 */
#ifndef RV_RENDER_NOTE_SHAPES_H
#define RV_RENDER_NOTE_SHAPES_H

#include "model/view.h"
#include "render/ground_mesh.h"
#include "render/lane_layout.h"
#include "render/theme.h"

/* Add the shapes of a view's notes. */
void rv_note_shapes_add(struct rv_ground_mesh *mesh, const struct rv_lane_layout *layout, const struct rv_view *view,
                        const struct rv_theme *theme);

/* Opposite corners, in the world, of the ticks that dense marks of a range of time are drawn as: at the upper or back
 * edge of the lane's rows only, so that calls are seen. */
void rv_note_shapes_ticks(const struct rv_lane_layout *layout, size_t lane, const uint64_t range_ns[2], float low[3],
                          float high[3]);

/* The least and the greatest value of a name that a lane of the view shows; false where it shows none. */
bool rv_note_shapes_range(const struct rv_view *view, size_t lane, uint32_t id, float *low, float *high);

#endif
