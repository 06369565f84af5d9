#include "viewer/call_cursor.h"

#include "viewer/navigation.h"
#include "viewer/show_call.h"

#define NONE UINT32_MAX

#define PAN_SHARE 0.5 /* of the window, to calls that are not in view */

/* Boxes are looked for in the order of their starts; a later one that is as good does not replace an earlier one. */
struct at {
    const struct rv_view *view;
    uint32_t lane; /* of the view */
    struct rv_box box;
};

static uint32_t lane_with(const struct rv_view *view, uint32_t box)
{
    for (uint32_t i = 0; i < view->n_lanes; i++)
        if (box - view->lanes[i].first_box < view->lanes[i].n_boxes)
            return i;
    return NONE;
}

/* In time: 0 where the box is there. */
static uint64_t distance(const struct rv_box *box, uint64_t at_ns)
{
    const uint64_t end_ns = rv_box_end_ns(box);
    return box->start_ns > at_ns ? box->start_ns - at_ns : end_ns < at_ns ? at_ns - end_ns : 0;
}

static uint64_t middle_of(uint64_t from_ns, uint64_t to_ns)
{
    return from_ns + (to_ns - from_ns) / 2;
}

static uint32_t rows_between(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Of a lane, the box nearest to a time, and of those to a depth. */
static uint32_t nearest_in(const struct rv_view *view, const struct rv_view_lane *lane, uint64_t at_ns, uint32_t depth)
{
    uint32_t found = NONE;
    for (uint32_t i = lane->first_box; i < lane->first_box + lane->n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i], *best = &view->boxes[found == NONE ? i : found];
        const uint64_t ns = distance(box, at_ns), best_ns = distance(best, at_ns);
        if (found == NONE || ns < best_ns ||
            (ns == best_ns && rows_between(box->depth, depth) < rows_between(best->depth, depth)))
            found = i;
    }
    return found;
}

/* The box at a time and depth in the next lane with boxes, from lane `from` on in steps of `by`. */
static uint32_t in_lanes_from(const struct rv_view *view, uint32_t from, int by, uint64_t at_ns, uint32_t depth)
{
    for (uint32_t i = from; i < view->n_lanes; i += (uint32_t)by)
        if (view->lanes[i].n_boxes && !view->lanes[i].object)
            return nearest_in(view, &view->lanes[i], at_ns, depth);
    return NONE;
}

/* In front of a page's first lane are those of the pages before, then the pinned ones, which are on every page. */
static bool passes_pages(const struct at *at, uint32_t found)
{
    const struct rv_view *view = at->view;
    const bool is_from_kept = at->lane < view->n_lanes && view->lanes[at->lane].is_pinned;
    return view->n_in_front && found != NONE && !is_from_kept && view->lanes[lane_with(view, found)].is_pinned;
}

static uint32_t in_next_lane(const struct at *at, int by)
{
    const struct rv_box *box = &at->box;
    const uint64_t from_ns = rv_clock_later_ns(box->start_ns, at->view->from_ns),
                   to_ns = rv_clock_earlier_ns(rv_box_end_ns(box), at->view->to_ns);
    const uint64_t at_ns = middle_of(from_ns, rv_clock_later_ns(from_ns, to_ns));
    const uint32_t found = in_lanes_from(at->view, at->lane + (uint32_t)by, by, at_ns, box->depth);
    return passes_pages(at, found) ? NONE : found;
}

/* A cell is wider than its calls: its middle is in the caller of most. */
static bool is_caller(const struct rv_box *box, const struct rv_box *callee)
{
    return box->depth + 1 == callee->depth && distance(box, middle_of(callee->start_ns, rv_box_end_ns(callee))) == 0;
}

static bool is_better(enum rv_action direction, const struct rv_box *box, const struct rv_box *best)
{
    return direction == RV_ACTION_PIN_CALLEE     ? !best || box->duration_ns > best->duration_ns
           : direction == RV_ACTION_PIN_PREVIOUS ? true
                                                 : !best;
}

static bool is_there(enum rv_action direction, const struct rv_box *box, const struct rv_box *from)
{
    switch ((int)direction) {
    case RV_ACTION_PIN_CALLER:
        return is_caller(box, from);
    case RV_ACTION_PIN_CALLEE:
        return is_caller(from, box);
    case RV_ACTION_PIN_NEXT:
        return box->depth == from->depth && box->start_ns > from->start_ns;
    default:
        return box->depth == from->depth && box->start_ns < from->start_ns;
    }
}

static uint32_t in_lane(const struct at *at, enum rv_action direction)
{
    const struct rv_view_lane *lane = &at->view->lanes[at->lane];
    uint32_t found = NONE;
    for (uint32_t i = lane->first_box; i < lane->first_box + lane->n_boxes; i++) {
        const struct rv_box *box = &at->view->boxes[i];
        if (is_there(direction, box, &at->box) &&
            is_better(direction, box, found == NONE ? NULL : &at->view->boxes[found]))
            found = i;
    }
    return found;
}

static void pin(struct rv_viewer *viewer, uint32_t box)
{
    const struct rv_pick_hit hit = {.box = box, .lane = lane_with(viewer->view, box)};
    rv_pointer_unpin(&viewer->pointer);
    rv_hover_pin(&viewer->pointer.hover, viewer->view, &hit, viewer->pointer.hover.at_px);
    rv_viewer_scroll_to(viewer, viewer->view->lanes[hit.lane].lane_idx, viewer->view->boxes[box].depth);
    viewer->focus = (struct rv_viewer_focus){0};
    rv_viewer_point(viewer);
}

