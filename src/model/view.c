/*
 * Two passes over the lanes: counts determine the level, then boxes are copied and sorted by start. In the past, a pass
 * before them takes each lane's snapshot; the lane may have grown since when its boxes are copied.
 */
#include "model/view.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/text.h"
#include "base/vec.h"
#include "model/box_budget.h"
#include "model/snapshot.h"
#include "model/timeline_query.h"
#include "model/view_parts.h"

#define SEEN_MERGED 32u /* times as far as notes that are joined: eight pixels */
#define DEFAULT_BUDGET 20000u
#define COLUMNS_LEAST 64u
#define ROWS_COUNTED 10u /* of a lane, against most_rows: few deep lanes have room */
#define MOST_OPEN 4096u  /* open frames of a lane that get a box each */

/* Of a lane's representative in the view; NONE: it is not there. */
static uint32_t place_of(const struct rv_view *view, const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const uint32_t representative = rv_lane_choices_representative(lane_order, lane_idx);
    return representative == RV_LANE_CHOICES_NONE ? RV_LANE_CHOICES_NONE : view->places[representative];
}

/* The lanes that each shown one stands for, in the order of the shown ones. */
static void find_members(struct rv_view *view, const struct rv_lane_choices *lane_order)
{
    uint32_t n_before = 0;
    view->members = rv_vec_reserve(view->members, &view->members_capacity, lane_order->n_lanes, sizeof *view->members);
    view->places = rv_vec_reserve(view->places, &view->places_capacity, lane_order->n_lanes, sizeof *view->places);
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        view->places[i] = RV_LANE_CHOICES_NONE;
    for (size_t i = 0; i < view->n_lanes; i++)
        view->places[view->lanes[i].lane_idx] = (uint32_t)i;
    for (uint32_t i = 0; i < lane_order->n_lanes; i++) {
        const uint32_t place = place_of(view, lane_order, i);
        if (place != RV_LANE_CHOICES_NONE)
            view->lanes[place].n_members++;
    }
    for (size_t i = 0; i < view->n_lanes; i++) {
        view->lanes[i].first_member = n_before;
        n_before += view->lanes[i].n_members;
        view->lanes[i].n_members = 0;
    }
    for (size_t i = 0; i < lane_order->n_lanes; i++) {
        const uint32_t lane_idx = lane_order->order[i], place = place_of(view, lane_order, lane_idx);
        if (place == RV_LANE_CHOICES_NONE)
            continue;
        struct rv_view_lane *lane = &view->lanes[place];
        view->members[lane->first_member + lane->n_members++] = lane_idx;
    }
}

static uint32_t depth_of(struct rv_lane *lane)
{
    pthread_rwlock_rdlock(&lane->lock);
    const uint32_t closed = rv_timeline_max_depth(lane->timeline), depth = lane->max_depth;
    pthread_rwlock_unlock(&lane->lock);
    return closed > depth ? closed : depth;
}

/* Where stacks would hide each other, lanes are shown as rows; those that the user pinned stay. */
static void flatten(struct rv_view *view, const struct rv_lanes *lanes, uint32_t most_rows)
{
    size_t n_rows = 0;
    for (size_t i = 0; most_rows && i < view->n_lanes; i++) {
        const uint32_t depth = view->lanes[i].is_row ? 1 : depth_of(rv_lanes_get(lanes, view->lanes[i].lane_idx));
        n_rows += depth < ROWS_COUNTED ? depth : ROWS_COUNTED;
    }
    view->is_flattened = n_rows > most_rows;
    for (size_t i = 0; view->is_flattened && i < view->n_lanes; i++)
        view->lanes[i].is_row |= !view->lanes[i].is_pinned;
}

/* Leave out lanes for which there is no room: of those that are not pinned, which come first. */
static void leave_out(struct rv_view *view, const struct rv_lane_choices *lane_order,
                      const struct rv_view_params *params)
{
    size_t n_pinned = 0;
    view->n_in_front = view->n_behind = 0;
    while (n_pinned < view->n_lanes && lane_order->lanes[view->shown[n_pinned]].is_pinned)
        n_pinned++;
    if (params->most_lanes <= n_pinned || view->n_lanes <= params->most_lanes)
        return;
    const uint32_t n_out = (uint32_t)view->n_lanes - params->most_lanes;
    view->n_in_front = params->first_lane < n_out ? params->first_lane : n_out;
    view->n_behind = n_out - view->n_in_front;
    view->n_lanes = params->most_lanes;
    memmove(view->shown + n_pinned, view->shown + n_pinned + view->n_in_front,
            (view->n_lanes - n_pinned) * sizeof *view->shown);
}

