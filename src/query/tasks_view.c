#include "query/tasks_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"
#include "model/box_budget.h"
#include "model/timeline_query.h"
#include "model/view_parts.h"
#include "query/row_part.h"

#define DEFAULT_BUDGET 20000u
#define ROW_BUDGET_MIN 16u
#define PARTS_MOST 64u     /* of a lane; more parts are summarized, */
#define SUM_COLUMNS 128u   /* in so many columns of the window */
#define NAMED_BELOW 100000 /* lower ids are shown as numbers, others are addresses */

struct part { /* a part of one task, while its lane is made */
    struct rv_view_part shown;
    uint64_t from_ns, to_ns; /* in the lane */
    uint64_t told_ns[2];     /* when the link to it arrives, and when the next one leaves */
    uint32_t call;
    size_t first, n; /* boxes in the scratch */
    uint32_t track;  /* parts of a track follow each other */
    bool is_turn;    /* of a task: its depth in the lane is still to be found */
};

struct making {
    struct rv_view *view;
    const struct rv_tasks_view_params *params;
    const struct rv_view_params *view_params;
    double pixel_ns;
    size_t row_budget;
    struct part *parts;
    size_t n_parts, parts_capacity;
    uint64_t shift_ns; /* of the lane being made */
};

uint64_t rv_tasks_view_longest_ns(const struct rv_flow_table *table)
{
    if (!table || !table->n_flows)
        return 0;
    const struct rv_flow *longest = &table->flows[table->by_length[0]];
    return longest->end_ns - longest->begin_ns;
}

/* ---- which ---- */

static bool is_in_window(const struct making *making, const struct rv_flow *flow)
{
    const struct rv_view *view = making->view;
    return making->params->is_aligned || (flow->begin_ns < view->to_ns && flow->end_ns >= view->from_ns);
}

static bool is_followed(const struct making *making, const struct rv_flow *flow)
{
    const struct rv_followed *followed = &making->params->followed;
    return followed->is_on && followed->is_task == flow->is_task && followed->id == flow->id &&
           followed->begin_ns == flow->begin_ns;
}

/* Numbers of flows, in the order of the lanes. For free(). */
static uint32_t *take_meant(const struct making *making, size_t *n)
{
    const struct rv_flow_table *table = making->params->table;
    const uint32_t *order = making->params->is_longest_first ? table->by_length : table->by_begin;
    uint32_t *meant = rv_alloc_scratch(table->n_flows + 1, sizeof *meant);
    *n = 0;
    for (size_t i = 0; i < table->n_flows; i++)
        if (is_in_window(making, &table->flows[order[i]]))
            meant[(*n)++] = order[i];
    return meant;
}

/* The followed one, else the longest. */
static uint32_t of_group(const struct making *making, const uint32_t *group, size_t n)
{
    const struct rv_flow *flows = making->params->table->flows, *best = &flows[group[0]];
    for (size_t i = 0; i < n; i++) {
        const struct rv_flow *flow = &flows[group[i]];
        if (is_followed(making, flow))
            return group[i];
        if (flow->end_ns - flow->begin_ns > best->end_ns - best->begin_ns)
            best = flow;
    }
    return (uint32_t)(best - flows);
}

/* ---- parts ---- */

struct innermost {
    uint64_t at_ns;
    uint32_t id; /* wanted, if it is there; 0: any */
    bool is_found, is_wanted;
    struct rv_box box;
};

static void keep_innermost(void *context, const struct rv_box *box)
{
    struct innermost *innermost = context;
    const bool is_wanted = innermost->id && box->id == innermost->id;
    if (box->start_ns > innermost->at_ns || innermost->is_wanted > is_wanted ||
        (innermost->is_found && innermost->is_wanted == is_wanted && box->depth < innermost->box.depth))
        return;
    innermost->box = *box;
    innermost->is_found = true;
    innermost->is_wanted = is_wanted;
}

static bool find_innermost(const struct rv_lane *lane, struct innermost *innermost)
{
    rv_timeline_query_across(lane->timeline, innermost->at_ns, keep_innermost, innermost);
    for (size_t i = 0; i < lane->n_open; i++) {
        const struct rv_box open = rv_lane_open_box(lane, i);
        keep_innermost(innermost, &open);
    }
    return innermost->is_found;
}

/* A box that begins with the turn may be clipped to it. */
static bool began_in(const struct rv_box *box, uint64_t from_ns)
{
    const bool is_whole = box->coverage == RV_BOX_EXACT && !(box->flags & RV_BOX_CLIPPED);
    return box->start_ns > from_ns || (box->start_ns == from_ns && is_whole);
}