static bool is_of_thread(enum rv_action direction)
{
    return direction == RV_ACTION_PIN_IN_FRONT || direction == RV_ACTION_PIN_BEHIND;
}

/* To lanes for which there was no room. */
static void turn_page(struct rv_viewer *viewer, enum rv_action direction)
{
    const bool is_behind = direction == RV_ACTION_PIN_BEHIND;
    const struct rv_act act = {.action = is_behind ? RV_ACTION_PAGE_DOWN : RV_ACTION_PAGE_UP};
    if ((is_behind ? viewer->view->n_behind : viewer->view->n_in_front) &&
        viewer->view->n_in_front == (uint32_t)viewer->look.first_lane)
        rv_viewer_act(viewer, &act);
}

/* The next press finds them in the next picture; one that comes before it does nothing. */
static void pan(struct rv_viewer *viewer, enum rv_action direction)
{
    uint64_t from_ns, to_ns;
    const struct rv_view *view = viewer->view;
    const struct rv_live_edge *edge = &viewer->live_edge;
    const bool is_next = direction == RV_ACTION_PIN_NEXT && view->to_ns < edge->last_ns;
    const bool is_previous = direction == RV_ACTION_PIN_PREVIOUS && view->from_ns > edge->first_ns;
    const struct rv_act act = {.action = RV_ACTION_PAN, .amount = is_next ? PAN_SHARE : -PAN_SHARE};
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    if ((is_next || is_previous) && from_ns == view->from_ns)
        (void)rv_navigation_act(viewer, &act);
}

static void move(struct rv_viewer *viewer, const struct at *at, enum rv_action direction)
{
    const uint32_t box =
        is_of_thread(direction) ? in_next_lane(at, direction == RV_ACTION_PIN_BEHIND ? 1 : -1) : in_lane(at, direction);
    if (box != NONE)
        pin(viewer, box);
    else if (is_of_thread(direction))
        turn_page(viewer, direction);
    else
        pan(viewer, direction);
}

/* Has the window gone on from the pinned call in this direction? */
static bool is_left_behind(const struct rv_view *view, const struct rv_box *box, enum rv_action direction)
{
    return direction == RV_ACTION_PIN_NEXT       ? rv_box_end_ns(box) <= view->from_ns
           : direction == RV_ACTION_PIN_PREVIOUS ? box->start_ns >= view->to_ns
                                                 : false;
}

static uint32_t lane_of_thread(const struct rv_view *view, uint32_t lane_idx)
{
    uint32_t i = 0;
    while (i < view->n_lanes && view->lanes[i].lane_idx != lane_idx)
        i++;
    return i < view->n_lanes ? i : NONE;
}

/* Were pages of lanes turned past the pinned call's in this direction? Then *lane: that before the page's first, or
 * behind its last. */
static bool is_page_behind(const struct rv_viewer *viewer, enum rv_action direction, uint32_t *lane)
{
    const struct rv_view *view = viewer->view;
    const struct rv_lane_choices *order = &viewer->lane_order;
    const uint32_t lane_idx = viewer->pointer.hover.lane_idx;
    const size_t place = lane_idx < order->n_lanes ? rv_lane_choices_place(order, lane_idx) : SIZE_MAX;
    uint32_t n_kept = 0; /* in front on every page */
    while (n_kept < view->n_lanes && view->lanes[n_kept].is_pinned)
        n_kept++;
    const bool is_before = place < n_kept + view->n_in_front;
    *lane = direction == RV_ACTION_PIN_BEHIND ? n_kept - 1 : (uint32_t)view->n_lanes;
    return is_of_thread(direction) && place != SIZE_MAX && is_before == (direction == RV_ACTION_PIN_BEHIND);
}

/* The pinned call is not in view: go on from it, or come back to it. */
static void move_from_outside(struct rv_viewer *viewer, enum rv_action direction)
{
    const struct rv_hover *hover = &viewer->pointer.hover;
    struct at at = {viewer->view, lane_of_thread(viewer->view, hover->lane_idx), hover->box};
    if (at.lane != NONE ? is_left_behind(viewer->view, &hover->box, direction)
                        : is_page_behind(viewer, direction, &at.lane))
        move(viewer, &at, direction);
    else
        rv_viewer_show_call(viewer, &at.box, hover->lane_idx);
}

static void begin(struct rv_viewer *viewer)
{
    const struct rv_view *view = viewer->view;
    const uint32_t box = in_lanes_from(view, 0, 1, middle_of(view->from_ns, view->to_ns), 0);
    if (box != NONE)
        pin(viewer, box);
}

bool rv_viewer_call_cursor_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_hover *hover = &viewer->pointer.hover;
    if (act->action < RV_ACTION_PIN_CALLER || act->action > RV_ACTION_PIN_BEHIND)
        return false;
    if (!viewer->view || !viewer->view->is_made)
        return true;
    if (hover->is_pinned)
        rv_hover_find(hover, viewer->view);
    if (!hover->is_pinned)
        begin(viewer);
    else if (hover->box_idx == NONE && !rv_viewer_shows_rows(viewer))
        move_from_outside(viewer, act->action);
    else if (hover->box_idx != NONE)
        move(viewer,
             &(struct at){viewer->view, lane_with(viewer->view, hover->box_idx), viewer->view->boxes[hover->box_idx]},
             act->action);
    return true;
}
