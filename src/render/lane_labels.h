/* Flat labels over the picture: lane names and tags. */
#ifndef RV_RENDER_LANE_LABELS_H
#define RV_RENDER_LANE_LABELS_H

#include "render/camera.h"
#include "render/overlay.h"
#include "render/scene.h"

#define RV_LANE_LABELS_FOLDS_MAX 128u

/* Signs before names, to collapse and expand lanes: where they were drawn last. */
struct rv_lane_labels_folds {
    struct rv_lane_labels_fold {
        struct rv_overlay_area area; /* points */
        uint32_t lane;               /* of the view */
    } items[RV_LANE_LABELS_FOLDS_MAX];
    size_t n;
};

/* Left margin in points for the longest lane name. */
float rv_lane_labels_left_margin(const struct rv_overlay *overlay, const struct rv_view *view);

/* Add names and tags of all lanes in sight, with their signs. */
void rv_lane_labels_add_lanes(struct rv_overlay *overlay, const struct rv_scene_frame *frame,
                              const struct rv_camera *camera, const struct rv_lane_layout *layout,
                              struct rv_lane_labels_folds *folds);

#endif
