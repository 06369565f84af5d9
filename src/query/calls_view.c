/*
 * The boxes of a row are those of its lane within the call: cells that reach beyond it are clipped, calls that do belong
 * to others. What is drawn of the call itself is as it was listed.
 */
#include "query/calls_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"
#include "model/box_budget.h"
#include "model/view_parts.h"
#include "query/row_part.h"

#define DEFAULT_BUDGET 20000u
#define ROW_BUDGET_MIN 16u

struct making {
    struct rv_view *view;
    const struct rv_view_params *params;
    double pixel_ns;
    size_t row_budget;
};

static struct rv_row_part part_of(const struct making *making, const struct rv_call_row *row,
                                  const struct rv_lane *lane)
{
    return (struct rv_row_part){.lane = lane,
                                .timeline = row->callees ? row->callees : lane->timeline,
                                .from_ns = row->call.start_ns,
                                .to_ns = rv_call_end_ns(&row->call),
                                .least_depth = row->call.depth + 1,
                                .budget = making->row_budget};
}

static void align(struct rv_box *boxes, size_t n, const struct rv_call *call)
{
    for (size_t i = 0; i < n; i++) {
        boxes[i].start_ns -= call->start_ns;
        boxes[i].depth -= call->depth;
    }
}

/* What the window shows of the call and its callees. */
static void add_part(const struct making *making, const struct rv_call_row *row, const struct rv_lane *lane,
                     struct rv_view_lane *out)
{
    struct rv_view *view = making->view;
    struct rv_row_part part = part_of(making, row, lane);
    if (!rv_row_part_show(&part, view, row->call.start_ns))
        return;
    size_t n = rv_row_part_take(&part, view, 0, &out->level);
    view->unsorted[n++] = rv_call_box(&row->call);
    n = rv_view_parts_mark(view->unsorted, n, making->params, lane);
    align(view->unsorted, n, &row->call);
    const uint64_t cell_ns = rv_pixel_cells_width_ns(making->pixel_ns);
    rv_view_parts_append(view, rv_pixel_cells_join(&view->pixel_cells, view->unsorted, n, cell_ns), cell_ns);
    rv_row_part_add_notes(&part, view, row->call.start_ns, (uint64_t)(making->pixel_ns / 4.0));
}

static void describe(struct rv_view_lane *out, const struct rv_call_row *row, const struct rv_lane *lane)
{
    char duration[32];
    rv_units_format_ns(duration, sizeof duration, row->call.duration_ns);
    *out = (struct rv_view_lane){.lane_idx = row->call.lane_idx,
                                 .thread = lane->thread,
                                 .pid = lane->pid,
                                 .max_depth = row->n_levels,
                                 .whole_depth = row->n_levels,
                                 .n_parts = 1,
                                 .n_members = 1,
                                 .busiest = 1.0};
    (void)snprintf(out->label, sizeof out->label, "%" PRIu64 "  %.20s", row->rank, duration);
    memcpy(out->name, lane->name, sizeof out->name);
    memcpy(out->process_name, lane->process_name, sizeof out->process_name);
}

static void add_row(const struct making *making, const struct rv_call_row *row, struct rv_lane *lane)
{
    struct rv_view *view = making->view;
    struct rv_view_lane *out = &view->lanes[view->n_made++];
    pthread_rwlock_wrlock(&lane->lock);
    describe(out, row, lane);
    out->first_box = (uint32_t)view->n_boxes;
    out->first_note = (uint32_t)view->n_notes;
    out->first_part = (uint32_t)view->n_parts;
    rv_view_parts_push_part(view, &(struct rv_view_part){.to_ns = UINT64_MAX,
                                                         .n_depths = UINT32_MAX,
                                                         .lane_idx = lane->idx,
                                                         .thread = lane->thread,
                                                         .shift_ns = row->call.start_ns,
                                                         .lane_depth = row->call.depth});
    add_part(making, row, lane, out);
    pthread_rwlock_unlock(&lane->lock);
    out->n_boxes = (uint32_t)view->n_boxes - out->first_box;
    out->n_notes = (uint32_t)view->n_notes - out->first_note;
}

void rv_calls_view_update(struct rv_view *view, const struct rv_call_rows *rows, struct rv_lanes *lanes,
                          const struct rv_view_params *params)
{
    const size_t budget = params->box_budget ? params->box_budget : DEFAULT_BUDGET, n = rows ? rows->n : 0;
    struct making making = {.view = view, .params = params};
    making.pixel_ns = rv_row_part_begin(view, params);
    making.row_budget = n && budget / n > ROW_BUDGET_MIN ? budget / n : ROW_BUDGET_MIN;
    view->n_lanes = n;
    view->lanes = rv_vec_reserve(view->lanes, &view->lanes_capacity, n, sizeof *view->lanes);
    for (size_t i = 0; i < n; i++)
        add_row(&making, &rows->items[i], rv_lanes_get(lanes, rows->items[i].call.lane_idx));
}
