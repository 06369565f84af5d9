#include "viewer/hover.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"

#define EXACT 65535u
#define NOWHERE UINT32_MAX
#define FOLLOW_PX 18.0f /* the tooltip follows the cursor in steps: each is a new picture */
#define ROOM 10u        /* of a focused box's length: one part on both sides */

static bool is_same(const struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit)
{
    struct rv_view_part part;
    const bool is_call = rv_view_part_of(view, &view->lanes[hit->lane], &view->boxes[hit->box], &part);
    const struct rv_box box = rv_view_part_place(&part, &view->boxes[hit->box]);
    return hover->is_on && hover->is_task != is_call && hover->lane_idx == part.lane_idx &&
           hover->box.start_ns == box.start_ns && hover->box.depth == box.depth && hover->box.id == box.id &&
           (hover->box.coverage == EXACT) == (box.coverage == EXACT);
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
    struct rv_view_part part;
    hover->is_on = true;
    hover->box = view->boxes[hit->box];
    hover->is_task = !rv_view_part_of(view, lane, &hover->box, &part);
    hover->box_idx = hit->box;
    hover->lane_idx = part.lane_idx;
    hover->thread = part.thread;
    memcpy(hover->lane_name, lane->name, sizeof hover->lane_name);
    hover->n_lanes = lane->n_members;
    hover->n_busy = lane->busiest * hover->box.coverage / EXACT;
    find_self(hover, view, lane);
    hover->box = rv_view_part_place(&part, &hover->box);
}

bool rv_hover_move(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit,
                   const float at_px[2])
{
    if (hover->is_pinned)
        return false;
    if (!hit)
        return rv_hover_clear(hover);
    bool is_far = hypotf(at_px[0] - hover->at_px[0], at_px[1] - hover->at_px[1]) > FOLLOW_PX;
    bool is_changed = is_far || !is_same(hover, view, hit);
    take(hover, view, hit);
    if (is_changed)
        memcpy(hover->at_px, at_px, sizeof hover->at_px);
    return is_changed;
}

void rv_hover_pin(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit,
                  const float at_px[2])
{
    bool is_again = hit && hover->is_pinned && is_same(hover, view, hit);
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

/* Among the boxes of a lane, from those on that begin there: an open call, even if it has ended meanwhile. */
static void find_at(struct rv_hover *hover, const struct rv_view *view, uint32_t lane_idx, uint64_t start_ns)
{
    const struct rv_view_lane *lane = &view->lanes[lane_idx];
    size_t end = (size_t)lane->first_box + lane->n_boxes;
    size_t first = lane->first_box + rv_bisect_below(view->boxes + lane->first_box, lane->n_boxes, sizeof *view->boxes,
                                                     offsetof(struct rv_box, start_ns), start_ns);
    for (size_t i = first; i < end && view->boxes[i].start_ns == start_ns; i++) {
        const struct rv_pick_hit hit = {(uint32_t)i, lane_idx};
        if (is_same(hover, view, &hit)) {
            take(hover, view, &hit);
            return;
        }
    }
}

static void find_in(struct rv_hover *hover, const struct rv_view *view, uint32_t lane_idx)
{
    const struct rv_view_lane *lane = &view->lanes[lane_idx];
    const uint64_t start_ns = hover->box.start_ns;
    if (lane->n_parts == 0 && lane->lane_idx == hover->lane_idx)
        find_at(hover, view, lane_idx, start_ns);
    for (size_t i = lane->first_part; i < (size_t)lane->first_part + lane->n_parts; i++)
        if (view->parts[i].lane_idx == hover->lane_idx && view->parts[i].shift_ns <= start_ns)
            find_at(hover, view, lane_idx, start_ns - view->parts[i].shift_ns);
}

/* A view of calls has several lanes of a thread. */
void rv_hover_find(struct rv_hover *hover, const struct rv_view *view)
{
    hover->box_idx = NOWHERE;
    for (uint32_t i = 0; hover->is_on && i < view->n_lanes && hover->box_idx == NOWHERE; i++)
        find_in(hover, view, i);
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
