#include "model/lane_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void rv_lane_order_fini(struct rv_lane_order *lane_order)
{
    free(lane_order->lanes);
    free(lane_order->processes);
    free(lane_order->groups);
    rv_hash_index_fini(&lane_order->by_tid);
    free(lane_order->order);
    *lane_order = (struct rv_lane_order){0};
}

static uint64_t key_of(const struct rv_arranged_group *group)
{
    return (uint64_t)group->process << 32 | group->tid;
}

/* Groups are never removed: the index lacks the last ones at most. */
static void copy_groups(struct rv_lane_order *into, const struct rv_lane_order *from)
{
    into->groups = rv_vec_reserve(into->groups, &into->groups_capacity, from->n_groups, sizeof *into->groups);
    if (from->n_groups)
        memcpy(into->groups, from->groups, from->n_groups * sizeof *into->groups);
    for (size_t i = into->n_groups; i < from->n_groups; i++)
        rv_hash_index_add(&into->by_tid, key_of(&into->groups[i]), (uint32_t)i + 1);
    into->n_groups = from->n_groups;
}

void rv_lane_order_copy(struct rv_lane_order *into, const struct rv_lane_order *from)
{
    into->lanes = rv_vec_reserve(into->lanes, &into->lanes_capacity, from->n_lanes, sizeof *into->lanes);
    into->order = rv_vec_reserve(into->order, &into->order_capacity, from->n_lanes, sizeof *into->order);
    into->processes =
        rv_vec_reserve(into->processes, &into->processes_capacity, from->n_processes, sizeof *into->processes);
    if (from->n_lanes) {
        memcpy(into->lanes, from->lanes, from->n_lanes * sizeof *into->lanes);
        memcpy(into->order, from->order, from->n_lanes * sizeof *into->order);
    }
    if (from->n_processes)
        memcpy(into->processes, from->processes, from->n_processes * sizeof *into->processes);
    copy_groups(into, from);
    into->n_lanes = from->n_lanes;
    into->n_processes = from->n_processes;
    into->most_depth = from->most_depth;
}

/* ---- lanes that come ---- */

/* The latest known process with this pid. */
static uint32_t find_pid(const struct rv_lane_order *lane_order, uint32_t pid)
{
    for (size_t i = lane_order->n_processes; pid && i-- > 0;)
        if (lane_order->processes[i].pid == pid)
            return (uint32_t)i;
    return RV_LANE_ORDER_NONE;
}

static uint32_t learn_process(struct rv_lane_order *lane_order, const struct rv_lane *lane)
{
    for (size_t i = lane_order->n_processes; i-- > 0;)
        if (lane_order->processes[i].key == lane->process_key)
            return (uint32_t)i;
    uint32_t parent = find_pid(lane_order, lane->parent_pid);
    uint32_t generation = parent == RV_LANE_ORDER_NONE ? 0 : lane_order->processes[parent].generation + 1;
    lane_order->processes = rv_vec_reserve(lane_order->processes, &lane_order->processes_capacity,
                                           lane_order->n_processes + 1, sizeof *lane_order->processes);
    lane_order->processes[lane_order->n_processes] = (struct rv_arranged_process){
        .key = lane->process_key, .pid = lane->pid, .parent = parent, .generation = generation};
    return (uint32_t)lane_order->n_processes++;
}

static bool is_within(const struct rv_lane_order *lane_order, uint32_t process, uint32_t ancestor)
{
    while (process != ancestor && process != RV_LANE_ORDER_NONE)
        process = lane_order->processes[process].parent;
    return process == ancestor;
}

/* Position after the last lane of this process, or of it and its descendants. */
static size_t place_behind(const struct rv_lane_order *lane_order, uint32_t process, bool with_forked)
{
    for (size_t i = lane_order->n_lanes; i-- > 0;) {
        uint32_t other = lane_order->lanes[lane_order->order[i]].process;
        if (other == process || (with_forked && is_within(lane_order, other, process)))
            return i + 1;
    }
    return lane_order->n_lanes;
}

/* Position after the last lane of this thread; 0 when it has none. */
static size_t place_in_thread(const struct rv_lane_order *lane_order, uint32_t process, uint32_t thread)
{
    for (size_t i = lane_order->n_lanes; i-- > 0;) {
        const struct rv_arranged_lane *other = &lane_order->lanes[lane_order->order[i]];
        if (other->process == process && other->thread == thread)
            return i + 1;
    }
    return 0;
}

static size_t place_of(const struct rv_lane_order *lane_order, uint32_t process, const struct rv_lane *lane)
{
    const struct rv_arranged_process *own = &lane_order->processes[process];
    size_t in_thread = lane->stack ? place_in_thread(lane_order, process, lane->thread) : 0;
    if (in_thread)
        return in_thread;
    if (own->n_lanes)
        return place_behind(lane_order, process, false);
    if (own->parent != RV_LANE_ORDER_NONE)
        return place_behind(lane_order, own->parent, true);
    return lane_order->n_lanes;
}

/* Returns the lane's group. */
static uint32_t learn_group(struct rv_lane_order *lane_order, uint32_t process, uint32_t tid, uint32_t lane_idx)
{
    const struct rv_arranged_group new = {.process = process, .tid = tid, .first_lane = lane_idx};
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
    group->is_collapsed |= !group->is_chosen && group->n_lanes > RV_LANE_ORDER_MOST_ROWS;
    return number - 1;
}

