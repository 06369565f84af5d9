#include "query/lock_lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/view_parts.h"

struct adding {
    struct rv_view *view;
    const struct rv_lock_lanes_params *params;
    uint64_t cell_ns; /* what is shorter is joined */
    size_t n_lanes;   /* added so far */
};

static bool is_in_view(const struct rv_view *view, const struct rv_hold *hold)
{
    return hold->from_ns < view->to_ns && hold->to_ns >= view->from_ns && hold->from_ns <= view->until_ns;
}

/* In the past, what had not ended ends there. */
static struct rv_box box_of(const struct rv_view *view, const struct rv_held_object *object, const struct rv_hold *hold,
                            uint64_t cell_ns)
{
    const uint64_t end_ns = hold->to_ns < view->until_ns ? hold->to_ns : view->until_ns;
    const uint64_t n_ns = end_ns - hold->from_ns;
    return (struct rv_box){.start_ns = hold->from_ns,
                           .duration_ns = n_ns,
                           .id = hold->call ? hold->call : object->object,
                           .count = 1,
                           .depth = hold->row,
                           .coverage = n_ns < cell_ns ? RV_BOX_EXACT - 1 : RV_BOX_EXACT,
                           .flags = hold->is_wait ? RV_BOX_DIMMED : 0};
}

static size_t take_boxes(const struct adding *adding, const struct rv_held_object *object)
{
    struct rv_view *view = adding->view;
    const struct rv_holders *holders = adding->params->holders;
    const size_t end = object->first + object->n;
    size_t n = 0;
    for (size_t i = rv_holders_first(holders, object, view->from_ns);
         i < end && holders->holds[i].from_ns < view->to_ns; i++) {
        if (!is_in_view(view, &holders->holds[i]))
            continue;
        view->unsorted = rv_vec_reserve(view->unsorted, &view->unsorted_capacity, n + 1, sizeof *view->unsorted);
        view->unsorted[n++] = box_of(view, object, &holders->holds[i], adding->cell_ns);
    }
    return rv_pixel_cells_join(&view->pixel_cells, view->unsorted, n, adding->cell_ns);
}

static void describe(const struct adding *adding, struct rv_view_lane *lane, const struct rv_held_object *object)
{
    char name[RV_LANE_NAME_BYTES];
    (void)rv_subroutines_name_of(adding->params->subroutines, object->object, name, sizeof name);
    *lane = (struct rv_view_lane){.lane_idx = RV_VIEW_LANE_OF_OBJECT,
                                  .object = object->object,
                                  .is_in_part = adding->params->holders->n_left_out > 0,
                                  .process = adding->view->n_processes,
                                  .max_depth = object->n_rows,
                                  .whole_depth = object->n_rows};
    (void)snprintf(lane->name, sizeof lane->name, "%s", name);
}

static void add_lane(struct adding *adding, const struct rv_held_object *object)
{
    struct rv_view *view = adding->view;
    struct rv_view_lane lane;
    describe(adding, &lane, object);
    lane.first_box = (uint32_t)view->n_boxes;
    rv_view_parts_append(view, take_boxes(adding, object), adding->cell_ns);
    lane.n_boxes = (uint32_t)view->n_boxes - lane.first_box;
    view->lanes = rv_vec_reserve(view->lanes, &view->lanes_capacity, view->n_lanes + 1, sizeof *view->lanes);
    view->lanes[view->n_lanes++] = lane;
    adding->n_lanes++;
}

/* Move the last lanes, and their boxes, before the others. */
static void move_to_front(struct rv_view *view, size_t n_lanes, size_t n_boxes)
{
    const size_t n_before = view->n_lanes - n_lanes, n_boxes_before = view->n_boxes - n_boxes;
    struct rv_view_lane moved[RV_LOCK_LANES_MOST];
    memcpy(moved, view->lanes + n_before, n_lanes * sizeof *moved);
    memmove(view->lanes + n_lanes, view->lanes, n_before * sizeof *view->lanes);
    memcpy(view->lanes, moved, n_lanes * sizeof *moved);
    view->unsorted = rv_vec_reserve(view->unsorted, &view->unsorted_capacity, n_boxes, sizeof *view->unsorted);
    memcpy(view->unsorted, view->boxes + n_boxes_before, n_boxes * sizeof *view->boxes);
    memmove(view->boxes + n_boxes, view->boxes, n_boxes_before * sizeof *view->boxes);
    memcpy(view->boxes, view->unsorted, n_boxes * sizeof *view->boxes);
    for (size_t i = 0; i < view->n_lanes; i++)
        view->lanes[i].first_box +=
            (uint32_t)(i < n_lanes ? 0 : n_boxes) - (uint32_t)(i < n_lanes ? n_boxes_before : 0);
    for (size_t i = 0; i < view->n_steps; i++)
        view->steps[i].lane += (uint32_t)n_lanes;
}

void rv_lock_lanes_add(struct rv_view *view, const struct rv_lock_lanes_params *params,
                       const struct rv_view_params *view_params)
{
    const double pixel_ns = (double)(view->to_ns - view->from_ns) / (view_params->width_px ? view_params->width_px : 1);
    struct adding adding = {.view = view, .params = params, .cell_ns = rv_pixel_cells_width_ns(pixel_ns)};
    const size_t n_boxes = view->n_boxes;
    if (!params->holders)
        return;
    for (size_t i = 0; i < params->holders->n_objects && i < RV_LOCK_LANES_MOST; i++)
        add_lane(&adding, &params->holders->objects[i]);
    if (adding.n_lanes)
        move_to_front(view, adding.n_lanes, view->n_boxes - n_boxes);
    view->n_processes += view->n_processes > 1 && adding.n_lanes;
}

const struct rv_held_object *rv_lock_lanes_object(const struct rv_holders *holders, const struct rv_view_lane *lane)
{
    for (size_t i = 0; lane->object && holders && i < holders->n_objects && i < RV_LOCK_LANES_MOST; i++)
        if (holders->objects[i].object == lane->object)
            return &holders->objects[i];
    return NULL;
}

const struct rv_hold *rv_lock_lanes_at(const struct rv_holders *holders, const struct rv_held_object *object,
                                       const struct rv_box *box)
{
    return box->coverage == RV_BOX_EXACT ? rv_holders_at(holders, object, box->depth, box->start_ns) : NULL;
}
