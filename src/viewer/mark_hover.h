/* Marks under the cursor, which are drawn as one: their names and numbers. Part of viewer/pointer.h. No GL. */
#ifndef RV_VIEWER_MARK_HOVER_H
#define RV_VIEWER_MARK_HOVER_H

#include <stdbool.h>

#include "model/mark_names.h"
#include "render/scene.h"

struct rv_mark_hover { /* zeroed = none */
    bool is_on;
    struct rv_scene_marks marks;
    struct rv_mark_names names; /* of them, in the last view */
    float at_px[2];
};

/* Set to what was found; marks NULL: none. Returns whether they are others than before. */
bool rv_mark_hover_move(struct rv_mark_hover *hover, const struct rv_view *view, const struct rv_scene_marks *marks,
                        const float at_px[2]);

/* Say what they are, in a frame. */
void rv_mark_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_mark_hover *hover,
                          const struct rv_scene_frame *frame);

#endif
