/* The outline of the box under the cursor, over the picture. */
#ifndef RV_RENDER_HOVERED_OUTLINE_H
#define RV_RENDER_HOVERED_OUTLINE_H

#include "render/camera.h"
#include "render/frame_data.h"
#include "render/overlay.h"

/* Outline the front and top faces of a box of the picture's content; nothing if box_idx is none of them. `scale` is
 * pixels per point. */
void rv_outline_add(struct rv_overlay *overlay, const struct rv_camera *camera, const struct rv_lane_layout *layout,
                    const struct rv_frame_data *picture, uint32_t box_idx, float scale);

#endif
