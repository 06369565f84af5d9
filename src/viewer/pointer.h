/* The mouse over the picture: what it points at, and what a frame shows of that. Main thread. */
#ifndef RV_VIEWER_POINTER_H
#define RV_VIEWER_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/hover.h"
#include "pipeline/session.h"
#include "render/scene.h"

struct rv_pointer { /* zeroed = outside of the picture */
    struct rv_hover hover;
    struct rv_highlight highlight; /* of the last frame, with tooltip, while hover.is_on */
    struct rv_tooltip tooltip;
    float at_px[2];
    bool is_inside, has_moved, is_dragging;
};

/* The cursor is there now; while it drags the picture along, nothing is hovered. */
void rv_pointer_move(struct rv_pointer *pointer, const float at_px[2], bool is_dragging);
void rv_pointer_leave(struct rv_pointer *pointer);

/* After a move: what is under the cursor in the last frame. Returns whether a new frame is needed to show it. */
bool rv_pointer_look(struct rv_pointer *pointer, struct rv_scene *scene, const struct rv_view *view);

/* Pin what is under the cursor in the last frame; nothing there, or what is pinned already, unpins. */
void rv_pointer_pin(struct rv_pointer *pointer, struct rv_scene *scene, const struct rv_view *view);
/* Pin a call of this lane, wherever it is. */
void rv_pointer_pin_box(struct rv_pointer *pointer, const struct rv_box *box, struct rv_lane *lane);
void rv_pointer_unpin(struct rv_pointer *pointer);

/*
 * Look again in a frame that is about to be drawn, and give it its highlight and tooltip.
 */
void rv_pointer_show(struct rv_pointer *pointer, struct rv_scene *scene, struct rv_session *session,
                     struct rv_scene_frame *frame);

#endif
