/* The selected range of time over the picture: its edges, its length, and a tint in flat views. */
#ifndef RV_RENDER_SELECTED_RANGE_H
#define RV_RENDER_SELECTED_RANGE_H

#include "render/camera.h"
#include "render/overlay.h"
#include "render/lane_layout.h"

struct rv_range_ns { /* empty if to <= from */
    uint64_t from_ns, to_ns;
};

/* The world x of its visible part; false when none is visible. */
bool rv_selected_range_extent(const struct rv_lane_layout *layout, const struct rv_range_ns *range, float x[2]);

/* `scale` is pixels per point. */
void rv_selected_range_add(struct rv_overlay *overlay, const struct rv_camera *camera,
                           const struct rv_lane_layout *layout, const struct rv_range_ns *range, float scale);

#endif
