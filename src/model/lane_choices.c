#include "model/lane_choices.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void rv_lane_choices_fini(struct rv_lane_choices *lane_order)
{
    free(lane_order->lanes);
    free(lane_order->processes);
    free(lane_order->groups);
    rv_hash_index_fini(&lane_order->by_tid);
    free(lane_order->order);
    free(lane_order->as_they_came);
    *lane_order = (struct rv_lane_choices){0};
}

static uint64_t key_of(const struct rv_arranged_group *group)
{
    return (uint64_t)group->process << 32 | group->tid;
}

/* Groups are never removed: the index lacks the last ones at most. */
static void copy_groups(struct rv_lane_choices *into, const struct rv_lane_choices *from)
{
    into->groups = rv_vec_reserve(into->groups, &into->groups_capacity, from->n_groups, sizeof *into->groups);
    if (from->n_groups)
        memcpy(into->groups, from->groups, from->n_groups * sizeof *into->groups);
    for (size_t i = into->n_groups; i < from->n_groups; i++)
        rv_hash_index_add(&into->by_tid, key_of(&into->groups[i]), (uint32_t)i + 1);
    into->n_groups = from->n_groups;
}

void rv_lane_choices_copy(struct rv_lane_choices *into, const struct rv_lane_choices *from)
{
    into->lanes = rv_vec_reserve(into->lanes, &into->lanes_capacity, from->n_lanes, sizeof *into->lanes);
    into->order = rv_vec_reserve(into->order, &into->order_capacity, from->n_lanes, sizeof *into->order);
    into->as_they_came =
        rv_vec_reserve(into->as_they_came, &into->came_capacity, from->n_lanes, sizeof *into->as_they_came);
    into->processes =
        rv_vec_reserve(into->processes, &into->processes_capacity, from->n_processes, sizeof *into->processes);
    if (from->n_lanes) {
        memcpy(into->lanes, from->lanes, from->n_lanes * sizeof *into->lanes);
        memcpy(into->order, from->order, from->n_lanes * sizeof *into->order);
        memcpy(into->as_they_came, from->as_they_came, from->n_lanes * sizeof *into->as_they_came);
    }
    if (from->n_processes)
        memcpy(into->processes, from->processes, from->n_processes * sizeof *into->processes);
    copy_groups(into, from);
    into->n_lanes = from->n_lanes;
    into->n_processes = from->n_processes;
    into->most_depth = from->most_depth;
    into->is_crowded = from->is_crowded;
    into->sorted = from->sorted;
}

/* ---- lanes that come ---- */

/* The latest known process with this pid. */
static uint32_t find_pid(const struct rv_lane_choices *lane_order, uint32_t pid)
{
    for (size_t i = lane_order->n_processes; pid && i-- > 0;)
        if (lane_order->processes[i].pid == pid)
            return (uint32_t)i;
    return RV_LANE_CHOICES_NONE;
}

static uint32_t learn_process(struct rv_lane_choices *lane_order, const struct rv_lane *lane)
{
    for (size_t i = lane_order->n_processes; i-- > 0;)
        if (lane_order->processes[i].key == lane->process_key)
            return (uint32_t)i;
    uint32_t parent = find_pid(lane_order, lane->parent_pid);
    uint32_t generation = parent == RV_LANE_CHOICES_NONE ? 0 : lane_order->processes[parent].generation + 1;
    lane_order->processes = rv_vec_reserve(lane_order->processes, &lane_order->processes_capacity,
                                           lane_order->n_processes + 1, sizeof *lane_order->processes);
    lane_order->processes[lane_order->n_processes] =
        (struct rv_arranged_process){.key = lane->process_key,
                                     .pid = lane->pid,
                                     .parent = parent,
                                     .generation = generation,
                                     .first_lane = RV_LANE_CHOICES_NONE,
                                     .is_collapsed = lane_order->is_crowded};
    return (uint32_t)lane_order->n_processes++;
}

static bool is_within(const struct rv_lane_choices *lane_order, uint32_t process, uint32_t ancestor)
{
    while (process != ancestor && process != RV_LANE_CHOICES_NONE)
        process = lane_order->processes[process].parent;
    return process == ancestor;
}