static void arrange(struct rv_view *view, const struct rv_lanes *lanes, struct rv_lane_choices *lane_order,
                    const struct rv_view_params *params)
{
    rv_lane_choices_update(lane_order, lanes);
    view->most_depth = lane_order->most_depth;
    view->shown = rv_vec_reserve(view->shown, &view->shown_capacity, lane_order->n_lanes, sizeof *view->shown);
    view->n_lanes = rv_lane_choices_list(lane_order, view->shown);
    leave_out(view, lane_order, params);
    view->n_processes = (uint32_t)lane_order->n_processes;
    view->n_hidden = (uint32_t)rv_lane_choices_n_hidden(lane_order);
    view->lanes = rv_vec_reserve(view->lanes, &view->lanes_capacity, view->n_lanes, sizeof *view->lanes);
    for (size_t i = 0; i < view->n_lanes; i++) {
        const struct rv_arranged_lane *lane = &lane_order->lanes[view->shown[i]];
        const struct rv_arranged_process *process = &lane_order->processes[lane->process];
        const struct rv_arranged_group *collapsed = rv_lane_choices_collapsed(lane_order, view->shown[i]);
        view->lanes[i] = (struct rv_view_lane){
            .lane_idx = view->shown[i],
            .thread = lane->thread,
            .process = lane->process,
            .generation = process->generation,
            .pid = process->pid,
            .is_row = rv_lane_choices_is_row(lane_order, view->shown[i]),
            .is_pinned = lane->is_pinned,
            .group = collapsed ? collapsed->kind : RV_LANE_GROUP_NONE,
            .fold = rv_lane_choices_fold(lane_order, view->shown[i]),
        };
    }
    flatten(view, lanes, params->most_rows);
    find_members(view, lane_order);
}

/* Ignore rows that are not shown; most_depth 0: all are. */
static size_t crop(struct rv_box *boxes, size_t n, uint32_t most_depth)
{
    size_t n_kept = 0;
    if (most_depth == 0)
        return n;
    for (size_t i = 0; i < n; i++) {
        boxes[n_kept] = boxes[i];
        n_kept += boxes[i].depth < most_depth;
    }
    return n_kept;
}

struct opened { /* the open frames of a lane, in order of start */
    const struct rv_lane_frame *frames;
    size_t n;
    uint64_t end_ns;
};

/* newest_ns: of all lanes. In the past it is until_ns, and a lane that ended before has no frames. */
static struct opened opened_of(const struct rv_lane *lane, const struct rv_snapshot *snapshot, uint64_t newest_ns)
{
    if (snapshot)
        return (struct opened){snapshot->open, snapshot->n_open, snapshot->at_ns};
    return (struct opened){lane->open, lane->n_open, rv_lane_open_end_ns(lane, newest_ns)};
}

/* Number of frames that begin before the window's end. */
static size_t n_open_before(const struct opened *opened, uint64_t to_ns)
{
    return rv_bisect_below(opened->frames, opened->n, sizeof *opened->frames, offsetof(struct rv_lane_frame, start_ns),
                           to_ns);
}

static size_t n_open_boxes(const struct opened *opened, const struct rv_view *view)
{
    if (opened->n == 0 || opened->end_ns < view->from_ns)
        return 0;
    size_t n = n_open_before(opened, view->to_ns);
    return n > MOST_OPEN ? MOST_OPEN + 1 : n;
}

/* NULL: nothing to hide. */
static struct rv_snapshot *instant_of(const struct rv_view *view, size_t member)
{
    return view->until_ns == UINT64_MAX ? NULL : &view->instants[member];
}

struct counting {
    const struct rv_view *view;
    struct rv_lanes *lanes;
    uint64_t newest_ns;
    size_t lane; /* of count_counted_lane */
};