/* From which depth on calls are of a turn: that in which it began, or the least of those that began in it. */
static uint32_t least_depth_of(const struct rv_box *boxes, size_t n, uint64_t from_ns,
                               const struct innermost *innermost)
{
    uint32_t least = innermost->is_found ? innermost->box.depth : UINT32_MAX;
    for (size_t i = 0; i < n; i++)
        if (began_in(&boxes[i], from_ns) && boxes[i].depth < least)
            least = boxes[i].depth;
    return least == UINT32_MAX ? 0 : least;
}

/* Leave out boxes of less depth, and move the others to the foot. Returns how many are left. */
static size_t settle(struct rv_box *boxes, size_t n, struct part *part)
{
    size_t n_left = 0;
    part->shown.n_depths = 0;
    for (size_t i = 0; i < n; i++) {
        if (boxes[i].depth < part->shown.lane_depth)
            continue;
        boxes[n_left] = boxes[i];
        boxes[n_left].start_ns -= part->shown.shift_ns;
        boxes[n_left].depth -= part->shown.lane_depth;
        if (boxes[n_left].depth >= part->shown.n_depths)
            part->shown.n_depths = boxes[n_left].depth + 1;
        n_left++;
    }
    return n_left;
}

/* Its boxes, behind those in the scratch. Returns how many there are then. */
static size_t take_boxes(const struct making *making, struct part *part, const struct rv_lane *lane,
                         const struct innermost *innermost, struct rv_view_lane *out, size_t n)
{
    struct rv_view *view = making->view;
    struct rv_row_part row = {.lane = lane,
                              .timeline = lane->timeline,
                              .from_ns = part->from_ns,
                              .to_ns = part->to_ns,
                              .least_depth = part->shown.lane_depth,
                              .budget = making->row_budget / making->n_parts + 1};
    part->first = n;
    if (!rv_row_part_show(&row, view, making->shift_ns))
        return n;
    size_t n_taken = rv_row_part_take(&row, view, n, &out->level) - n;
    if (part->is_turn)
        part->shown.lane_depth = least_depth_of(view->unsorted + n, n_taken, part->from_ns, innermost);
    n_taken = settle(view->unsorted + n, n_taken, part);
    part->n = rv_view_parts_mark(view->unsorted + n, n_taken, making->view_params, lane);
    return n + part->n;
}

static struct part *push_part(struct making *making, const struct rv_flow_step *step, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t shift_ns = making->shift_ns;
    making->parts = rv_vec_reserve(making->parts, &making->parts_capacity, making->n_parts + 1, sizeof *making->parts);
    struct part *part = &making->parts[making->n_parts++];
    *part = (struct part){.shown = {.from_ns = from_ns - shift_ns,
                                    .to_ns = to_ns - shift_ns,
                                    .lane_idx = step->lane,
                                    .shift_ns = shift_ns},
                          .from_ns = from_ns,
                          .to_ns = to_ns,
                          .told_ns = {step->at_ns, step->until_ns},
                          .call = step->call};
    return part;
}

/* The call that tells a step; several steps in it are one part. */
static void add_call(struct making *making, const struct rv_flow_step *step)
{
    struct rv_lane *lane = rv_lanes_get(making->params->lanes, step->lane);
    struct innermost innermost = {.at_ns = step->at_ns, .id = step->call};
    pthread_rwlock_wrlock(&lane->lock);
    const bool is_found = find_innermost(lane, &innermost);
    pthread_rwlock_unlock(&lane->lock);
    if (!is_found)
        return;
    const uint64_t from_ns = innermost.box.start_ns, to_ns = rv_box_end_ns(&innermost.box);
    struct part *last = making->n_parts ? &making->parts[making->n_parts - 1] : NULL;
    if (last && last->shown.lane_idx == step->lane && last->from_ns == from_ns && last->to_ns == to_ns) {
        last->told_ns[1] = step->at_ns;
        return;
    }
    struct part *part = push_part(making, step, from_ns, to_ns);
    part->shown.lane_depth = innermost.box.depth;
    if (from_ns < making->shift_ns) { /* it had begun before its flow did */
        part->from_ns = making->shift_ns;
        part->shown.from_ns = 0;
    }
}