/* Position after the last lane of this process, or of it and its descendants. */
static size_t place_behind(const struct rv_lane_choices *lane_order, const uint32_t *order, uint32_t process,
                           bool with_forked)
{
    for (size_t i = lane_order->n_lanes; i-- > 0;) {
        uint32_t other = lane_order->lanes[order[i]].process;
        if (other == process || (with_forked && is_within(lane_order, other, process)))
            return i + 1;
    }
    return lane_order->n_lanes;
}

/* Position after the last lane of this thread; 0 when it has none. */
static size_t place_in_thread(const struct rv_lane_choices *lane_order, const uint32_t *order, uint32_t process,
                              uint32_t thread)
{
    for (size_t i = lane_order->n_lanes; i-- > 0;) {
        const struct rv_arranged_lane *other = &lane_order->lanes[order[i]];
        if (other->process == process && other->thread == thread)
            return i + 1;
    }
    return 0;
}

static size_t place_of(const struct rv_lane_choices *lane_order, const uint32_t *order, uint32_t process,
                       const struct rv_lane *lane)
{
    const struct rv_arranged_process *own = &lane_order->processes[process];
    size_t in_thread = lane->stack ? place_in_thread(lane_order, order, process, lane->thread) : 0;
    if (in_thread)
        return in_thread;
    if (own->n_lanes)
        return place_behind(lane_order, order, process, false);
    if (own->parent != RV_LANE_CHOICES_NONE)
        return place_behind(lane_order, order, own->parent, true);
    return lane_order->n_lanes;
}

static void insert(uint32_t *order, size_t n, size_t place)
{
    memmove(order + place + 1, order + place, (n - place) * sizeof *order);
    order[place] = (uint32_t)n;
}

/* Returns the lane's group. */
static uint32_t learn_group(struct rv_lane_choices *lane_order, uint32_t process, uint32_t tid)
{
    const struct rv_arranged_group new = {.process = process, .tid = tid, .first_lane = RV_LANE_CHOICES_NONE};
    uint32_t number = rv_hash_index_get(&lane_order->by_tid, key_of(&new));
    if (!number) {
        lane_order->groups = rv_vec_reserve(lane_order->groups, &lane_order->groups_capacity, lane_order->n_groups + 1,
                                            sizeof *lane_order->groups);
        lane_order->groups[lane_order->n_groups] = new;
        number = (uint32_t)++lane_order->n_groups;
        rv_hash_index_add(&lane_order->by_tid, key_of(&new), number);
    }
    struct rv_arranged_group *group = &lane_order->groups[number - 1];
    group->n_lanes++;
    group->is_collapsed |= !group->is_chosen && group->n_lanes > RV_LANE_CHOICES_MOST_ROWS;
    return number - 1;
}

static void note_first(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    uint32_t *firsts[] = {&lane_order->processes[lane->process].first_lane,
                          &lane_order->groups[lane->group].first_lane};
    for (size_t i = 0; i < 2 && !lane->is_hidden; i++)
        if (*firsts[i] == RV_LANE_CHOICES_NONE)
            *firsts[i] = lane_idx;
}

/* Find the first lane of each process and group anew, after lanes were hidden or shown. */
static void find_firsts(struct rv_lane_choices *lane_order)
{
    for (size_t i = 0; i < lane_order->n_processes; i++)
        lane_order->processes[i].first_lane = RV_LANE_CHOICES_NONE;
    for (size_t i = 0; i < lane_order->n_groups; i++)
        lane_order->groups[i].first_lane = RV_LANE_CHOICES_NONE;
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        note_first(lane_order, (uint32_t)i);
}

/* Collapse processes once there are too many lanes; later ones begin collapsed. */
static void collapse_many(struct rv_lane_choices *lane_order)
{
    bool has_many =
        lane_order->n_processes > RV_LANE_CHOICES_MOST_PROCESSES && lane_order->n_lanes > RV_LANE_CHOICES_MOST_LANES;
    if (!has_many || lane_order->is_crowded)
        return;
    lane_order->is_crowded = true;
    for (size_t i = 0; i < lane_order->n_processes; i++)
        lane_order->processes[i].is_collapsed |= !lane_order->processes[i].is_chosen;
}

