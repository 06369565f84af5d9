/* The mouse over the picture: the hovered box, its highlight and tooltip. Main thread. */
#ifndef RV_VIEWER_POINTER_H
#define RV_VIEWER_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/arcs.h"
#include "viewer/call_flow.h"
#include "viewer/call_waits.h"
#include "viewer/lock_lanes.h"
#include "viewer/note_hover.h"
#include "viewer/tooltip_rows.h"
#include "viewer/hover.h"
#include "pipeline/session.h"
#include "render/scene.h"

struct rv_pointer { /* zeroed = outside the picture */
    struct rv_hover hover;
    struct rv_highlight highlight; /* of the last frame, with tooltip, if hover.is_on */
    struct rv_tooltip tooltip;
    struct rv_call_waits_job waits;    /* of the hovered call */
    struct rv_call_flow flow;          /* of the hovered call, from these: */
    const struct rv_flow_table *flows; /* borrowed; NULL: not known */
    struct rv_arc_hover arc;           /* under the cursor: no box is hovered then */
    struct rv_note_hover notes;        /* likewise */
    struct rv_lock_hover lock;         /* under the cursor in a lane of an object */
    const struct rv_holders *holders;  /* of the last frame; borrowed; NULL: none */
    float at_px[2];
    bool is_inside, has_moved, is_dragging;
};

/* The cursor has moved; nothing is hovered during a drag. */
void rv_pointer_move(struct rv_pointer *pointer, const float at_px[2], bool is_dragging);
void rv_pointer_leave(struct rv_pointer *pointer);

/* After a move: update the hovered box from the last frame. Returns whether a new frame is needed. */
bool rv_pointer_look(struct rv_pointer *pointer, struct rv_scene *scene, const struct rv_view *view);

/* Pin the box under the cursor in the last frame; none, or the pinned one, unpins. */
void rv_pointer_pin(struct rv_pointer *pointer, struct rv_scene *scene, const struct rv_view *view);
/* Pin a call of this lane, wherever it is. */
void rv_pointer_pin_box(struct rv_pointer *pointer, const struct rv_box *box, struct rv_lane *lane);
void rv_pointer_unpin(struct rv_pointer *pointer);

/* Before a frame and its panels are drawn: say anew in the tooltip, which a panel shows, what is pinned. */
void rv_pointer_tell_pinned(struct rv_pointer *pointer, struct rv_session *session, const struct rv_scene_frame *frame);

/* Then update for the frame, and set its highlight and tooltip. */
void rv_pointer_show(struct rv_pointer *pointer, struct rv_scene *scene, struct rv_session *session,
                     struct rv_scene_frame *frame);

#endif
