#include "viewer/hover.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "base/units.h"

#define EXACT 65535u
#define NOWHERE UINT32_MAX
#define FOLLOW_PX 18.0f /* the tooltip follows the cursor in steps: each is a new picture */
#define ROOM 10u        /* of a focused box's length: one part on both sides */

static bool is_same(const struct rv_hover *hover, const struct rv_box *box, uint32_t lane_idx)
{
    return hover->is_on && hover->lane_idx == lane_idx && hover->box.start_ns == box->start_ns &&
           hover->box.depth == box->depth && hover->box.id == box->id &&
           (hover->box.coverage == EXACT) == (box->coverage == EXACT);
}

/* Duration minus the time covered one depth below. Cells count by their coverage, which is inexact at the ends. */
static void find_self(struct rv_hover *hover, const struct rv_view *view, const struct rv_view_lane *lane)
{
    const struct rv_box *box = &hover->box;
    uint64_t end_ns = rv_box_end_ns(box);
    double children_ns = 0.0;
    hover->is_self_rough = false;
    hover->has_self = box->coverage == EXACT && box->start_ns >= view->from_ns && end_ns <= view->to_ns;
    for (size_t i = lane->first_box; hover->has_self && i < (size_t)lane->first_box + lane->n_boxes; i++) {
        const struct rv_box *child = &view->boxes[i];
        if (child->start_ns >= end_ns)
            break;
        if (child->depth != box->depth + 1 || rv_box_end_ns(child) <= box->start_ns)
            continue;
        uint64_t from_ns = child->start_ns > box->start_ns ? child->start_ns : box->start_ns;
        uint64_t to_ns = rv_box_end_ns(child) < end_ns ? rv_box_end_ns(child) : end_ns;
        hover->is_self_rough |= child->coverage != EXACT;
        children_ns += (double)(to_ns - from_ns) * child->coverage / EXACT;
    }
    double self_ns = (double)box->duration_ns - children_ns;
    hover->self_ns = self_ns > 0.0 ? (uint64_t)self_ns : 0;
}

static void take(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit)
{
    const struct rv_view_lane *lane = &view->lanes[hit->lane];
    hover->is_on = true;
    hover->box = view->boxes[hit->box];
    hover->box_idx = hit->box;
    hover->lane_idx = lane->lane_idx;
    hover->thread = lane->thread;
    memcpy(hover->lane_name, lane->name, sizeof hover->lane_name);
    find_self(hover, view, lane);
}

bool rv_hover_move(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit,
                   const float at_px[2])
{
    if (hover->is_pinned)
        return false;
    if (!hit)
        return rv_hover_clear(hover);
    bool is_far = hypotf(at_px[0] - hover->at_px[0], at_px[1] - hover->at_px[1]) > FOLLOW_PX;
    bool is_changed = is_far || !is_same(hover, &view->boxes[hit->box], view->lanes[hit->lane].lane_idx);
    take(hover, view, hit);
    if (is_changed)
        memcpy(hover->at_px, at_px, sizeof hover->at_px);
    return is_changed;
}

void rv_hover_pin(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit,
                  const float at_px[2])
{
    bool is_again = hit && hover->is_pinned && is_same(hover, &view->boxes[hit->box], view->lanes[hit->lane].lane_idx);
    hover->is_pinned = false;
    (void)rv_hover_move(hover, view, hit, at_px);
    hover->is_pinned = hit && !is_again;
}

void rv_hover_pin_box(struct rv_hover *hover, const struct rv_box *box, const struct rv_lane *lane,
                      const char *lane_name)
{
    *hover = (struct rv_hover){.is_on = true,
                               .is_pinned = true,
                               .box = *box,
                               .lane_idx = lane->idx,
                               .thread = lane->thread,
                               .box_idx = NOWHERE,
                               .at_px = {hover->at_px[0], hover->at_px[1]}};
    (void)snprintf(hover->lane_name, sizeof hover->lane_name, "%s", lane_name);
}

bool rv_hover_clear(struct rv_hover *hover)
{
    bool was_on = hover->is_on;
    *hover = (struct rv_hover){.box_idx = NOWHERE};
    return was_on;
}

static const struct rv_view_lane *find_lane(const struct rv_view *view, uint32_t lane_idx)
{
    for (size_t i = 0; i < view->n_lanes; i++)
        if (view->lanes[i].lane_idx == lane_idx)
            return &view->lanes[i];
    return NULL;
}

/* Match an open call even if it has ended meanwhile. */
void rv_hover_find(struct rv_hover *hover, const struct rv_view *view)
{
    const struct rv_view_lane *lane = hover->is_on ? find_lane(view, hover->lane_idx) : NULL;
    hover->box_idx = NOWHERE;
    if (!lane || lane->n_boxes == 0)
        return;
    size_t end = (size_t)lane->first_box + lane->n_boxes;
    size_t first = lane->first_box + rv_bisect_below(view->boxes + lane->first_box, lane->n_boxes, sizeof *view->boxes,
                                                     offsetof(struct rv_box, start_ns), hover->box.start_ns);
    for (size_t i = first; i < end && view->boxes[i].start_ns == hover->box.start_ns; i++) {
        if (!is_same(hover, &view->boxes[i], hover->lane_idx))
            continue;
        take(hover, view, &(struct rv_pick_hit){(uint32_t)i, (uint32_t)(lane - view->lanes)});
        return;
    }
}

