#include "model/lane_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void rv_arrangement_fini(struct rv_arrangement *arrangement)
{
    free(arrangement->lanes);
    free(arrangement->processes);
    free(arrangement->order);
    *arrangement = (struct rv_arrangement){0};
}

void rv_arrangement_copy(struct rv_arrangement *into, const struct rv_arrangement *from)
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
    into->n_lanes = from->n_lanes;
    into->n_processes = from->n_processes;
    into->most_depth = from->most_depth;
}

/* ---- lanes that come ---- */

/* The latest process that had this pid before the one that asks. */
static uint32_t find_pid(const struct rv_arrangement *arrangement, uint32_t pid)
{
    for (size_t i = arrangement->n_processes; pid && i-- > 0;)
        if (arrangement->processes[i].pid == pid)
            return (uint32_t)i;
    return RV_ARRANGEMENT_NONE;
}

static uint32_t learn_process(struct rv_arrangement *arrangement, const struct rv_lane *lane)
{
    for (size_t i = arrangement->n_processes; i-- > 0;)
        if (arrangement->processes[i].key == lane->process_key)
            return (uint32_t)i;
    uint32_t parent = find_pid(arrangement, lane->parent_pid);
    uint32_t generation = parent == RV_ARRANGEMENT_NONE ? 0 : arrangement->processes[parent].generation + 1;
    arrangement->processes = rv_vec_reserve(arrangement->processes, &arrangement->processes_capacity,
                                            arrangement->n_processes + 1, sizeof *arrangement->processes);
    arrangement->processes[arrangement->n_processes] = (struct rv_arranged_process){
        .key = lane->process_key, .pid = lane->pid, .parent = parent, .generation = generation};
    return (uint32_t)arrangement->n_processes++;
}

static bool is_within(const struct rv_arrangement *arrangement, uint32_t process, uint32_t ancestor)
{
    while (process != ancestor && process != RV_ARRANGEMENT_NONE)
        process = arrangement->processes[process].parent;
    return process == ancestor;
}

/* Behind the last lane of this process, or of it and all that it forked. */
static size_t place_behind(const struct rv_arrangement *arrangement, uint32_t process, bool with_forked)
{
    for (size_t i = arrangement->n_lanes; i-- > 0;) {
        uint32_t other = arrangement->lanes[arrangement->order[i]].process;
        if (other == process || (with_forked && is_within(arrangement, other, process)))
            return i + 1;
    }
    return arrangement->n_lanes;
}

/* Behind the last lane of this thread; 0 when it has none. */
static size_t place_in_thread(const struct rv_arrangement *arrangement, uint32_t process, uint32_t thread)
{
    for (size_t i = arrangement->n_lanes; i-- > 0;) {
        const struct rv_arranged_lane *other = &arrangement->lanes[arrangement->order[i]];
        if (other->process == process && other->thread == thread)
            return i + 1;
    }
    return 0;
}

static size_t place_of(const struct rv_arrangement *arrangement, uint32_t process, const struct rv_lane *lane)
{
    const struct rv_arranged_process *own = &arrangement->processes[process];
    size_t in_thread = lane->stack ? place_in_thread(arrangement, process, lane->thread) : 0;
    if (in_thread)
        return in_thread;
    if (own->n_lanes)
        return place_behind(arrangement, process, false);
    if (own->parent != RV_ARRANGEMENT_NONE)
        return place_behind(arrangement, own->parent, true);
    return arrangement->n_lanes;
}

static void learn_lane(struct rv_arrangement *arrangement, const struct rv_lane *lane)
{
    size_t n = arrangement->n_lanes;
    uint32_t process = learn_process(arrangement, lane);
    size_t place = place_of(arrangement, process, lane);
    arrangement->processes[process].n_lanes++;
    arrangement->lanes =
        rv_vec_reserve(arrangement->lanes, &arrangement->lanes_capacity, n + 1, sizeof *arrangement->lanes);
    arrangement->order =
        rv_vec_reserve(arrangement->order, &arrangement->order_capacity, n + 1, sizeof *arrangement->order);
    memmove(arrangement->order + place + 1, arrangement->order + place, (n - place) * sizeof *arrangement->order);
    arrangement->order[place] = (uint32_t)n;
    arrangement->lanes[n] = (struct rv_arranged_lane){.process = process, .thread = lane->thread};
    arrangement->n_lanes++;
}

void rv_arrangement_update(struct rv_arrangement *arrangement, const struct rv_lanes *lanes)
{
    size_t n = rv_lanes_n(lanes);
    while (arrangement->n_lanes < n)
        learn_lane(arrangement, rv_lanes_get(lanes, arrangement->n_lanes));
}