static uint64_t count_member(const struct counting *counting, size_t member, uint32_t level)
{
    const struct rv_view *view = counting->view;
    const uint64_t window_ns[2] = {view->from_ns, view->to_ns};
    struct rv_lane *lane = rv_lanes_get(counting->lanes, view->members[member]);
    const struct rv_snapshot *snapshot = instant_of(view, member);
    pthread_rwlock_rdlock(&lane->lock);
    struct opened opened = opened_of(lane, snapshot, counting->newest_ns);
    uint64_t n = snapshot ? rv_snapshot_count(snapshot, lane, window_ns, level)
                          : rv_timeline_query_count(lane->timeline, window_ns[0], window_ns[1], level);
    n += n_open_boxes(&opened, view);
    pthread_rwlock_unlock(&lane->lock);
    return n;
}

static uint64_t count_members(const struct counting *counting, size_t idx, uint32_t level)
{
    const struct rv_view_lane *shown = &counting->view->lanes[idx];
    uint64_t n = 0;
    for (uint32_t i = 0; i < shown->n_members; i++)
        n += count_member(counting, shown->first_member + i, level);
    return n;
}

/* Several lanes are as many boxes as their row has columns. */
static uint64_t count_lane(const struct counting *counting, size_t idx, uint32_t level)
{
    const struct rv_view *view = counting->view;
    if (view->lanes[idx].n_members == 1)
        return count_member(counting, view->lanes[idx].first_member, level);
    return (view->to_ns - view->from_ns) / view->column_ns + 1;
}

static uint64_t count_level(void *context, uint32_t level)
{
    const struct counting *counting = context;
    uint64_t n = 0;
    for (size_t i = 0; i < counting->view->n_lanes; i++)
        n += count_lane(counting, i, level);
    return n;
}

static uint64_t count_counted_lane(void *context, uint32_t level)
{
    const struct counting *counting = context;
    return count_lane(counting, counting->lane, level);
}

static uint64_t count_counted_members(void *context, uint32_t level)
{
    const struct counting *counting = context;
    return count_members(counting, counting->lane, level);
}

static size_t n_groups(const struct rv_view *view)
{
    size_t n = 0;
    for (size_t i = 0; i < view->n_lanes; i++)
        n += view->lanes[i].n_members > 1;
    return n;
}

/* As wide as a pixel, or so that all groups together take half of the budget. */
static uint64_t choose_column(const struct rv_view *view, double pixel_ns, uint64_t budget)
{
    uint64_t column_ns = rv_pixel_cells_width_ns(pixel_ns), n = n_groups(view);
    uint64_t most = n && budget / 2 / n > COLUMNS_LEAST ? budget / 2 / n : COLUMNS_LEAST;
    while ((view->to_ns - view->from_ns) / column_ns > most)
        column_ns *= 2;
    return column_ns;
}

/* Exact calls where their boxes are not too many: columns have few pixels, but times are of what was called. */
static void choose_group_levels(struct counting *counting, struct rv_view *view, uint32_t finest, uint64_t budget)
{
    for (size_t i = 0; i < view->n_lanes; i++) {
        counting->lane = i;
        if (view->lanes[i].n_members > 1)
            view->lanes[i].level = rv_box_budget_choose_level(&(struct rv_level_choice){.finest = finest,
                                                                                        .n_levels = RV_TIMELINE_LEVELS,
                                                                                        .last = RV_LEVEL_NONE,
                                                                                        .budget = budget,
                                                                                        .count = count_counted_members,
                                                                                        .context = counting});
    }
}

static uint32_t *last_level(struct rv_view *view, uint32_t lane_idx)
{
    while (lane_idx >= view->n_lane_levels) {
        size_t n = view->n_lane_levels;
        view->lane_levels =
            rv_vec_extend(view->lane_levels, &view->n_lane_levels, (size_t)lane_idx + 1, sizeof *view->lane_levels);
        for (; n < view->n_lane_levels; n++)
            view->lane_levels[n] = RV_LEVEL_NONE;
    }
    return &view->lane_levels[lane_idx];
}

/* Is the lane shown by sums? Finer levels know only pages that are loaded, which are those of the view's level. */
static bool has_sums(const struct counting *counting, const struct rv_view_lane *shown)
{
    struct rv_lane *lane = rv_lanes_get(counting->lanes, shown->lane_idx);
    pthread_rwlock_rdlock(&lane->lock);
    const bool has = rv_timeline_sums_level(lane->timeline) > 0;
    pthread_rwlock_unlock(&lane->lock);
    return has;
}