static void learn_lane(struct rv_lane_choices *lane_order, const struct rv_lane *lane)
{
    size_t n = lane_order->n_lanes;
    uint32_t process = learn_process(lane_order, lane);
    lane_order->lanes =
        rv_vec_reserve(lane_order->lanes, &lane_order->lanes_capacity, n + 1, sizeof *lane_order->lanes);
    lane_order->order =
        rv_vec_reserve(lane_order->order, &lane_order->order_capacity, n + 1, sizeof *lane_order->order);
    lane_order->as_they_came =
        rv_vec_reserve(lane_order->as_they_came, &lane_order->came_capacity, n + 1, sizeof *lane_order->as_they_came);
    insert(lane_order->order, n, place_of(lane_order, lane_order->order, process, lane));
    insert(lane_order->as_they_came, n, place_of(lane_order, lane_order->as_they_came, process, lane));
    lane_order->processes[process].n_lanes++;
    lane_order->lanes[n] = (struct rv_arranged_lane){
        .process = process, .thread = lane->thread, .group = learn_group(lane_order, process, lane->tid)};
    lane_order->n_lanes++;
    note_first(lane_order, (uint32_t)n);
    collapse_many(lane_order);
}

void rv_lane_choices_update(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes)
{
    size_t n = rv_lanes_n(lanes);
    while (lane_order->n_lanes < n)
        learn_lane(lane_order, rv_lanes_get(lanes, lane_order->n_lanes));
}

/* ---- what the user does ---- */

static struct rv_arranged_lane *get(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    return lane_idx < lane_order->n_lanes ? &lane_order->lanes[lane_idx] : NULL;
}

void rv_lane_choices_toggle_hidden(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (!lane)
        return;
    lane->is_hidden = !lane->is_hidden;
    find_firsts(lane_order);
}

void rv_lane_choices_toggle_pinned(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane)
        lane->is_pinned = !lane->is_pinned;
}

static void set_process(struct rv_arranged_process *process, bool is_collapsed)
{
    process->is_collapsed = is_collapsed;
    process->is_chosen = true;
}

static void set_group(struct rv_arranged_group *group, bool is_collapsed)
{
    group->is_collapsed = is_collapsed;
    group->is_chosen = true;
}

/* Returns whether the lane was in a collapsed process or group. */
static bool expand(struct rv_lane_choices *lane_order, const struct rv_arranged_lane *lane)
{
    struct rv_arranged_process *process = &lane_order->processes[lane->process];
    struct rv_arranged_group *group = &lane_order->groups[lane->group];
    bool was_process = process->is_collapsed, was_group = group->is_collapsed;
    if (was_process)
        set_process(process, false);
    else if (was_group)
        set_group(group, false);
    return was_process || was_group;
}

void rv_lane_choices_toggle_collapsed(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane && !expand(lane_order, lane))
        lane->is_collapsed = !lane->is_collapsed;
}

void rv_lane_choices_toggle_process(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane)
        set_process(&lane_order->processes[lane->process], !lane_order->processes[lane->process].is_collapsed);
}

void rv_lane_choices_toggle_group(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (!lane || expand(lane_order, lane))
        return;
    if (lane->is_collapsed)
        lane->is_collapsed = false;
    else if (lane_order->groups[lane->group].n_lanes > 1)
        set_group(&lane_order->groups[lane->group], true);
    else
        set_process(&lane_order->processes[lane->process], true);
}

void rv_lane_choices_toggle_all(struct rv_lane_choices *lane_order)
{
    bool are_collapsed = true;
    for (size_t i = 0; i < lane_order->n_processes; i++)
        are_collapsed &= lane_order->processes[i].is_collapsed;
    for (size_t i = 0; i < lane_order->n_processes; i++)
        set_process(&lane_order->processes[i], !are_collapsed);
}

