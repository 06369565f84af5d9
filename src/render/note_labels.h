/* Labels of notes, where there is room: duration of collections, number of lost events, names of marks, of dense ones
 * the most frequent name, least and greatest value of graphs. Labels never overlap. */
#ifndef RV_RENDER_NOTE_LABELS_H
#define RV_RENDER_NOTE_LABELS_H

#include "render/camera.h"
#include "render/overlay.h"
#include "render/scene.h"

#define RV_NOTE_LABELS_MARKS_MAX 512u

/* Where marks were drawn last, their labels before their ticks. */
struct rv_note_labels_marks {
    struct rv_note_labels_mark {
        struct rv_overlay_area area; /* points */
        struct rv_scene_marks marks;
        bool is_on_floor; /* boxes are before it */
    } items[RV_NOTE_LABELS_MARKS_MAX];
    size_t n;
};

/* Add the labels of a frame's notes. */
void rv_note_labels_add(struct rv_overlay *overlay, const struct rv_scene_frame *frame, const struct rv_camera *camera,
                        const struct rv_lane_layout *layout, struct rv_note_labels_marks *marks);

#endif