/*
 * Give lanes finer levels from what the level of all lanes leaves of the budget. Rows of a flattened view keep equal
 * detail: a seam between them would look like something in the calls.
 */
static void refine_lanes(struct counting *counting, struct rv_view *view, uint32_t finest, uint64_t budget)
{
    uint64_t n = count_level(counting, view->level), spare = budget > n ? budget - n : 0;
    for (size_t i = 0; i < view->n_lanes; i++) {
        struct rv_view_lane *lane = &view->lanes[i];
        uint32_t *last = last_level(view, lane->lane_idx);
        const bool is_one_of_rows = view->is_flattened && !lane->is_pinned;
        if (lane->n_members > 1 || is_one_of_rows || has_sums(counting, lane))
            continue;
        counting->lane = i;
        uint64_t n_coarse = count_lane(counting, i, view->level);
        lane->level = rv_box_budget_choose_level(&(struct rv_level_choice){.finest = finest,
                                                                           .n_levels = view->level + 1,
                                                                           .last = *last,
                                                                           .budget = spare + n_coarse,
                                                                           .count = count_counted_lane,
                                                                           .context = counting});
        *last = lane->level;
        uint64_t n_fine = count_lane(counting, i, lane->level), more = n_fine > n_coarse ? n_fine - n_coarse : 0;
        spare -= more < spare ? more : spare;
    }
}

static size_t add_open(struct rv_box *out, const struct opened *opened, const struct rv_view *view)
{
    size_t n = n_open_boxes(opened, view);
    for (size_t i = 0; i < n; i++)
        out[i] = rv_lane_frame_box(&opened->frames[i], opened->end_ns);
    if (n > MOST_OPEN) {
        out[MOST_OPEN].count = (uint32_t)(n_open_before(opened, view->to_ns) - MOST_OPEN);
        out[MOST_OPEN].coverage = RV_BOX_EXACT - 1;
    }
    return n;
}

/* Does a row of several lanes show such notes? */
static bool is_for_all(const struct rv_lane_note *note)
{
    return rv_note_is(note, RV_NOTE_FORM_LOSS) || rv_note_is(note, RV_NOTE_FORM_PAUSE);
}

/* Notes are joined within near_ns anyhow: are those that the lane has merged seen to be further apart? */
static void find_merged(struct rv_view_lane *out, const struct rv_lane_note *note, uint64_t near_ns)
{
    if (note->n_more && rv_note_is(note, RV_NOTE_FORM_OFF_CPU) && note->end_ns - note->start_ns > SEEN_MERGED * near_ns)
        out->merged_ns = rv_clock_later_ns(out->merged_ns, note->end_ns);
}

static void add_notes(struct rv_view *view, struct rv_view_lane *out, const struct rv_lane *lane, uint64_t near_ns)
{
    size_t last[RV_NOTE_KIND_COUNT] = {0}; /* + 1 */
    const struct rv_lane_note *state = NULL;
    uint64_t to_ns = view->to_ns <= view->until_ns ? view->to_ns : view->until_ns + 1;
    uint64_t before_ns = view->from_ns < to_ns ? view->from_ns : to_ns;
    bool has_reached = view->until_ns > view->from_ns; /* the window begins before until_ns */
    size_t i = rv_view_parts_first_note(lane, before_ns);
    const bool has_all = out->n_members == 1;
    for (; i < lane->n_notes && lane->notes[i].start_ns < before_ns; i++) {
        const struct rv_lane_note *note = &lane->notes[i];
        if (!has_all && !is_for_all(note))
            continue;
        if (rv_note_is(note, RV_NOTE_FORM_STATE))
            state = note;
        else if (note->end_ns > view->from_ns && has_reached)
            rv_view_parts_push_note(view, note);
        if (note->end_ns > view->from_ns)
            find_merged(out, note, near_ns);
    }
    if (state)
        rv_view_parts_push_note(view, state);
    for (; i < lane->n_notes && lane->notes[i].start_ns < to_ns; i++) {
        const struct rv_lane_note *note = &lane->notes[i];
        if (has_all)
            find_merged(out, note, near_ns);
        if ((!has_all && !is_for_all(note)) ||
            rv_view_parts_join_note(last[note->kind] ? &view->notes[last[note->kind] - 1] : NULL, note, near_ns))
            continue;
        rv_view_parts_push_note(view, note);
        last[note->kind] = view->n_notes;
    }
}

