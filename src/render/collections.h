/*
 * Garbage collections as stripes that floor and boxes are tinted by. A stripe is no narrower than can be seen and as
 * strong as the share of its width that collections take, so that their mean is the share of time. Those too close to
 * be distinct reach up to the next one: even ones are an even tint. A lone short one is brightened. No GL.
 */
#ifndef RV_RENDER_COLLECTIONS_H
#define RV_RENDER_COLLECTIONS_H

#include "model/view.h"
#include "render/lane_layout.h"

#define RV_COLLECTIONS_LINE 0.04f /* world width of a stripe that is distinct */

struct rv_collections_stripe {
    float x0, x1; /* world */
    float share;  /* 0..1 */
};

/* The stripe of a view's note of a lane; false where that is no collection in the layout's time. */
bool rv_collections_stripe(const struct rv_view *view, const struct rv_lane_layout *layout, size_t lane, size_t note,
                           struct rv_collections_stripe *out);

/* The collection by whose stripe the ground of a lane is tinted at a world x: of any lane of its process. The nearest
 * one within reach of the cursor. Its note in the view; NULL if none. */
const struct rv_lane_note *rv_collections_at(const struct rv_view *view, const struct rv_lane_layout *layout,
                                             size_t lane, float x, uint32_t *of_lane);

/* A lane's collection that begins at a time; NULL if none. */
const struct rv_lane_note *rv_collections_find(const struct rv_view *view, size_t lane, uint64_t start_ns);

#endif