static uint64_t until_of(const struct making *making, const struct rv_flow_step *step)
{
    struct rv_lane *lane = rv_lanes_get(making->params->lanes, step->lane);
    if (step->until_ns != UINT64_MAX)
        return step->until_ns;
    pthread_rwlock_wrlock(&lane->lock);
    const uint64_t last_ns = lane->last_ns;
    pthread_rwlock_unlock(&lane->lock);
    return last_ns;
}

static void add_turn(struct making *making, const struct rv_flow_step *step)
{
    const uint64_t until_ns = until_of(making, step);
    if (until_ns <= step->at_ns)
        return;
    struct part *part = push_part(making, step, step->at_ns, until_ns);
    part->told_ns[1] = until_ns;
    part->is_turn = true;
}

static bool is_shown(const struct making *making, const struct rv_flow_step *step)
{
    const uint64_t from_ns = making->view->from_ns + making->shift_ns;
    return step->at_ns < rv_clock_after_ns(making->view->to_ns, making->shift_ns) &&
           (step->until_ns > from_ns || step->kind < RV_STEP_TASK_BEGIN);
}

/* Those in the window. False: they are too many. */
static bool find_parts(struct making *making, const struct rv_flow *flow)
{
    const struct rv_flow_step *steps = &making->params->table->steps[flow->first];
    making->n_parts = 0;
    for (size_t i = 0; i < flow->n && making->n_parts <= PARTS_MOST; i++) {
        if (!is_shown(making, &steps[i]))
            continue;
        if (flow->is_task)
            add_turn(making, &steps[i]);
        else
            add_call(making, &steps[i]);
    }
    return making->n_parts <= PARTS_MOST;
}

/* The first track that is free then. Returns the number of tracks. */
static uint32_t choose_tracks(struct making *making)
{
    uint64_t free_ns[PARTS_MOST + 1] = {0};
    uint32_t n = 0;
    for (size_t i = 0; i < making->n_parts; i++) {
        struct part *part = &making->parts[i];
        while (part->track < n && free_ns[part->track] > part->from_ns)
            part->track++;
        n = part->track == n ? n + 1 : n;
        free_ns[part->track] = part->to_ns;
    }
    return n;
}

/* Tracks stand on each other, and the first on the task's box. Returns the number of levels. */
static uint32_t stack_tracks(struct making *making, uint32_t n_tracks)
{
    uint32_t foot = 1;
    for (uint32_t track = 0; track < n_tracks; track++) {
        uint32_t most = 0;
        for (size_t i = 0; i < making->n_parts; i++) {
            struct part *part = &making->parts[i];
            if (part->track != track)
                continue;
            part->shown.depth = foot;
            most = part->shown.n_depths > most ? part->shown.n_depths : most;
            for (size_t j = part->first; j < part->first + part->n; j++)
                making->view->unsorted[j].depth += foot;
        }
        foot += most;
    }
    return foot;
}

static void add_notes(const struct making *making, const struct part *part, const struct rv_lane *lane)
{
    struct rv_row_part row = {.lane = lane, .from_ns = part->from_ns, .to_ns = part->to_ns};
    if (rv_row_part_show(&row, making->view, making->shift_ns))
        rv_row_part_add_notes(&row, making->view, making->shift_ns, (uint64_t)(making->pixel_ns / 4.0));
}

/* Boxes of all parts, in the scratch. Returns how many. */
static size_t take_parts(struct making *making, struct rv_view_lane *out, uint32_t n_tracks)
{
    size_t n = 0;
    for (size_t i = 0; i < making->n_parts; i++) {
        struct part *part = &making->parts[i];
        struct rv_lane *lane = rv_lanes_get(making->params->lanes, part->shown.lane_idx);
        struct innermost innermost = {.at_ns = part->from_ns};
        pthread_rwlock_wrlock(&lane->lock);
        part->shown.thread = lane->thread;
        if (part->is_turn)
            (void)find_innermost(lane, &innermost);
        n = take_boxes(making, part, lane, &innermost, out, n);
        if (n_tracks == 1)
            add_notes(making, part, lane);
        pthread_rwlock_unlock(&lane->lock);
    }
    return n;
}

/* ---- summarized ---- */

static struct rv_box column_box(const struct making *making, const struct rv_flow *flow, size_t column)
{
    const struct rv_view *view = making->view;
    const double width_ns = (double)(view->to_ns - view->from_ns) / SUM_COLUMNS;
    const uint64_t from_ns = view->from_ns + (uint64_t)(width_ns * (double)column);
    return (struct rv_box){.start_ns = from_ns,
                           .duration_ns = view->from_ns + (uint64_t)(width_ns * (double)(column + 1)) - from_ns,
                           .id = flow->name,
                           .depth = 1};
}