void rv_lane_choices_expand(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (!lane)
        return;
    set_process(&lane_order->processes[lane->process], false);
    set_group(&lane_order->groups[lane->group], false);
}

void rv_lane_choices_move(struct rv_lane_choices *lane_order, uint32_t lane_idx, int steps)
{
    const struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    size_t at = 0, n = lane_order->n_lanes;
    if (!lane || steps == 0)
        return;
    while (lane_order->order[at] != lane_idx)
        at++;
    size_t next = at;
    do {
        if (steps < 0 ? next == 0 : next + 1 >= n)
            return;
        next = steps < 0 ? next - 1 : next + 1;
    } while (!rv_lane_choices_shows(lane_order, lane_order->order[next]) ||
             lane_order->lanes[lane_order->order[next]].is_pinned != lane->is_pinned);
    lane_order->order[at] = lane_order->order[next];
    lane_order->order[next] = lane_idx;
}

void rv_lane_choices_show_all(struct rv_lane_choices *lane_order)
{
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        lane_order->lanes[i].is_hidden = lane_order->lanes[i].is_collapsed = false;
    for (size_t i = 0; i < lane_order->n_processes; i++)
        set_process(&lane_order->processes[i], false);
    for (size_t i = 0; i < lane_order->n_groups; i++)
        set_group(&lane_order->groups[i], false);
    lane_order->most_depth = 0;
    find_firsts(lane_order);
}

void rv_lane_choices_crop(struct rv_lane_choices *lane_order, int steps, uint32_t n_rows)
{
    uint32_t now = lane_order->most_depth && lane_order->most_depth < n_rows ? lane_order->most_depth : n_rows;
    if (steps < 0)
        lane_order->most_depth = now > 1 ? now - 1 : 1;
    else
        lane_order->most_depth = now + 1 >= n_rows ? 0 : now + 1;
}

size_t rv_lane_choices_n_hidden(const struct rv_lane_choices *lane_order)
{
    size_t n = 0;
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        n += lane_order->lanes[i].is_hidden;
    return n;
}

/* ---- what is shown ---- */

uint32_t rv_lane_choices_representative(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    const struct rv_arranged_process *process = &lane_order->processes[lane->process];
    const struct rv_arranged_group *group = &lane_order->groups[lane->group];
    if (lane->is_hidden)
        return RV_LANE_CHOICES_NONE;
    return process->is_collapsed ? process->first_lane : group->is_collapsed ? group->first_lane : lane_idx;
}

bool rv_lane_choices_shows(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    return rv_lane_choices_representative(lane_order, lane_idx) == lane_idx;
}

bool rv_lane_choices_is_row(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    return lane->is_collapsed || lane_order->processes[lane->process].is_collapsed ||
           lane_order->groups[lane->group].is_collapsed;
}

enum rv_lane_fold rv_lane_choices_fold(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    const struct rv_arranged_process *process = &lane_order->processes[lane->process];
    const struct rv_arranged_group *group = &lane_order->groups[lane->group];
    bool is_first_of_group = group->n_lanes > 1 && group->first_lane == lane_idx;
    bool is_first_of_process =
        process->n_lanes > 1 && lane_order->n_processes > 1 && process->first_lane == lane_idx && group->n_lanes == 1;
    if (rv_lane_choices_is_row(lane_order, lane_idx))
        return RV_LANE_FOLD_CLOSED;
    return is_first_of_group || is_first_of_process ? RV_LANE_FOLD_OPEN : RV_LANE_FOLD_NONE;
}

static size_t list(const struct rv_lane_choices *lane_order, bool is_pinned, uint32_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < lane_order->n_lanes; i++) {
        uint32_t lane_idx = lane_order->order[i];
        if (lane_order->lanes[lane_idx].is_pinned == is_pinned && rv_lane_choices_shows(lane_order, lane_idx))
            out[n++] = lane_idx;
    }
    return n;
}

size_t rv_lane_choices_list(const struct rv_lane_choices *lane_order, uint32_t *out)
{
    size_t n = list(lane_order, true, out);
    return n + list(lane_order, false, out + n);
}
