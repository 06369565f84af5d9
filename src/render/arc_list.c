#include "render/arc_list.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/vec.h"

#define BOXES_BACK 256u /* before a moment, among which is the innermost call there */
#define WAIT_LEAST 0.06
#define FLOW_LEAST 0.35
#define LONG_SHARE 0.1   /* of the picture: longer waits are no brighter */
#define FEW 8.0          /* the one with this rank has half the strength that its time gives it */
#define RISE_SHARE 0.20f /* of the distance between the lanes */
#define RISE_MOST 0.06f  /* of the picture's width: arcs over many lanes would leave it at the top */
#define RISE_ROWS 1.5f
#define FLAT_RISE 0.5f /* world: 25 points */
#define PICK_PX 5.0f
#define FANS 48u /* in the picture's width: nearer starts of one thread are one arc where there are too many */
#define PICK_PARTS 16

/* ---- which ---- */

static void place_lanes(struct rv_arc_list *list, const struct rv_view *view)
{
    list->n_lanes = 0;
    for (size_t i = 0; i < view->n_lanes; i++)
        for (uint32_t j = 0; j < view->lanes[i].n_members; j++) {
            const uint32_t lane_idx = view->members[view->lanes[i].first_member + j];
            list->n_lanes = lane_idx >= list->n_lanes ? (size_t)lane_idx + 1 : list->n_lanes;
        }
    list->lanes = rv_vec_reserve(list->lanes, &list->lanes_capacity, list->n_lanes + 1, sizeof *list->lanes);
    memset(list->lanes, 0, list->n_lanes * sizeof *list->lanes);
    for (size_t i = 0; i < view->n_lanes; i++)
        for (uint32_t j = 0; j < view->lanes[i].n_members; j++)
            list->lanes[view->members[view->lanes[i].first_member + j]] = (uint32_t)i + 1;
}

/* Of the innermost call at a time: the last one to begin that has not ended. */
static uint32_t depth_at(const struct rv_view *content, uint32_t lane, uint64_t at_ns)
{
    const struct rv_view_lane *shown = &content->lanes[lane];
    const struct rv_box *boxes = &content->boxes[shown->first_box];
    size_t i = rv_bisect_count(boxes, shown->n_boxes, sizeof *boxes, offsetof(struct rv_box, start_ns), at_ns);
    for (const size_t least = i > BOXES_BACK ? i - BOXES_BACK : 0; i > least; i--)
        if (rv_box_end_ns(&boxes[i - 1]) >= at_ns)
            return boxes[i - 1].depth;
    return 0;
}

static uint32_t lane_of(const struct rv_arc_list *list, uint32_t lane_idx)
{
    return lane_idx < list->n_lanes ? list->lanes[lane_idx] : 0;
}

static void add(struct rv_arc_list *list, const struct rv_arc *arc, const struct rv_view *content)
{
    const uint32_t from = lane_of(list, arc->from_lane), to = lane_of(list, arc->to_lane);
    if (!from || !to || from == to)
        return;
    list->items = rv_vec_reserve(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] = (struct rv_arc_item){.arc = *arc,
                                                  .from_lane = from - 1,
                                                  .to_lane = to - 1,
                                                  .from_depth = depth_at(content, from - 1, arc->from_ns),
                                                  .to_depth = depth_at(content, to - 1, arc->to_ns)};
}

static int by_total(const void *a, const void *b)
{
    const struct rv_arc *x = &((const struct rv_arc_item *)a)->arc, *y = &((const struct rv_arc_item *)b)->arc;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x->to_ns < y->to_ns ? -1 : x->to_ns > y->to_ns;
}

static uint64_t hub_ns(const struct rv_arc *arc)
{
    return rv_arc_hub_is_from(arc) ? arc->from_ns : arc->to_ns;
}

/* Kinds that have hubs come last; of these, arcs of the same call at the same end stand together, in order of time. */
static int compare_hubs(const struct rv_arc *a, const struct rv_arc *b)
{
    const bool a_from = rv_arc_hub_is_from(a), b_from = rv_arc_hub_is_from(b);
    const uint32_t a_lane = a_from ? a->from_lane : a->to_lane, b_lane = b_from ? b->from_lane : b->to_lane;
    const uint32_t a_call = a_from ? a->from_call : a->to_call, b_call = b_from ? b->from_call : b->to_call;
    if ((a->kind == RV_ARC_START) != (b->kind == RV_ARC_START))
        return a->kind == RV_ARC_START ? 1 : -1;
    if (a_from != b_from)
        return a_from ? 1 : -1;
    if (a_lane != b_lane)
        return a_lane < b_lane ? -1 : 1;
    return a_call < b_call ? -1 : a_call > b_call;
}

