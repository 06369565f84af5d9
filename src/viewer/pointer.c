#include "viewer/pointer.h"

#include <string.h>

void rv_pointer_move(struct rv_pointer *pointer, const float at_px[2], bool is_dragging)
{
    memcpy(pointer->at_px, at_px, sizeof pointer->at_px);
    pointer->is_inside = pointer->has_moved = true;
    pointer->is_dragging = is_dragging;
}

void rv_pointer_leave(struct rv_pointer *pointer)
{
    pointer->is_inside = false;
    pointer->has_moved = true;
}

static bool pick(const struct rv_pointer *pointer, struct rv_scene *scene, struct rv_pick_hit *hit)
{
    double x_px = (double)pointer->at_px[0] + 0.5, y_px = (double)pointer->at_px[1] + 0.5;
    return pointer->is_inside && rv_scene_pick(scene, x_px, y_px, hit);
}

/* Arcs are thin, and lie over the boxes. Returns whether it is another one than before. */
static bool hover_arc(struct rv_pointer *pointer, struct rv_scene *scene)
{
    struct rv_arc_hover *arc = &pointer->arc;
    const struct rv_arc_hover before = *arc;
    const struct rv_arc_list *list = &rv_scene_picture(scene)->arcs;
    size_t idx;
    arc->is_on = pointer->is_inside && !pointer->is_dragging &&
                 rv_scene_pick_arc(scene, (double)pointer->at_px[0] + 0.5, (double)pointer->at_px[1] + 0.5, &idx);
    if (!arc->is_on)
        return before.is_on;
    const struct rv_arc *found = &list->items[idx].arc;
    const bool is_same = before.is_on && before.arc.to_ns == found->to_ns && before.arc.to_lane == found->to_lane;
    arc->idx = idx;
    arc->arc = list->items[idx].arc;
    if (!is_same)
        memcpy(arc->at_px, pointer->at_px, sizeof arc->at_px);
    return !is_same;
}

/* Labels and ticks lie over the boxes, too; stripes of collections under them. */
static bool hover_notes(struct rv_pointer *pointer, struct rv_scene *scene, const struct rv_view *view)
{
    struct rv_scene_notes notes;
    const bool is_on = pointer->is_inside && !pointer->is_dragging && !pointer->arc.is_on &&
                       rv_scene_notes_at(scene, (double)pointer->at_px[0] + 0.5, (double)pointer->at_px[1] + 0.5, &notes);
    return rv_note_hover_move(&pointer->notes, view, is_on ? &notes : NULL, pointer->at_px);
}

static bool hover(struct rv_pointer *pointer, struct rv_scene *scene, const struct rv_view *view)
{
    struct rv_pick_hit hit;
    bool is_other = hover_arc(pointer, scene);
    is_other |= hover_notes(pointer, scene, view);
    bool is_hit = !pointer->arc.is_on && !pointer->notes.is_on && !pointer->is_dragging && pick(pointer, scene, &hit);
    is_other |= rv_lock_hover_move(&pointer->lock, pointer->holders, view, is_hit ? &hit : NULL, pointer->at_px);
    is_hit &= !pointer->lock.is_on;
    return rv_hover_move(&pointer->hover, view, is_hit ? &hit : NULL, pointer->at_px) || is_other;
}

bool rv_pointer_look(struct rv_pointer *pointer, struct rv_scene *scene, const struct rv_view *view)
{
    bool has_moved = pointer->has_moved;
    pointer->has_moved = false;
    if (has_moved && pointer->hover.is_pinned) {
        const bool is_other = hover_arc(pointer, scene);
        return hover_notes(pointer, scene, view) || is_other;
    }
    return has_moved && hover(pointer, scene, view);
}

void rv_pointer_pin(struct rv_pointer *pointer, struct rv_scene *scene, const struct rv_view *view)
{
    struct rv_pick_hit hit;
    bool is_hit = pick(pointer, scene, &hit) && !view->lanes[hit.lane].object;
    rv_hover_pin(&pointer->hover, view, is_hit ? &hit : NULL, pointer->at_px);
}

