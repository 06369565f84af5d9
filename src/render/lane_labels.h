/* Flat labels over the picture: lane names and tags. */
#ifndef RV_RENDER_LANE_LABELS_H
#define RV_RENDER_LANE_LABELS_H

#include "render/camera.h"
#include "render/overlay.h"
#include "render/scene.h"

/* Left margin in points for the longest lane name. */
float rv_lane_labels_left_margin(const struct rv_overlay *overlay, const struct rv_view *view);

/* Add names and tags of all lanes in sight. */
void rv_lane_labels_add_lanes(struct rv_overlay *overlay, const struct rv_scene_frame *frame,
                              const struct rv_camera *camera, const struct rv_lane_layout *layout);

#endif