/* Dim those boxes of the lane in the scratch that are not on the path, and only those, also during a search. */
static void light(struct rv_box *boxes, size_t n, const struct rv_lit_path *path, const struct rv_lane *lane)
{
    for (size_t i = 0; path && i < n; i++) {
        const bool is_lit = rv_lit_path_has(path, lane->thread, boxes[i].start_ns, rv_box_end_ns(&boxes[i]));
        boxes[i].flags &= ~(is_lit ? RV_BOX_DIMMED : RV_BOX_HIT);
        boxes[i].flags |= is_lit ? 0 : RV_BOX_DIMMED;
    }
}

/* Copy the boxes of a member to the scratch, unsorted. */
static size_t query(struct rv_view *view, size_t member, const struct rv_lane *lane, uint32_t level)
{
    struct rv_snapshot *snapshot = instant_of(view, member);
    const uint64_t window_ns[2] = {view->from_ns, view->to_ns};
    if (snapshot)
        rv_snapshot_update(snapshot, lane, view->until_ns);
    struct opened opened = opened_of(lane, snapshot, view->newest_ns);
    uint64_t n = snapshot ? rv_snapshot_room(snapshot, lane, window_ns, level)
                          : rv_timeline_query_count(lane->timeline, window_ns[0], window_ns[1], level);
    n += n_open_boxes(&opened, view);
    view->unsorted = rv_vec_reserve(view->unsorted, &view->unsorted_capacity, n, sizeof *view->unsorted);
    size_t n_boxes = snapshot ? rv_snapshot_query(snapshot, lane, window_ns, level, view->unsorted, n)
                              : rv_timeline_query_boxes(lane->timeline, window_ns[0], window_ns[1], level,
                                                        view->unsorted, view->unsorted_capacity);
    return n_boxes + add_open(view->unsorted + n_boxes, &opened, view);
}

static double pixel_ns(const struct rv_view *view, const struct rv_view_params *params)
{
    return (double)(view->to_ns - view->from_ns) / (params->width_px ? params->width_px : 1);
}

/* Dim cells that stand for released detail, which would look complete otherwise. Returns the end of their time. */
static uint64_t fade_released(const struct rv_view *view, uint32_t level, const struct rv_timeline *timeline,
                              size_t n_boxes)
{
    const uint64_t released_ns = rv_timeline_released_in(timeline, view->from_ns, view->to_ns, level);
    if (released_ns == 0 || released_ns <= rv_timeline_first_ns(timeline))
        return 0;
    for (size_t i = 0; i < n_boxes; i++)
        if (view->unsorted[i].coverage != RV_BOX_EXACT && view->unsorted[i].start_ns < released_ns)
            view->unsorted[i].flags |= RV_BOX_DIMMED;
    return released_ns;
}

/* The boxes of a member in the scratch, without those that are not shown. Returns their number. */
static size_t take_boxes(struct rv_view *view, struct rv_view_lane *out, uint32_t member, const struct rv_lane *lane,
                         const struct rv_view_params *params)
{
    size_t n = query(view, member, lane, out->level);
    n = crop(view->unsorted, n, view->most_depth);
    n = rv_view_parts_mark(view->unsorted, n, params, lane);
    light(view->unsorted, n, params->path, lane);
    uint64_t released_ns = fade_released(view, out->level, lane->timeline, n);
    out->released_ns = released_ns > out->released_ns ? released_ns : out->released_ns;
    return n;
}

/* Stacks of a thread stand together, and so do different threads of one tid: rows of asynchronous calls. */
static uint32_t count_threads(const struct rv_view *view, const struct rv_lanes *lanes,
                              const struct rv_view_lane *shown)
{
    const uint32_t *members = view->members + shown->first_member;
    uint32_t n = 1;
    bool has_several = false;
    for (uint32_t i = 1; i < shown->n_members; i++) {
        const struct rv_lane *lane = rv_lanes_get(lanes, members[i]), *before = rv_lanes_get(lanes, members[i - 1]);
        has_several |= lane->tid != before->tid;
        n += lane->tid != before->tid || lane->thread != before->thread;
    }
    return has_several ? n : 1;
}