static void learn_lane(struct rv_lane_order *lane_order, const struct rv_lane *lane)
{
    size_t n = lane_order->n_lanes;
    uint32_t process = learn_process(lane_order, lane);
    size_t place = place_of(lane_order, process, lane);
    lane_order->processes[process].n_lanes++;
    lane_order->lanes =
        rv_vec_reserve(lane_order->lanes, &lane_order->lanes_capacity, n + 1, sizeof *lane_order->lanes);
    lane_order->order =
        rv_vec_reserve(lane_order->order, &lane_order->order_capacity, n + 1, sizeof *lane_order->order);
    memmove(lane_order->order + place + 1, lane_order->order + place, (n - place) * sizeof *lane_order->order);
    lane_order->order[place] = (uint32_t)n;
    lane_order->lanes[n] = (struct rv_arranged_lane){
        .process = process, .thread = lane->thread, .group = learn_group(lane_order, process, lane->tid, (uint32_t)n)};
    lane_order->n_lanes++;
}

void rv_lane_order_update(struct rv_lane_order *lane_order, const struct rv_lanes *lanes)
{
    size_t n = rv_lanes_n(lanes);
    while (lane_order->n_lanes < n)
        learn_lane(lane_order, rv_lanes_get(lanes, lane_order->n_lanes));
}

/* ---- what the user does ---- */

static struct rv_arranged_lane *get(struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    return lane_idx < lane_order->n_lanes ? &lane_order->lanes[lane_idx] : NULL;
}

void rv_lane_order_toggle_hidden(struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane)
        lane->is_hidden = !lane->is_hidden;
}

void rv_lane_order_toggle_pinned(struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane)
        lane->is_pinned = !lane->is_pinned;
}

static void expand_group(struct rv_arranged_group *group)
{
    group->is_collapsed = false;
    group->is_chosen = true;
}

void rv_lane_order_toggle_collapsed(struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane && lane_order->processes[lane->process].is_collapsed)
        rv_lane_order_toggle_process(lane_order, lane_idx);
    else if (lane && lane_order->groups[lane->group].is_collapsed)
        expand_group(&lane_order->groups[lane->group]);
    else if (lane)
        lane->is_collapsed = !lane->is_collapsed;
}

void rv_lane_order_toggle_process(struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane)
        lane_order->processes[lane->process].is_collapsed = !lane_order->processes[lane->process].is_collapsed;
}

void rv_lane_order_expand(struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (!lane)
        return;
    lane_order->processes[lane->process].is_collapsed = false;
    expand_group(&lane_order->groups[lane->group]);
}

void rv_lane_order_move(struct rv_lane_order *lane_order, uint32_t lane_idx, int steps)
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
    } while (!rv_lane_order_shows(lane_order, lane_order->order[next]) ||
             lane_order->lanes[lane_order->order[next]].is_pinned != lane->is_pinned);
    lane_order->order[at] = lane_order->order[next];
    lane_order->order[next] = lane_idx;
}

void rv_lane_order_show_all(struct rv_lane_order *lane_order)
{
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        lane_order->lanes[i].is_hidden = lane_order->lanes[i].is_collapsed = false;
    for (size_t i = 0; i < lane_order->n_processes; i++)
        lane_order->processes[i].is_collapsed = false;
    for (size_t i = 0; i < lane_order->n_groups; i++)
        expand_group(&lane_order->groups[i]);
    lane_order->most_depth = 0;
}

void rv_lane_order_crop(struct rv_lane_order *lane_order, int steps, uint32_t n_rows)
{
    uint32_t now = lane_order->most_depth && lane_order->most_depth < n_rows ? lane_order->most_depth : n_rows;
    if (steps < 0)
        lane_order->most_depth = now > 1 ? now - 1 : 1;
    else
        lane_order->most_depth = now + 1 >= n_rows ? 0 : now + 1;
}

size_t rv_lane_order_n_hidden(const struct rv_lane_order *lane_order)
{
    size_t n = 0;
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        n += lane_order->lanes[i].is_hidden;
    return n;
}

/* ---- what is shown ---- */

/* The lane that represents a collapsed process: its first that is not hidden. */
static bool stands_for_all(const struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    uint32_t process = lane_order->lanes[lane_idx].process;
    for (uint32_t i = 0; i < lane_idx; i++)
        if (lane_order->lanes[i].process == process && !lane_order->lanes[i].is_hidden)
            return false;
    return true;
}

bool rv_lane_order_shows(const struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    const struct rv_arranged_group *group = &lane_order->groups[lane->group];
    if (lane->is_hidden || (group->is_collapsed && group->first_lane != lane_idx))
        return false;
    return !lane_order->processes[lane->process].is_collapsed || stands_for_all(lane_order, lane_idx);
}

bool rv_lane_order_is_row(const struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    return lane->is_collapsed || lane_order->processes[lane->process].is_collapsed ||
           lane_order->groups[lane->group].is_collapsed;
}

uint32_t rv_lane_order_n_represented(const struct rv_lane_order *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    const struct rv_arranged_process *process = &lane_order->processes[lane->process];
    const struct rv_arranged_group *group = &lane_order->groups[lane->group];
    return process->is_collapsed ? process->n_lanes : group->is_collapsed ? group->n_lanes : 1;
}

static size_t list(const struct rv_lane_order *lane_order, bool is_pinned, uint32_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < lane_order->n_lanes; i++) {
        uint32_t lane_idx = lane_order->order[i];
        if (lane_order->lanes[lane_idx].is_pinned == is_pinned && rv_lane_order_shows(lane_order, lane_idx))
            out[n++] = lane_idx;
    }
    return n;
}

size_t rv_lane_order_list(const struct rv_lane_order *lane_order, uint32_t *out)
{
    size_t n = list(lane_order, true, out);
    return n + list(lane_order, false, out + n);
}