static int by_hub(const void *a, const void *b)
{
    const struct rv_arc *x = &((const struct rv_arc_item *)a)->arc, *y = &((const struct rv_arc_item *)b)->arc;
    const int order = compare_hubs(x, y);
    if (order || hub_ns(x) == hub_ns(y))
        return order;
    return hub_ns(x) < hub_ns(y) ? -1 : 1;
}

static void fold_into(struct rv_arc_item *into, const struct rv_arc_item *item)
{
    const uint32_t n = into->arc.n + item->arc.n, n_others = into->arc.n_others + item->arc.n_others + 1;
    const uint64_t total_ns = into->arc.total_ns + item->arc.total_ns;
    if (item->arc.longest_ns > into->arc.longest_ns)
        *into = *item;
    into->arc.n = n;
    into->arc.n_others = n_others;
    into->arc.total_ns = total_ns;
}

/* A thread that starts, or awaits, thousands is at one end of arcs to as many lanes: fold those that are near in time. */
static void fold_fans(struct rv_arc_list *list, uint64_t near_ns)
{
    size_t n_left = 0;
    uint64_t begin_ns = 0; /* of the last one that is left */
    qsort(list->items, list->n, sizeof *list->items, by_hub);
    for (size_t i = 0; i < list->n; i++) {
        const struct rv_arc *arc = &list->items[i].arc;
        const bool is_near = n_left && arc->kind == RV_ARC_START && hub_ns(arc) - begin_ns < near_ns;
        if (is_near && compare_hubs(&list->items[n_left - 1].arc, arc) == 0) {
            fold_into(&list->items[n_left - 1], &list->items[i]);
            continue;
        }
        begin_ns = hub_ns(arc);
        list->items[n_left++] = list->items[i];
    }
    list->n = n_left;
}

/* Waits that take much of the picture stand out, and of them those with most time: many would cover the calls. */
static void set_strengths(struct rv_arc_list *list, uint64_t width_ns)
{
    for (size_t i = 0; i < list->n; i++) {
        const double share = (double)list->items[i].arc.total_ns / ((double)width_ns * LONG_SHARE);
        const double strength = sqrt(fmin(share, 1.0)) * FEW / (FEW + (double)i);
        const bool is_flow = RV_ARC_OF_FLOWS >> list->items[i].arc.kind & 1;
        const double least = is_flow ? FLOW_LEAST : WAIT_LEAST;
        list->items[i].strength = (float)fmax(strength, least);
    }
}

static void add_indexed(struct rv_arc_list *list, const struct rv_arc_levels *index, const struct rv_view *content,
                        const struct rv_view *view)
{
    size_t n;
    place_lanes(list, view);
    const size_t level = rv_arc_levels_choose(index, view->from_ns, view->to_ns, RV_ARC_LIST_MOST);
    const struct rv_arc *arcs = rv_arc_levels_window(index, level, view->from_ns, view->to_ns, &n);
    for (size_t i = 0; i < n; i++)
        if (arcs[i].to_ns >= view->from_ns && arcs[i].to_ns < view->to_ns && arcs[i].to_ns <= view->until_ns)
            add(list, &arcs[i], content);
}

static struct rv_arc_item item_of(const struct rv_view_link *link)
{
    const uint64_t ns = link->to_ns > link->from_ns ? link->to_ns - link->from_ns : 0;
    return (struct rv_arc_item){.arc = {.from_ns = link->from_ns,
                                        .to_ns = link->to_ns,
                                        .from_lane = link->from_lane,
                                        .to_lane = link->to_lane,
                                        .kind = link->is_task ? RV_ARC_TASK : RV_ARC_FLOW,
                                        .n = 1,
                                        .total_ns = ns,
                                        .longest_ns = ns,
                                        .from_call = link->from_call,
                                        .to_call = link->to_call,
                                        .object = link->name},
                                .from_lane = link->lane,
                                .to_lane = link->lane,
                                .from_depth = link->from_depth,
                                .to_depth = link->to_depth,
                                .shift_ns = link->shift_ns};
}

static void add_links(struct rv_arc_list *list, const struct rv_view *view)
{
    list->items = rv_vec_reserve(list->items, &list->capacity, view->n_links, sizeof *list->items);
    for (size_t i = 0; i < view->n_links; i++)
        list->items[list->n++] = item_of(&view->links[i]);
}

