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

#define DEFAULT_BUDGET 20000u
#define ROW_BUDGET_MIN 16u

struct making {
    struct rv_view *view;
    const struct rv_view_params *params;
    double pixel_ns;
    size_t row_budget;
};

/* The part of a row's call that the window shows, in the lane's time. False: none. */
static bool window_of(const struct making *making, const struct rv_call *call, uint64_t out_ns[2])
{
    const uint64_t end_ns = rv_call_end_ns(call), to_ns = rv_clock_after_ns(call->start_ns, making->view->to_ns);
    out_ns[0] = rv_clock_after_ns(call->start_ns, making->view->from_ns);
    out_ns[1] = to_ns < end_ns ? to_ns : end_ns;
    return out_ns[0] < out_ns[1];
}

static uint32_t choose_level(const struct making *making, const struct rv_timeline *timeline, const uint64_t window[2])
{
    uint32_t level = making->view->level;
    while (level + 1 < RV_TIMELINE_LEVELS &&
           rv_timeline_count(timeline, window[0], window[1], level) > making->row_budget)
        level++;
    return level;
}

/* Is it within the call? A cell is clipped to it. */
static bool clip(struct rv_box *box, const struct rv_call *call)
{
    const uint64_t end_ns = rv_call_end_ns(call);
    uint64_t box_end_ns = rv_box_end_ns(box);
    if (box->depth <= call->depth)
        return false;
    if (box->coverage == RV_BOX_EXACT)
        return box->start_ns >= call->start_ns && box_end_ns <= end_ns;
    box->start_ns = box->start_ns > call->start_ns ? box->start_ns : call->start_ns;
    box_end_ns = box_end_ns < end_ns ? box_end_ns : end_ns;
    box->duration_ns = box_end_ns > box->start_ns ? box_end_ns - box->start_ns : 0;
    return box->duration_ns > 0;
}

/* Open frames within an open call. */
static size_t add_open(struct rv_box *out, const struct rv_lane *lane, const struct rv_call *call)
{
    size_t n = 0;
    for (size_t i = 0; call->flags & RV_SPAN_OPEN && i < lane->n_open; i++) {
        struct rv_box box = rv_lane_open_box(lane, i);
        box.duration_ns = rv_call_end_ns(call) > box.start_ns ? rv_call_end_ns(call) - box.start_ns : 0;
        if (clip(&box, call))
            out[n++] = box;
    }
    return n;
}

/* The row's boxes in the scratch, in the lane's time. Returns their number. */
static size_t take_boxes(const struct making *making, const struct rv_call_row *row, const struct rv_lane *lane,
                         struct rv_view_lane *out)
{
    struct rv_view *view = making->view;
    const struct rv_timeline *timeline = row->callees ? row->callees : lane->timeline;
    uint64_t window[2];
    size_t n = 0, n_kept = 0;
    if (!window_of(making, &row->call, window))
        return 0;
    out->level = choose_level(making, timeline, window);
    size_t room = rv_timeline_count(timeline, window[0], window[1], out->level) + lane->n_open + 1;
    view->unsorted = rv_vec_reserve(view->unsorted, &view->unsorted_capacity, room, sizeof *view->unsorted);
    n = rv_timeline_query(timeline, window[0], window[1], out->level, view->unsorted, room - lane->n_open - 1);
    for (size_t i = 0; i < n; i++) {
        view->unsorted[n_kept] = view->unsorted[i];
        n_kept += clip(&view->unsorted[n_kept], &row->call);
    }
    n_kept += add_open(view->unsorted + n_kept, lane, &row->call);
    view->unsorted[n_kept++] = rv_call_box(&row->call);
    return rv_view_parts_mark(view->unsorted, n_kept, making->params, lane);
}

static void align(struct rv_box *boxes, size_t n, const struct rv_view_lane *row)
{
    for (size_t i = 0; i < n; i++) {
        boxes[i].start_ns -= row->shift_ns;
        boxes[i].depth -= row->shift_depth;
    }
}

/* When its thread was off the CPU within the call. */
static void add_notes(const struct making *making, const struct rv_call *call, const struct rv_lane *lane)
{
    struct rv_view *view = making->view;
    size_t last[RV_NOTE_KIND_COUNT] = {0}; /* + 1 */
    uint64_t window[2], near_ns = (uint64_t)(making->pixel_ns / 4.0);
    if (!window_of(making, call, window))
        return;
    for (size_t i = rv_view_parts_first_note(lane, window[0]); i < lane->n_notes; i++) {
        struct rv_lane_note note = lane->notes[i];
        if (note.start_ns >= window[1])
            break;
        if (!rv_note_is_off_cpu(&note) || note.end_ns <= window[0])
            continue;
        note.start_ns = (note.start_ns > call->start_ns ? note.start_ns : call->start_ns) - call->start_ns;
        note.end_ns = (note.end_ns < rv_call_end_ns(call) ? note.end_ns : rv_call_end_ns(call)) - call->start_ns;
        if (rv_view_parts_join_note(last[note.kind] ? &view->notes[last[note.kind] - 1] : NULL, &note, near_ns))
            continue;
        rv_view_parts_push_note(view, &note);
        last[note.kind] = view->n_notes;
    }
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
                                 .shift_ns = row->call.start_ns,
                                 .shift_depth = row->call.depth,
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
    pthread_mutex_lock(&lane->lock);
    describe(out, row, lane);
    out->first_box = (uint32_t)view->n_boxes;
    out->first_note = (uint32_t)view->n_notes;
    size_t n = take_boxes(making, row, lane, out);
    align(view->unsorted, n, out);
    n = rv_pixel_cells_join(&view->pixel_cells, view->unsorted, n, rv_pixel_cells_width_ns(making->pixel_ns));
    rv_view_parts_append(view, n);
    add_notes(making, &row->call, lane);
    pthread_mutex_unlock(&lane->lock);
    out->n_boxes = (uint32_t)view->n_boxes - out->first_box;
    out->n_notes = (uint32_t)view->n_notes - out->first_note;
}

void rv_calls_view_update(struct rv_view *view, const struct rv_call_rows *rows, struct rv_lanes *lanes,
                          const struct rv_view_params *params)
{
    const size_t budget = params->box_budget ? params->box_budget : DEFAULT_BUDGET, n = rows ? rows->n : 0;
    struct making making = {.view = view, .params = params};
    view->from_ns = params->from_ns;
    view->to_ns = params->to_ns > params->from_ns ? params->to_ns : params->from_ns + 1;
    view->until_ns = UINT64_MAX;
    view->n_boxes = view->n_notes = view->n_made = 0;
    view->n_folded = 0;
    view->n_steps = 0;
    view->has_path = false;
    view->most_depth = view->n_hidden = 0;
    view->n_processes = 1;
    making.pixel_ns = (double)(view->to_ns - view->from_ns) / (params->width_px ? params->width_px : 1);
    making.row_budget = n && budget / n > ROW_BUDGET_MIN ? budget / n : ROW_BUDGET_MIN;
    view->level = rv_timeline_level_for(making.pixel_ns / 2.0);
    view->is_made = true;
    view->n_lanes = n;
    view->lanes = rv_vec_reserve(view->lanes, &view->lanes_capacity, n, sizeof *view->lanes);
    for (size_t i = 0; i < n; i++)
        add_row(&making, &rows->items[i], rv_lanes_get(lanes, rows->items[i].call.lane_idx));
}