struct column {
    struct rv_box box;
    uint64_t begin_ns, end_ns, covered_ns; /* in the lanes of threads */
};

/* A turn that began in the first of these, or before it. */
static void add_to_columns(struct column *columns, size_t n, uint64_t from_ns, uint64_t until_ns)
{
    columns[0].box.count += from_ns >= columns[0].begin_ns && from_ns < columns[0].end_ns;
    for (size_t i = 0; i < n && columns[i].begin_ns < until_ns; i++) {
        const uint64_t on_ns = from_ns > columns[i].begin_ns ? from_ns : columns[i].begin_ns;
        const uint64_t off_ns = until_ns < columns[i].end_ns ? until_ns : columns[i].end_ns;
        columns[i].covered_ns += off_ns > on_ns ? off_ns - on_ns : 0;
    }
}

static void make_columns(const struct making *making, const struct rv_flow *flow, struct column columns[SUM_COLUMNS])
{
    for (size_t i = 0; i < SUM_COLUMNS; i++) {
        columns[i] = (struct column){.box = column_box(making, flow, i)};
        columns[i].begin_ns = columns[i].box.start_ns + making->shift_ns;
        columns[i].end_ns = columns[i].begin_ns + columns[i].box.duration_ns;
    }
}

/* What share of each column had a turn, and how many began in it. Returns the number of boxes. */
static size_t sum_turns(struct making *making, const struct rv_flow *flow)
{
    const struct rv_flow_step *steps = &making->params->table->steps[flow->first];
    struct rv_view *view = making->view;
    struct column columns[SUM_COLUMNS];
    size_t n = 0, first = 0;
    make_columns(making, flow, columns);
    for (size_t i = 0; i < flow->n && steps[i].at_ns < columns[SUM_COLUMNS - 1].end_ns; i++) {
        while (columns[first].end_ns <= steps[i].at_ns)
            first++;
        add_to_columns(&columns[first], SUM_COLUMNS - first, steps[i].at_ns, until_of(making, &steps[i]));
    }
    view->unsorted = rv_vec_reserve(view->unsorted, &view->unsorted_capacity, SUM_COLUMNS + 1, sizeof *view->unsorted);
    for (size_t i = 0; i < SUM_COLUMNS; i++) {
        struct rv_box box = columns[i].box;
        if (!box.count && !columns[i].covered_ns)
            continue;
        const double share = box.duration_ns ? (double)columns[i].covered_ns / (double)box.duration_ns : 0.0;
        box.coverage = (uint16_t)((share < 1.0 ? share : 1.0) * (RV_BOX_EXACT - 1));
        view->unsorted[n++] = box;
    }
    return n;
}

/* ---- lanes ---- */

static void describe(const struct making *making, struct rv_view_lane *out, const struct rv_flow *flow)
{
    const struct rv_flow_step *step = &making->params->table->steps[flow->first];
    struct rv_lane *lane = rv_lanes_get(making->params->lanes, step->lane);
    char name[128] = "task";
    if (flow->name)
        (void)rv_subroutines_name_of(making->params->subroutines, flow->name, name, sizeof name);
    *out = (struct rv_view_lane){
        .lane_idx = step->lane, .thread = lane->thread, .pid = lane->pid, .n_members = 1, .busiest = 1.0};
    (void)snprintf(out->label, sizeof out->label, flow->id < NAMED_BELOW ? "%.18s %" PRIu64 : "%.12s %" PRIx64, name,
                   flow->id);
    (void)snprintf(out->name, sizeof out->name, "%.40s, %zu step%s", out->label, flow->n,
                   rv_units_word(flow->n, "", "s"));
    pthread_rwlock_wrlock(&lane->lock);
    memcpy(out->process_name, lane->process_name, sizeof out->process_name);
    pthread_rwlock_unlock(&lane->lock);
}

static struct rv_box own_box(const struct making *making, const struct rv_flow *flow)
{
    return (struct rv_box){.start_ns = flow->begin_ns - making->shift_ns,
                           .duration_ns = flow->end_ns - flow->begin_ns,
                           .id = flow->name,
                           .count = 1,
                           .coverage = RV_BOX_EXACT,
                           .flags =
                               (uint16_t)((flow->has_end ? 0 : RV_SPAN_OPEN) | (flow->has_begin ? 0 : RV_SPAN_ORPHAN))};
}

