/* Notes under the cursor, which are drawn as one: marks, with their names and numbers, or a garbage collection. Part of
 * viewer/pointer.h. No GL. */
#ifndef RV_VIEWER_NOTE_HOVER_H
#define RV_VIEWER_NOTE_HOVER_H

#include <stdbool.h>

#include "model/mark_names.h"
#include "render/scene.h"

struct rv_note_hover { /* zeroed = none */
    bool is_on;
    struct rv_scene_notes notes;
    uint64_t n;                 /* of them, in the last view */
    struct rv_mark_names names; /* of marks */
    struct rv_lane_note collection;
    float at_px[2];
};

/* Set to what was found; notes NULL: none. Returns whether they are others than before. */
bool rv_note_hover_move(struct rv_note_hover *hover, const struct rv_view *view, const struct rv_scene_notes *notes,
                        const float at_px[2]);

/* Say what they are, in a frame. */
void rv_note_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_note_hover *hover,
                          const struct rv_scene_frame *frame);

#endif