static void describe(const struct rv_view *view, const struct rv_lanes *lanes, struct rv_view_lane *out,
                     const struct rv_lane *lane)
{
    uint32_t max_depth = rv_timeline_max_depth(lane->timeline);
    out->tid = lane->tid;
    out->max_depth = lane->max_depth > max_depth ? lane->max_depth : max_depth;
    out->whole_depth = out->max_depth;
    if (view->most_depth && out->max_depth > view->most_depth)
        out->max_depth = view->most_depth;
    memcpy(out->process_name, lane->process_name, sizeof out->process_name);
    if (out->n_members > 1)
        rv_lane_choices_name_group(lane, out->group, out->n_members, count_threads(view, lanes, out), out->name);
    else
        memcpy(out->name, lane->name, sizeof out->name);
}

static bool is_namesake(const void *view, uint32_t place, const void *key)
{
    const struct rv_view_lane *known = &((const struct rv_view *)view)->lanes[place - 1], *lane = key;
    return strcmp(known->name, lane->name) == 0 && strcmp(known->process_name, lane->process_name) == 0;
}

/* Threads of one name, such as a pool's workers, are labelled with their numbers. */
static void label_namesakes(struct rv_view *view, struct rv_view_lane *lane)
{
    const uint64_t hash = rv_hash_bytes(lane->name, strlen(lane->name));
    const uint32_t place = rv_hash_index_find(&view->by_name, hash, is_namesake, view, lane);
    if (!place)
        rv_hash_index_put(&view->by_name, hash, (uint32_t)(lane - view->lanes) + 1);
    if (!place || view->lanes[place - 1].tid == lane->tid)
        return;
    struct rv_view_lane *first = &view->lanes[place - 1];
    rv_lane_label(first->name, first->tid, first->label, sizeof first->label);
    rv_lane_label(lane->name, lane->tid, lane->label, sizeof lane->label);
}

static void add_lane(struct rv_view *view, struct rv_view_lane *out, const struct rv_lane *lane,
                     const struct rv_view_params *params)
{
    const size_t n_before = view->n_boxes, n = take_boxes(view, out, out->first_member, lane, params);
    const uint64_t cell_ns = rv_pixel_cells_width_ns(pixel_ns(view, params));
    rv_view_parts_append(view, rv_pixel_cells_join(&view->pixel_cells, view->unsorted, n, cell_ns), cell_ns);
    view->n_joined += n - (view->n_boxes - n_before);
    add_notes(view, out, lane, (uint64_t)(pixel_ns(view, params) / 4));
}

/* Add a member's boxes to the activity; only meanwhile they lie behind the view's boxes. */
static void add_member(struct rv_view *view, struct rv_view_lane *out, uint32_t member, const struct rv_lane *lane,
                       const struct rv_view_params *params)
{
    size_t n_before = view->n_boxes, n = take_boxes(view, out, member, lane, params);
    uint64_t n_folded = view->n_folded;
    rv_view_parts_append(view, n, 0);
    rv_group_activity_add(&view->activity, view->boxes + n_before, n);
    view->n_boxes = n_before;
    view->n_folded = n_folded;
    add_notes(view, out, lane, (uint64_t)(pixel_ns(view, params) / 4));
}

static int compare_starts(const void *a, const void *b)
{
    const struct rv_lane_note *first = a, *second = b;
    return (first->start_ns > second->start_ns) - (first->start_ns < second->start_ns);
}

/* The cells of all members, once they have been added. */
static void add_cells(struct rv_view *view, struct rv_view_lane *out)
{
    size_t room = view->n_boxes + view->activity.n_columns;
    view->boxes = rv_vec_reserve(view->boxes, &view->boxes_capacity, room, sizeof *view->boxes);
    size_t n = rv_group_activity_cells(&view->activity, view->boxes + view->n_boxes, &out->busiest);
    for (size_t i = 0; i < n; i++)
        view->n_folded += view->boxes[view->n_boxes++].count;
    if (view->n_notes > out->first_note)
        qsort(view->notes + out->first_note, view->n_notes - out->first_note, sizeof *view->notes, compare_starts);
}

