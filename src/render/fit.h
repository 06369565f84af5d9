/*
 * Lanes and camera together: lanes behind each other get the sizes with which they fill the window. No GL.
 */
#ifndef RV_RENDER_FIT_H
#define RV_RENDER_FIT_H

#include "render/camera.h"
#include "render/lane_layout.h"

/*
 * Lay out the lanes of a view anew, and place the camera before them.
 *   lanes  lane_scale is chosen, except where lanes are stacked, or calls or tasks
 */
void rv_fit_lanes(struct rv_lane_layout *layout, struct rv_camera *camera, const struct rv_view *view,
                  const struct rv_lane_layout_params *lanes, const struct rv_camera_params *params);

#endif
