#include "viewer/lock_lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "viewer/show_call.h"

bool rv_lock_hover_move(struct rv_lock_hover *hover, const struct rv_holders *holders, const struct rv_view *view,
                        const struct rv_pick_hit *hit, const float at_px[2])
{
    const struct rv_lock_hover before = *hover;
    const struct rv_held_object *object =
        hit && hit->lane < view->n_lanes ? rv_lock_lanes_object(holders, &view->lanes[hit->lane]) : NULL;
    *hover = (struct rv_lock_hover){.is_on = object != NULL};
    if (!object)
        return before.is_on;
    const struct rv_box *box = &view->boxes[hit->box];
    const struct rv_hold *hold = rv_lock_lanes_at(holders, object, box);
    hover->object = object->object;
    hover->kind = object->kind;
    hover->n_waits = object->n_waits;
    hover->waited_ns = object->waited_ns;
    hover->is_cell = !hold;
    hover->n_in_cell = box->count;
    hover->hold = hold ? *hold
                       : (struct rv_hold){.from_ns = box->start_ns,
                                          .to_ns = rv_box_end_ns(box),
                                          .is_wait = box->depth >= object->n_held_rows};
    hover->n_waiting = rv_holders_n_waiting(holders, object, hover->hold.from_ns);
    hover->box_idx = hit->box;
    const bool is_same = before.is_on && before.box_idx == hit->box && before.object == hover->object &&
                         before.hold.from_ns == hover->hold.from_ns;
    memcpy(hover->at_px, is_same ? before.at_px : at_px, sizeof hover->at_px);
    return !is_same;
}

static void add_thread(struct rv_tooltip *tooltip, const struct rv_hold *hold, struct rv_session *session)
{
    struct rv_tooltip_line *line = rv_tooltip_add_line(tooltip, hold->is_wait ? "waiter" : "holder");
    rv_lane_copy_label(rv_lanes_get(rv_session_lanes(session), hold->lane), line->text);
    rv_subroutines_append_brief_name(rv_session_subroutines(session), " in ", hold->call, line->text,
                                     sizeof line->text);
}

static void add_cell(struct rv_tooltip *tooltip, const struct rv_lock_hover *hover)
{
    struct rv_tooltip_line *line = rv_tooltip_add_line(tooltip, "folded");
    (void)snprintf(line->text, sizeof line->text, "%" PRIu32 " %s", hover->n_in_cell,
                   hover->hold.is_wait ? "waits" : "holders");
}

void rv_lock_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_lock_hover *hover, struct rv_session *session,
                          double scale)
{
    char time[32];
    *tooltip = (struct rv_tooltip){.at = {hover->at_px[0] / (float)scale, hover->at_px[1] / (float)scale},
                                   .foot = hover->is_cell        ? "click: go there"
                                           : hover->hold.is_wait ? "click: go to the call that waited"
                                                                 : "click: go to the call that had it"};
    (void)snprintf(tooltip->title, sizeof tooltip->title, "%s", rv_wait_kind_name(hover->kind));
    rv_subroutines_append_brief_name(rv_session_subroutines(session), " ", hover->object, tooltip->title,
                                     sizeof tooltip->title);
    if (hover->is_cell)
        add_cell(tooltip, hover);
    else
        add_thread(tooltip, &hover->hold, session);
    struct rv_tooltip_line *line = rv_tooltip_add_line(tooltip, hover->hold.is_wait ? "waited" : "had it");
    rv_units_format_ns(time, sizeof time, hover->hold.to_ns - hover->hold.from_ns);
    (void)snprintf(line->text, sizeof line->text, "%s%s", time, hover->hold.is_cut ? ", or longer" : "");
    line = rv_tooltip_add_line(tooltip, "waiting");
    (void)snprintf(line->text, sizeof line->text, "%zu thread%s as it began", hover->n_waiting,
                   rv_units_word(hover->n_waiting, "", "s"));
    line = rv_tooltip_add_line(tooltip, "in all");
    rv_units_format_ns(time, sizeof time, hover->waited_ns);
    (void)snprintf(line->text, sizeof line->text, "%s in %" PRIu64 " wait%s", time, hover->n_waits,
                   rv_units_word(hover->n_waits, "", "s"));
}

void rv_viewer_show_hold(struct rv_viewer *viewer, const struct rv_lock_hover *hover)
{
    const struct rv_hold *hold = &hover->hold;
    if (hover->is_cell)
        rv_viewer_show_time(viewer, hold->from_ns, hold->to_ns);
    else
        rv_viewer_show_innermost(viewer, hold->lane, hold->from_ns, hold->to_ns);
}
