/* Labels of notes, where there is room: duration of collections, number of lost events, names of marks, least and
 * greatest value of graphs. Labels never overlap. */
#ifndef RV_RENDER_NOTE_LABELS_H
#define RV_RENDER_NOTE_LABELS_H

#include "render/camera.h"
#include "render/overlay.h"
#include "render/scene.h"

/* Add the labels of a frame's notes. */
void rv_note_labels_add(struct rv_overlay *overlay, const struct rv_scene_frame *frame, const struct rv_camera *camera,
                        const struct rv_lane_layout *layout);

#endif