/* Take a lane's snapshots; drop members that had not begun. */
static void rewind_lane(struct rv_view *view, struct rv_lanes *lanes, struct rv_view_lane *shown)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < shown->n_members; i++) {
        uint32_t lane_idx = view->members[shown->first_member + i];
        struct rv_lane *lane = rv_lanes_get(lanes, lane_idx);
        pthread_rwlock_rdlock(&lane->lock);
        view->members[shown->first_member + n] = lane_idx;
        if (rv_snapshot_has_begun(lane, view->until_ns))
            rv_snapshot_update(&view->instants[shown->first_member + n++], lane, view->until_ns);
        pthread_rwlock_unlock(&lane->lock);
    }
    shown->n_members = n;
}

/* Drop lanes that had not begun. */
static void rewind_lanes(struct rv_view *view, struct rv_lanes *lanes)
{
    size_t n_lanes = 0, n_members = 0;
    for (size_t i = 0; i < view->n_lanes; i++)
        n_members += view->lanes[i].n_members;
    view->instants = rv_vec_extend(view->instants, &view->n_instants, n_members, sizeof *view->instants);
    for (size_t i = 0; i < view->n_lanes; i++) {
        view->lanes[n_lanes] = view->lanes[i];
        rewind_lane(view, lanes, &view->lanes[n_lanes]);
        n_lanes += view->lanes[n_lanes].n_members > 0;
    }
    view->n_lanes = n_lanes;
}

/* Which lane shows each thread of the path, plus one. */
static void place_threads(struct rv_view *view, const struct rv_lane_choices *lane_order, size_t n_threads)
{
    view->path_lanes =
        rv_vec_reserve(view->path_lanes, &view->path_lanes_capacity, n_threads, sizeof *view->path_lanes);
    memset(view->path_lanes, 0, n_threads * sizeof *view->path_lanes);
    for (size_t i = view->n_lanes; i-- > 0;)
        for (uint32_t j = view->lanes[i].n_members; j-- > 0;) {
            const uint32_t thread = lane_order->lanes[view->members[view->lanes[i].first_member + j]].thread;
            if (thread < n_threads)
                view->path_lanes[thread] = (uint32_t)i + 1;
        }
}

static void trace_path(struct rv_view *view, const struct rv_view_params *params,
                       const struct rv_lane_choices *lane_order)
{
    const struct rv_lit_path *path = params->path;
    const uint64_t least_ns = (uint64_t)pixel_ns(view, params);
    view->n_steps = 0;
    view->has_path = path != NULL;
    if (!path || path->n == 0)
        return;
    place_threads(view, lane_order, path->n_threads);
    for (size_t i = rv_lit_path_after(path, view->from_ns); i < path->n; i = rv_lit_path_next(path, i, least_ns)) {
        const struct rv_critical_path_step *step = &path->steps[i];
        const uint32_t lane = view->path_lanes[step->thread];
        if (step->from_ns >= view->to_ns || step->from_ns > view->until_ns)
            break;
        if (lane == 0)
            continue;
        view->steps = rv_vec_reserve(view->steps, &view->steps_capacity, view->n_steps + 1, sizeof *view->steps);
        view->steps[view->n_steps++] = (struct rv_view_step){
            step->from_ns, step->to_ns < view->until_ns ? step->to_ns : view->until_ns, lane - 1, step->kind};
    }
}

void rv_view_begin(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params)
{
    view->from_ns = params->from_ns;
    view->to_ns = params->to_ns > params->from_ns ? params->to_ns : params->from_ns + 1;
    view->n_boxes = view->n_notes = view->n_parts = view->n_links = view->n_made = 0;
    view->n_folded = view->n_joined = 0;
    rv_hash_index_clear(&view->by_name);
    rv_group_activity_forget(&view->activity);
    view->until_ns = params->is_past ? params->until_ns : UINT64_MAX;
    struct rv_lane_choices *lane_order = params->lane_order ? params->lane_order : &view->as_they_come;
    arrange(view, lanes, lane_order, params);
    if (params->is_past)
        rewind_lanes(view, lanes);
    trace_path(view, params, lane_order);

    view->newest_ns = rv_lanes_newest_ns(lanes);
    struct counting counting = {.view = view, .lanes = lanes, .newest_ns = view->newest_ns};
    uint32_t finest = rv_timeline_level_for(pixel_ns(view, params) / 2);
    size_t budget = params->box_budget ? params->box_budget : DEFAULT_BUDGET;
    view->column_ns = choose_column(view, pixel_ns(view, params), budget);
    view->level = rv_box_budget_choose_level(&(struct rv_level_choice){
        .finest = finest,
        .n_levels = RV_TIMELINE_LEVELS,
        .last = params->is_steady && view->is_made ? view->level : RV_LEVEL_NONE,
        .budget = budget,
        .count = count_level,
        .context = &counting,
    });
    for (size_t i = 0; i < view->n_lanes; i++)
        view->lanes[i].level = view->level;
    if (params->has_front_first)
        refine_lanes(&counting, view, finest, budget);
    if (n_groups(view))
        choose_group_levels(&counting, view, finest, budget / n_groups(view));
    view->is_made = true;
}

