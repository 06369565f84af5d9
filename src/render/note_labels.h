/* Labels of notes, where there is room: duration of collections, number of lost events, names of marks, of dense ones
 * the most frequent name, least and greatest value of graphs. Labels never overlap. */
#ifndef RV_RENDER_NOTE_LABELS_H
#define RV_RENDER_NOTE_LABELS_H

#include "render/camera.h"
#include "render/overlay.h"
#include "render/scene.h"

#define RV_NOTE_LABELS_PLACES_MAX 512u

/* Where notes were drawn last: labels of collections and of marks, then ticks. */
struct rv_note_labels_places {
    struct rv_note_labels_place {
        struct rv_overlay_area area; /* points */
        struct rv_scene_notes notes;
        bool is_on_floor; /* boxes are before it */
    } items[RV_NOTE_LABELS_PLACES_MAX];
    size_t n;
};

/* Add the labels of a frame's notes. */
void rv_note_labels_add(struct rv_overlay *overlay, const struct rv_scene_frame *frame, const struct rv_camera *camera,
                        const struct rv_lane_layout *layout, struct rv_note_labels_places *places);

#endif