bool rv_hover_window(const struct rv_hover *hover, uint64_t *from_ns, uint64_t *to_ns)
{
    if (!hover->is_on)
        return false;
    uint64_t room_ns = hover->box.duration_ns / ROOM, end_ns = rv_box_end_ns(&hover->box);
    *from_ns = hover->box.start_ns > room_ns ? hover->box.start_ns - room_ns : 0;
    *to_ns = end_ns + room_ns > end_ns ? end_ns + room_ns : end_ns;
    return true;
}

__attribute__((format(printf, 3, 4))) static void add_line(struct rv_tooltip *tooltip, const char *label,
                                                           const char *format, ...)
{
    struct rv_tooltip_line *line = &tooltip->lines[tooltip->n_lines++];
    va_list arguments;
    va_start(arguments, format);
    line->label = label;
    (void)vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
}

static void add_times(struct rv_tooltip *tooltip, const struct rv_hover *hover)
{
    char duration[32], self[32];
    const struct rv_box *box = &hover->box;
    rv_units_format_ns(duration, sizeof duration, box->duration_ns);
    rv_units_format_ns(self, sizeof self, hover->self_ns);
    bool is_open = box->flags & RV_SPAN_OPEN;
    add_line(tooltip, "duration", "%s%s", duration, is_open ? " so far" : "");
    if (hover->has_self)
        add_line(tooltip, "self", "%s%s   (%.0f %%)", hover->is_self_rough ? "about " : "", self,
                 box->duration_ns ? 100.0 * (double)hover->self_ns / (double)box->duration_ns : 100.0);
}

static void add_cell(struct rv_tooltip *tooltip, const struct rv_hover *hover)
{
    char width[32];
    const struct rv_box *box = &hover->box;
    rv_units_format_ns(width, sizeof width, box->duration_ns);
    if (box->count)
        add_line(tooltip, "folded", "%" PRIu32 " calls, mostly of this", box->count);
    else
        add_line(tooltip, "folded", "part of a call, mostly of this");
    add_line(tooltip, "covers", "%.0f %% of %s", 100.0 * box->coverage / (EXACT - 1), width);
}

static void add_place(struct rv_tooltip *tooltip, const struct rv_hover *hover, const struct rv_hover_about *about)
{
    char away[32];
    uint64_t start_ns = hover->box.start_ns;
    bool is_before = start_ns < about->zero_ns;
    rv_units_format_ns(away, sizeof away, is_before ? about->zero_ns - start_ns : start_ns - about->zero_ns);
    const char *label = hover->box.flags & RV_SPAN_ORPHAN ? "seen from" : "started";
    if (about->is_live)
        add_line(tooltip, label, "%s %s now", away, is_before ? "before" : "after");
    else
        add_line(tooltip, label, "%s%s", is_before ? "-" : "+", away);
    add_line(tooltip, "where", "%s, depth %" PRIu32, hover->lane_name, hover->box.depth);
}

static void add_calls(struct rv_tooltip *tooltip, const struct rv_hover *hover, const struct rv_hover_about *about)
{
    if (hover->box.coverage != EXACT)
        add_line(tooltip, "calls", "%" PRIu64 " in trace", about->n_calls);
    else
        add_line(tooltip, "calls", "%" PRIu64 " in trace, %.4g %% no longer than this", about->n_calls,
                 100.0 * (double)about->n_below / (double)about->n_calls);
}

static void add_state(struct rv_tooltip *tooltip, uint32_t flags)
{
    if (flags & RV_SPAN_ORPHAN)
        add_line(tooltip, "state", "began before it was seen");
    else if (flags & RV_SPAN_CUT)
        add_line(tooltip, "state", "ended without a return");
    else if (flags & RV_SPAN_OPEN)
        add_line(tooltip, "state", "open");
    if (flags & RV_SPAN_DOUBTFUL)
        add_line(tooltip, "lost", "events, while it was open: it may be several calls");
}

bool rv_hover_describe(const struct rv_hover *hover, const struct rv_hover_about *about, struct rv_tooltip *tooltip)
{
    if (!hover->is_on)
        return false;
    struct rv_subroutine subroutine = rv_subroutines_get(about->subroutines, hover->box.id);
    float scale = about->scale > 0.0 ? (float)about->scale : 1.0f;
    *tooltip =
        (struct rv_tooltip){.at = {hover->at_px[0] / scale, hover->at_px[1] / scale},
                            .box = hover->box,
                            .thread = hover->thread,
                            .foot = hover->is_pinned ? "pinned    Esc: unpin    F: focus" : "click: pin    F: focus"};
    rv_subroutine_full_name(&subroutine, tooltip->title, sizeof tooltip->title);
    if (subroutine.file[0])
        add_line(tooltip, "source", "%s%.100s:%" PRIu32, strlen(subroutine.file) > 100 ? "…" : "",
                 subroutine.file + (strlen(subroutine.file) > 100 ? strlen(subroutine.file) - 100 : 0),
                 subroutine.line);
    if (hover->box.coverage == EXACT)
        add_times(tooltip, hover);
    else
        add_cell(tooltip, hover);
    add_place(tooltip, hover, about);
    if (about->n_calls)
        add_calls(tooltip, hover, about);
    add_state(tooltip, hover->box.flags);
    return true;
}
