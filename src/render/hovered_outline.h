/* The outline of what is under the cursor, over the picture: a box, or a collection. */
#ifndef RV_RENDER_HOVERED_OUTLINE_H
#define RV_RENDER_HOVERED_OUTLINE_H

#include "render/camera.h"
#include "render/frame_data.h"
#include "render/overlay.h"
#include "render/scene.h"

/* Outline the front and top faces of a box of the picture's content; nothing if box_idx is none of them. `scale` is
 * pixels per point. */
void rv_outline_add(struct rv_overlay *overlay, const struct rv_camera *camera, const struct rv_lane_layout *layout,
                    const struct rv_frame_data *picture, uint32_t box_idx, float scale);

/* Outline the stripe of a frame's collection, over the lanes of its process; nothing if the view does not have it. */
void rv_outline_add_collection(struct rv_overlay *overlay, const struct rv_camera *camera,
                               const struct rv_lane_layout *layout, const struct rv_scene_frame *frame);

#endif