/* From where a part leads on to where the next one is led to. */
static void add_links(const struct making *making, const struct rv_flow *flow)
{
    struct rv_view *view = making->view;
    for (size_t i = 1; i < making->n_parts; i++) {
        const struct part *from = &making->parts[i - 1], *to = &making->parts[i];
        view->links = rv_vec_reserve(view->links, &view->links_capacity, view->n_links + 1, sizeof *view->links);
        view->links[view->n_links++] = (struct rv_view_link){.from_ns = from->told_ns[1],
                                                             .to_ns = to->told_ns[0],
                                                             .shift_ns = making->shift_ns,
                                                             .lane = (uint32_t)view->n_made - 1,
                                                             .from_depth = from->shown.depth,
                                                             .to_depth = to->shown.depth,
                                                             .from_lane = from->shown.lane_idx,
                                                             .to_lane = to->shown.lane_idx,
                                                             .from_call = from->call,
                                                             .to_call = to->call,
                                                             .name = flow->name,
                                                             .is_task = flow->is_task};
    }
}

static size_t take_lane(struct making *making, const struct rv_flow *flow, struct rv_view_lane *out)
{
    struct rv_view *view = making->view;
    out->max_depth = out->whole_depth = 2;
    if (!find_parts(making, flow))
        return sum_turns(making, flow);
    const uint32_t n_tracks = choose_tracks(making);
    const size_t n = take_parts(making, out, n_tracks);
    out->max_depth = out->whole_depth = stack_tracks(making, n_tracks);
    for (size_t i = 0; i < making->n_parts; i++)
        rv_view_parts_push_part(view, &making->parts[i].shown);
    add_links(making, flow);
    return n;
}

static void dim(struct rv_box *boxes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        boxes[i].flags |= RV_BOX_DIMMED;
}

static void add_lane(struct making *making, const struct rv_flow *flow)
{
    struct rv_view *view = making->view;
    struct rv_view_lane *out = &view->lanes[view->n_made++];
    making->shift_ns = making->params->is_aligned ? flow->begin_ns : 0;
    describe(making, out, flow);
    out->first_box = (uint32_t)view->n_boxes;
    out->first_note = (uint32_t)view->n_notes;
    out->first_part = (uint32_t)view->n_parts;
    rv_view_parts_push_part(view, &(struct rv_view_part){.lane_idx = out->lane_idx, .shift_ns = making->shift_ns});
    size_t n = take_lane(making, flow, out);
    view->unsorted = rv_vec_reserve(view->unsorted, &view->unsorted_capacity, n + 1, sizeof *view->unsorted);
    view->unsorted[n++] = own_box(making, flow);
    if (making->params->followed.is_on && !is_followed(making, flow))
        dim(view->unsorted, n);
    const uint64_t cell_ns = rv_pixel_cells_width_ns(making->pixel_ns);
    rv_view_parts_append(view, rv_pixel_cells_join(&view->pixel_cells, view->unsorted, n, cell_ns), cell_ns);
    out->n_boxes = (uint32_t)view->n_boxes - out->first_box;
    out->n_notes = (uint32_t)view->n_notes - out->first_note;
    out->n_parts = (uint32_t)view->n_parts - out->first_part;
}

void rv_tasks_view_update(struct rv_view *view, const struct rv_tasks_view_params *params,
                          const struct rv_view_params *view_params)
{
    struct making making = {.view = view, .params = params, .view_params = view_params};
    const size_t budget = view_params->box_budget ? view_params->box_budget : DEFAULT_BUDGET;
    size_t n;
    making.pixel_ns = rv_row_part_begin(view, view_params);
    if (!params->table)
        return;
    uint32_t *meant = take_meant(&making, &n);
    view->n_meant = n;
    view->n_lanes = n < RV_TASKS_VIEW_MOST ? n : RV_TASKS_VIEW_MOST;
    making.row_budget = n && budget / view->n_lanes > ROW_BUDGET_MIN ? budget / view->n_lanes : ROW_BUDGET_MIN;
    view->lanes = rv_vec_reserve(view->lanes, &view->lanes_capacity, view->n_lanes, sizeof *view->lanes);
    for (size_t i = 0; i < view->n_lanes; i++) {
        const size_t from = i * n / view->n_lanes, to = (i + 1) * n / view->n_lanes;
        add_lane(&making, &params->table->flows[of_group(&making, meant + from, to - from)]);
    }
    free(meant);
    free(making.parts);
}