/* ---- what the user does ---- */

static struct rv_arranged_lane *get(struct rv_arrangement *arrangement, uint32_t lane_idx)
{
    return lane_idx < arrangement->n_lanes ? &arrangement->lanes[lane_idx] : NULL;
}

void rv_arrangement_toggle_hidden(struct rv_arrangement *arrangement, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(arrangement, lane_idx);
    if (lane)
        lane->is_hidden = !lane->is_hidden;
}

void rv_arrangement_toggle_pinned(struct rv_arrangement *arrangement, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(arrangement, lane_idx);
    if (lane)
        lane->is_pinned = !lane->is_pinned;
}

void rv_arrangement_toggle_collapsed(struct rv_arrangement *arrangement, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(arrangement, lane_idx);
    if (lane && arrangement->processes[lane->process].is_collapsed)
        rv_arrangement_toggle_process(arrangement, lane_idx);
    else if (lane)
        lane->is_collapsed = !lane->is_collapsed;
}

void rv_arrangement_toggle_process(struct rv_arrangement *arrangement, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(arrangement, lane_idx);
    if (lane)
        arrangement->processes[lane->process].is_collapsed = !arrangement->processes[lane->process].is_collapsed;
}

void rv_arrangement_move(struct rv_arrangement *arrangement, uint32_t lane_idx, int steps)
{
    const struct rv_arranged_lane *lane = get(arrangement, lane_idx);
    size_t at = 0, n = arrangement->n_lanes;
    if (!lane || steps == 0)
        return;
    while (arrangement->order[at] != lane_idx)
        at++;
    size_t next = at;
    do {
        if (steps < 0 ? next == 0 : next + 1 >= n)
            return;
        next = steps < 0 ? next - 1 : next + 1;
    } while (!rv_arrangement_shows(arrangement, arrangement->order[next]) ||
             arrangement->lanes[arrangement->order[next]].is_pinned != lane->is_pinned);
    arrangement->order[at] = arrangement->order[next];
    arrangement->order[next] = lane_idx;
}

void rv_arrangement_show_all(struct rv_arrangement *arrangement)
{
    for (size_t i = 0; i < arrangement->n_lanes; i++)
        arrangement->lanes[i].is_hidden = arrangement->lanes[i].is_collapsed = false;
    for (size_t i = 0; i < arrangement->n_processes; i++)
        arrangement->processes[i].is_collapsed = false;
    arrangement->most_depth = 0;
}

void rv_arrangement_crop(struct rv_arrangement *arrangement, int steps, uint32_t n_rows)
{
    uint32_t now = arrangement->most_depth && arrangement->most_depth < n_rows ? arrangement->most_depth : n_rows;
    if (steps < 0)
        arrangement->most_depth = now > 1 ? now - 1 : 1;
    else
        arrangement->most_depth = now + 1 >= n_rows ? 0 : now + 1;
}

size_t rv_arrangement_n_hidden(const struct rv_arrangement *arrangement)
{
    size_t n = 0;
    for (size_t i = 0; i < arrangement->n_lanes; i++)
        n += arrangement->lanes[i].is_hidden;
    return n;
}

/* ---- what is shown ---- */

/* Of a collapsed process, the lane that stands for all: its first that is not hidden. */
static bool stands_for_all(const struct rv_arrangement *arrangement, uint32_t lane_idx)
{
    uint32_t process = arrangement->lanes[lane_idx].process;
    for (uint32_t i = 0; i < lane_idx; i++)
        if (arrangement->lanes[i].process == process && !arrangement->lanes[i].is_hidden)
            return false;
    return true;
}

bool rv_arrangement_shows(const struct rv_arrangement *arrangement, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &arrangement->lanes[lane_idx];
    if (lane->is_hidden)
        return false;
    return !arrangement->processes[lane->process].is_collapsed || stands_for_all(arrangement, lane_idx);
}

bool rv_arrangement_is_row(const struct rv_arrangement *arrangement, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &arrangement->lanes[lane_idx];
    return lane->is_collapsed || arrangement->processes[lane->process].is_collapsed;
}

static size_t list(const struct rv_arrangement *arrangement, bool is_pinned, uint32_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < arrangement->n_lanes; i++) {
        uint32_t lane_idx = arrangement->order[i];
        if (arrangement->lanes[lane_idx].is_pinned == is_pinned && rv_arrangement_shows(arrangement, lane_idx))
            out[n++] = lane_idx;
    }
    return n;
}

size_t rv_arrangement_list(const struct rv_arrangement *arrangement, uint32_t *out)
{
    size_t n = list(arrangement, true, out);
    return n + list(arrangement, false, out + n);
}