void rv_pointer_pin_box(struct rv_pointer *pointer, const struct rv_box *box, struct rv_lane *lane)
{
    char name[RV_LANE_NAME_BYTES];
    rv_lane_copy_name(lane, name);
    rv_hover_pin_box(&pointer->hover, box, lane, name);
}

void rv_pointer_unpin(struct rv_pointer *pointer)
{
    pointer->hover.is_pinned = false;
    pointer->has_moved = true;
}

static void ask_about_call(struct rv_pointer *pointer, struct rv_session *session, struct rv_tooltip_rows_about *about)
{
    const struct rv_hover *hover = &pointer->hover;
    about->lane = rv_lanes_get(rv_session_lanes(session), hover->lane_idx);
    if (!(hover->box.flags & RV_BOX_CLIPPED))
        about->n_below = rv_session_calls_at_most(session, hover->box.id, hover->box.duration_ns, &about->n_calls);
    about->waits = rv_call_waits_ask(&pointer->waits, rv_session_waits(session), &hover->box, hover->lane_idx);
    rv_call_flow_find(&pointer->flow, pointer->flows, &hover->box, hover->lane_idx);
    about->flow = &pointer->flow;
}

/* Fill the tooltip of the hovered or pinned call. */
static void tell(struct rv_pointer *pointer, struct rv_session *session, const struct rv_scene_frame *frame)
{
    struct rv_tooltip_rows_about about = {.subroutines = frame->subroutines,
                                          .lanes = rv_session_lanes(session),
                                          .zero_ns = frame->is_live ? frame->now_ns : frame->origin_ns,
                                          .is_live = frame->is_live,
                                          .scale = frame->scale};
    if (!pointer->hover.is_task)
        ask_about_call(pointer, session, &about);
    else
        pointer->flow.is_on = false;
    (void)rv_tooltip_rows_fill(&pointer->hover, &about, &pointer->tooltip);
}

void rv_pointer_tell_pinned(struct rv_pointer *pointer, struct rv_session *session, const struct rv_scene_frame *frame)
{
    if (!pointer->hover.is_pinned)
        return;
    rv_hover_find(&pointer->hover, frame->view);
    tell(pointer, session, frame);
}

void rv_pointer_show(struct rv_pointer *pointer, struct rv_scene *scene, struct rv_session *session,
                     struct rv_scene_frame *frame)
{
    rv_scene_place(scene, frame);
    if (pointer->hover.is_pinned) {
        (void)hover_arc(pointer, scene);
        (void)hover_notes(pointer, scene, frame->view);
        frame->arc = pointer->arc.is_on ? pointer->arc.idx + 1 : 0;
    } else {
        (void)hover(pointer, scene, frame->view);
    }
    if (pointer->arc.is_on && !pointer->hover.is_pinned) {
        rv_arc_tooltip_fill(&pointer->tooltip, &pointer->arc, session, frame->scale);
        frame->arc = pointer->arc.idx + 1;
        frame->tooltip = &pointer->tooltip;
    }
    if (pointer->notes.is_on && !pointer->hover.is_pinned) {
        rv_note_tooltip_fill(&pointer->tooltip, &pointer->notes, frame);
        frame->collection = pointer->notes.notes.form == RV_NOTE_FORM_PAUSE ? &pointer->notes.notes : NULL;
        frame->tooltip = &pointer->tooltip;
    }
    if (pointer->lock.is_on && !pointer->hover.is_pinned) {
        rv_lock_tooltip_fill(&pointer->tooltip, &pointer->lock, session, frame->scale);
        pointer->highlight = (struct rv_highlight){0, pointer->lock.box_idx, false};
        frame->highlight = &pointer->highlight;
        frame->tooltip = &pointer->tooltip;
    }
    if (!pointer->hover.is_on)
        return;
    if (!pointer->hover.is_pinned)
        tell(pointer, session, frame);
    pointer->highlight = (struct rv_highlight){pointer->hover.box.id, pointer->hover.box_idx,
                                               pointer->hover.is_pinned && !frame->view->has_path};
    frame->highlight = &pointer->highlight;
    frame->tooltip = &pointer->tooltip;
}