void rv_arc_list_make(struct rv_arc_list *list, const struct rv_arc_levels *index, const struct rv_view *content,
                      const struct rv_view *view)
{
    list->n = list->n_left = 0;
    if (view->n_links)
        add_links(list, view);
    else if (index && rv_arc_levels_n_levels(index))
        add_indexed(list, index, content, view);
    if (list->n > RV_ARC_LIST_MOST)
        fold_fans(list, (view->to_ns - view->from_ns) / FANS);
    if (list->n)
        qsort(list->items, list->n, sizeof *list->items, by_total);
    list->n_left = list->n > RV_ARC_LIST_MOST ? list->n - RV_ARC_LIST_MOST : 0;
    list->n -= list->n_left;
    set_strengths(list, view->to_ns - view->from_ns);
}

void rv_arc_list_fini(struct rv_arc_list *list)
{
    free(list->items);
    free(list->lanes);
    *list = (struct rv_arc_list){0};
}

/* ---- where ---- */

uint32_t rv_arc_rgb(const struct rv_theme *theme, enum rv_arc_kind kind)
{
    switch (kind) {
    case RV_ARC_LOCK:
        return theme->arc_lock;
    case RV_ARC_SIGNAL:
        return theme->arc_signal;
    case RV_ARC_TRANSFER:
        return theme->arc_transfer;
    case RV_ARC_START:
        return theme->arc_start;
    case RV_ARC_FLOW:
        return theme->arc_flow;
    case RV_ARC_TASK:
        return theme->arc_task;
    case RV_ARC_KIND_COUNT:
        break;
    }
    rv_unreachable();
}

/* On the call: on top of it, or in the middle of its row. */
static void place_end(const struct rv_lane_layout *layout, uint32_t idx, uint32_t depth, uint64_t at_ns, float out[3])
{
    const struct rv_lane_layout_lane *lane = &layout->lanes[idx];
    const float x = (float)rv_lane_layout_x(layout, at_ns);
    out[0] = fminf(fmaxf(x, 0.0f), layout->width);
    out[1] = rv_lane_layout_row_y(lane, depth) + (layout->is_flat ? 0.5f : 1.0f) * lane->row_height;
    out[2] = layout->is_flat ? 0.0f : lane->z;
}

struct rv_arc_curve rv_arc_curve_of(const struct rv_lane_layout *layout, const struct rv_arc_item *item)
{
    struct rv_arc_curve curve;
    place_end(layout, item->from_lane, item->from_depth, item->arc.from_ns - item->shift_ns, curve.from);
    place_end(layout, item->to_lane, item->to_depth, item->arc.to_ns - item->shift_ns, curve.to);
    const float apart = RISE_SHARE * fabsf(curve.to[2] - curve.from[2]);
    curve.rise = layout->is_flat ? FLAT_RISE : fminf(apart, RISE_MOST * layout->width) + RISE_ROWS * layout->row;
    return curve;
}

static void curve_at(const struct rv_arc_curve *curve, const struct rv_lane_layout *layout, float share, float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = curve->from[i] + share * (curve->to[i] - curve->from[i]);
    out[layout->is_flat ? 0 : 1] += 4.0f * curve->rise * share * (1.0f - share);
}

static float distance_px(const float a[2], const float b[2], const double at_px[2])
{
    const float along[2] = {b[0] - a[0], b[1] - a[1]}, to[2] = {(float)at_px[0] - a[0], (float)at_px[1] - a[1]};
    const float length = along[0] * along[0] + along[1] * along[1];
    const float share = length > 0.0f ? fminf(fmaxf((along[0] * to[0] + along[1] * to[1]) / length, 0.0f), 1.0f) : 0.0f;
    return hypotf(to[0] - share * along[0], to[1] - share * along[1]);
}

static float distance_to(const struct rv_arc_curve *curve, const struct rv_lane_layout *layout,
                         const struct rv_camera *camera, const double at_px[2])
{
    float least_px = INFINITY, before[2] = {0};
    bool has_before = false;
    for (int i = 0; i <= PICK_PARTS; i++) {
        vec3 point;
        vec2 px;
        curve_at(curve, layout, (float)i / PICK_PARTS, point);
        const bool is_seen = rv_camera_project(camera, point, px);
        if (is_seen && has_before)
            least_px = fminf(least_px, distance_px(before, px, at_px));
        before[0] = px[0];
        before[1] = px[1];
        has_before = is_seen;
    }
    return least_px;
}

bool rv_arc_list_pick(const struct rv_arc_list *list, const struct rv_lane_layout *layout,
                      const struct rv_camera *camera, const double at_px[2], size_t *idx)
{
    float least_px = PICK_PX;
    bool is_hit = false;
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i].from_lane >= layout->n_lanes || list->items[i].to_lane >= layout->n_lanes)
            continue;
        const struct rv_arc_curve curve = rv_arc_curve_of(layout, &list->items[i]);
        const float px = distance_to(&curve, layout, camera, at_px);
        if (px >= least_px)
            continue;
        least_px = px;
        *idx = i;
        is_hit = true;
    }
    return is_hit;
}