bool rv_view_step(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params)
{
    if (view->n_made == view->n_lanes)
        return false;
    struct rv_view_lane *shown = &view->lanes[view->n_made++];
    shown->first_box = (uint32_t)view->n_boxes;
    shown->first_note = (uint32_t)view->n_notes;
    if (shown->n_members > 1)
        rv_group_activity_begin(&view->activity, view->from_ns, view->to_ns, view->column_ns);
    for (uint32_t i = 0; i < shown->n_members; i++) {
        uint32_t member = shown->first_member + i;
        struct rv_lane *lane = rv_lanes_get(lanes, view->members[member]);
        pthread_rwlock_rdlock(&lane->lock);
        if (i == 0)
            describe(view, lanes, shown, lane);
        if (shown->n_members == 1)
            add_lane(view, shown, lane, params);
        else
            add_member(view, shown, member, lane, params);
        pthread_rwlock_unlock(&lane->lock);
    }
    if (shown->n_members > 1)
        add_cells(view, shown);
    if (shown->n_members == 1)
        label_namesakes(view, shown);
    shown->n_boxes = (uint32_t)view->n_boxes - shown->first_box;
    shown->n_notes = (uint32_t)view->n_notes - shown->first_note;
    return true;
}

void rv_view_update(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params)
{
    rv_view_begin(view, lanes, params);
    while (rv_view_step(view, lanes, params))
        ;
}

void rv_view_continue(struct rv_view *view, const struct rv_view *before)
{
    view->level = before->level;
    view->is_made = before->is_made;
    if (!before->n_lane_levels)
        return;
    (void)last_level(view, (uint32_t)before->n_lane_levels - 1);
    memcpy(view->lane_levels, before->lane_levels, before->n_lane_levels * sizeof *view->lane_levels);
}

void rv_view_fini(struct rv_view *view)
{
    free(view->lane_levels);
    rv_lane_choices_fini(&view->as_they_come);
    free(view->members);
    free(view->parts);
    free(view->links);
    free(view->steps);
    free(view->path_lanes);
    free(view->shown);
    free(view->places);
    rv_hash_index_fini(&view->by_name);
    rv_group_activity_fini(&view->activity);
    free(view->lanes);
    free(view->boxes);
    free(view->notes);
    free(view->unsorted);
    rv_pixel_cells_fini(&view->pixel_cells);
    free(view->keys);
    for (size_t i = 0; i < view->n_instants; i++)
        rv_snapshot_fini(&view->instants[i]);
    free(view->instants);
    *view = (struct rv_view){0};
}

bool rv_view_part_of(const struct rv_view *view, const struct rv_view_lane *lane, const struct rv_box *box,
                     struct rv_view_part *part)
{
    *part = (struct rv_view_part){
        .to_ns = UINT64_MAX, .n_depths = UINT32_MAX, .lane_idx = lane->lane_idx, .thread = lane->thread};
    for (size_t i = lane->first_part; i < (size_t)lane->first_part + lane->n_parts; i++) {
        *part = view->parts[i];
        if (box->start_ns >= part->from_ns && box->start_ns <= part->to_ns && box->depth >= part->depth &&
            box->depth - part->depth < part->n_depths)
            return true;
    }
    return lane->n_parts == 0;
}

struct rv_box rv_view_part_place(const struct rv_view_part *part, const struct rv_box *box)
{
    struct rv_box placed = *box;
    placed.start_ns += part->shift_ns;
    placed.depth += part->lane_depth - part->depth;
    return placed;
}
