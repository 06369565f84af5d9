#include "model/lane_choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/thread_family.h"

void rv_lane_choices_fini(struct rv_lane_choices *lane_order)
{
    free(lane_order->lanes);
    free(lane_order->processes);
    free(lane_order->groups);
    rv_hash_index_fini(&lane_order->by_key);
    free(lane_order->order);
    free(lane_order->as_they_came);
    *lane_order = (struct rv_lane_choices){0};
}

static bool has_same_groups(const struct rv_lane_choices *a, const struct rv_lane_choices *b)
{
    bool are_same = a->n_groups == b->n_groups;
    for (size_t i = 0; are_same && i < a->n_groups; i++)
        are_same = a->groups[i].key == b->groups[i].key;
    return are_same;
}

/* Two that were updated at different times may have met other names, and so have other groups. */
static void copy_groups(struct rv_lane_choices *into, const struct rv_lane_choices *from)
{
    const bool is_indexed = has_same_groups(into, from);
    into->groups = rv_vec_reserve(into->groups, &into->groups_capacity, from->n_groups, sizeof *into->groups);
    if (from->n_groups)
        memcpy(into->groups, from->groups, from->n_groups * sizeof *into->groups);
    into->n_groups = from->n_groups;
    if (is_indexed)
        return;
    rv_hash_index_clear(&into->by_key);
    for (size_t i = 0; i < into->n_groups; i++)
        rv_hash_index_add(&into->by_key, into->groups[i].key, (uint32_t)i + 1);
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
    into->n_renamed = from->n_renamed;
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

/* The index of the group of this kind and name in another one, made if there is none. */
static uint32_t need_group(struct rv_lane_choices *lane_order, enum rv_lane_group_kind kind, uint32_t within,
                           uint64_t name)
{
    const uint64_t key = rv_hash_combine(rv_hash_u64((uint64_t)within << 8 | kind), name);
    const uint32_t known = rv_hash_index_get(&lane_order->by_key, key);
    if (known)
        return known - 1;
    lane_order->groups = rv_vec_reserve(lane_order->groups, &lane_order->groups_capacity, lane_order->n_groups + 1,
                                        sizeof *lane_order->groups);
    lane_order->groups[lane_order->n_groups] =
        (struct rv_arranged_group){.key = key, .kind = kind, .parent = within, .first_lane = RV_LANE_CHOICES_NONE};
    rv_hash_index_add(&lane_order->by_key, key, (uint32_t)++lane_order->n_groups);
    return (uint32_t)lane_order->n_groups - 1;
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
    lane_order->processes[lane_order->n_processes] = (struct rv_arranged_process){
        .key = lane->process_key,
        .pid = lane->pid,
        .parent = parent,
        .generation = generation,
        .group = need_group(lane_order, RV_LANE_GROUP_PROCESS, RV_LANE_CHOICES_NONE, lane->process_key)};
    return (uint32_t)lane_order->n_processes++;
}

static uint64_t hash_text(const char *text)
{
    return rv_hash_bytes(text, strlen(text));
}

/* Those with whom the lane's thread is, by its name. */
static uint32_t need_owner(struct rv_lane_choices *lane_order, uint32_t process, struct rv_lane *lane)
{
    const uint64_t first_thread = 0; /* no hash */
    char name[RV_LANE_NAME_BYTES], owner[RV_LANE_NAME_BYTES], family[RV_LANE_NAME_BYTES];
    pthread_rwlock_wrlock(&lane->lock);
    rv_lane_copy_thread_name(lane, name);
    pthread_rwlock_unlock(&lane->lock);
    rv_thread_family_owner(name, owner);
    rv_thread_family_name(name, family);
    const uint32_t within = need_group(lane_order, RV_LANE_GROUP_FAMILY, lane_order->processes[process].group,
                                       lane->tid == lane->pid ? first_thread : hash_text(family));
    return need_group(lane_order, RV_LANE_GROUP_OWNER, within, hash_text(owner));
}

/* The lane's thread; if it is new, the lane gives it a place among the groups. */
static uint32_t need_thread(struct rv_lane_choices *lane_order, uint32_t process, struct rv_lane *lane)
{
    const size_t n_before = lane_order->n_groups;
    const uint32_t thread = need_group(lane_order, RV_LANE_GROUP_THREAD, lane_order->processes[process].group,
                                       (uint64_t)lane->tid << 32 | lane->thread);
    if (lane_order->n_groups == n_before)
        return thread;
    const uint32_t owner = need_owner(lane_order, process, lane);
    lane_order->groups[thread].parent = owner;
    lane_order->groups[thread].named_by = lane->idx;
    lane_order->groups[thread].tid = lane->tid;
    return thread;
}

/* Count lanes of a thread in the groups that it is in; is_part: it had none before. */
static void count_in(struct rv_lane_choices *lane_order, uint32_t thread, uint32_t n_lanes, bool is_part)
{
    const uint32_t tid = lane_order->groups[thread].tid;
    for (uint32_t i = lane_order->groups[thread].parent; i != RV_LANE_CHOICES_NONE; i = lane_order->groups[i].parent) {
        struct rv_arranged_group *group = &lane_order->groups[i];
        group->n_parts += is_part;
        is_part = group->n_lanes == 0;
        group->tid = is_part || group->tid == tid ? tid : RV_LANE_CHOICES_NONE;
        group->n_lanes += n_lanes;
    }
}

/* The opposite, of all its lanes. */
static void count_out(struct rv_lane_choices *lane_order, uint32_t thread)
{
    const uint32_t n_lanes = lane_order->groups[thread].n_lanes;
    bool is_part = true;
    for (uint32_t i = lane_order->groups[thread].parent; i != RV_LANE_CHOICES_NONE; i = lane_order->groups[i].parent) {
        lane_order->groups[i].n_parts -= is_part;
        lane_order->groups[i].n_lanes -= n_lanes;
        is_part = lane_order->groups[i].n_lanes == 0;
    }
}

static bool is_in(const struct rv_lane_choices *lane_order, uint32_t lane_idx, uint32_t group)
{
    uint32_t i = lane_order->lanes[lane_idx].group;
    while (i != group && i != RV_LANE_CHOICES_NONE)
        i = lane_order->groups[i].parent;
    return i == group;
}

static bool is_forked_by(const struct rv_lane_choices *lane_order, uint32_t process, uint32_t ancestor)
{
    while (process != ancestor && process != RV_LANE_CHOICES_NONE)
        process = lane_order->processes[process].parent;
    return process == ancestor;
}

/* Position after the last lane of this group, which has one. */
static size_t place_behind(const struct rv_lane_choices *lane_order, const uint32_t *order, size_t n, uint32_t group)
{
    while (n > 0 && !is_in(lane_order, order[n - 1], group))
        n--;
    return n;
}

static uint32_t tid_of(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    return lane_order->groups[lane_order->lanes[lane_idx].group].tid;
}

/* Position of a thread among those of a group, which has lanes: a process's first is in front, relatives are in the order of
 * their tids. */
static size_t place_in(const struct rv_lane_choices *lane_order, const uint32_t *order, size_t n, uint32_t group,
                       uint32_t tid)
{
    const bool is_process = lane_order->groups[group].kind == RV_LANE_GROUP_PROCESS;
    size_t place = place_behind(lane_order, order, n, group);
    const bool is_first = is_process && lane_order->processes[lane_order->lanes[order[place - 1]].process].pid == tid;
    while (place > 0 && is_in(lane_order, order[place - 1], group) &&
           (is_process ? is_first : tid_of(lane_order, order[place - 1]) > tid))
        place--;
    return place;
}

/* Position after the last lane of this process and its descendants. */
static size_t place_behind_forked(const struct rv_lane_choices *lane_order, const uint32_t *order, uint32_t process)
{
    size_t n = lane_order->n_lanes;
    while (n > 0 && !is_forked_by(lane_order, lane_order->lanes[order[n - 1]].process, process))
        n--;
    return n;
}

/* This group or the smallest around it that has lanes; NONE: none has. */
static uint32_t nearest_with_lanes(const struct rv_lane_choices *lane_order, uint32_t group)
{
    while (group != RV_LANE_CHOICES_NONE && lane_order->groups[group].n_lanes == 0)
        group = lane_order->groups[group].parent;
    return group;
}

/* Of a new lane of this thread. */
static size_t place_of(const struct rv_lane_choices *lane_order, const uint32_t *order, uint32_t process,
                       uint32_t thread)
{
    const uint32_t near = nearest_with_lanes(lane_order, thread), parent = lane_order->processes[process].parent;
    if (near != RV_LANE_CHOICES_NONE)
        return place_in(lane_order, order, lane_order->n_lanes, near, lane_order->groups[thread].tid);
    return parent != RV_LANE_CHOICES_NONE ? place_behind_forked(lane_order, order, parent) : lane_order->n_lanes;
}

static void insert(uint32_t *order, size_t n, size_t place)
{
    memmove(order + place + 1, order + place, (n - place) * sizeof *order);
    order[place] = (uint32_t)n;
}

static void note_first(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    for (uint32_t i = lane->group; !lane->is_hidden && i != RV_LANE_CHOICES_NONE; i = lane_order->groups[i].parent)
        if (lane_order->groups[i].first_lane == RV_LANE_CHOICES_NONE)
            lane_order->groups[i].first_lane = lane_idx;
}

/* Find the first lane of each group anew, after lanes were hidden, shown or renamed. */
static void find_firsts(struct rv_lane_choices *lane_order)
{
    for (size_t i = 0; i < lane_order->n_groups; i++)
        lane_order->groups[i].first_lane = RV_LANE_CHOICES_NONE;
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        note_first(lane_order, (uint32_t)i);
}

static void learn_lane(struct rv_lane_choices *lane_order, struct rv_lane *lane)
{
    size_t n = lane_order->n_lanes;
    const uint32_t process = learn_process(lane_order, lane), thread = need_thread(lane_order, process, lane);
    lane_order->lanes =
        rv_vec_reserve(lane_order->lanes, &lane_order->lanes_capacity, n + 1, sizeof *lane_order->lanes);
    lane_order->order =
        rv_vec_reserve(lane_order->order, &lane_order->order_capacity, n + 1, sizeof *lane_order->order);
    lane_order->as_they_came =
        rv_vec_reserve(lane_order->as_they_came, &lane_order->came_capacity, n + 1, sizeof *lane_order->as_they_came);
    insert(lane_order->order, n, place_of(lane_order, lane_order->order, process, thread));
    insert(lane_order->as_they_came, n, place_of(lane_order, lane_order->as_they_came, process, thread));
    lane_order->lanes[n] = (struct rv_arranged_lane){.process = process, .thread = lane->thread, .group = thread};
    lane_order->n_lanes++;
    count_in(lane_order, thread, 1, lane_order->groups[thread].n_lanes == 0);
    lane_order->groups[thread].n_parts = ++lane_order->groups[thread].n_lanes;
    note_first(lane_order, (uint32_t)n);
}

/* ---- lanes with new names ---- */

/* Move a thread's lanes to those of a group. */
static void move_thread(struct rv_lane_choices *lane_order, uint32_t *order, uint32_t thread, uint32_t group)
{
    uint32_t *moved = rv_alloc_scratch(lane_order->groups[thread].n_lanes, sizeof *moved);
    size_t n_kept = 0, n_moved = 0;
    for (size_t i = 0; i < lane_order->n_lanes; i++) {
        if (lane_order->lanes[order[i]].group == thread)
            moved[n_moved++] = order[i];
        else
            order[n_kept++] = order[i];
    }
    const size_t place = place_in(lane_order, order, n_kept, group, lane_order->groups[thread].tid);
    memmove(order + place + n_moved, order + place, (n_kept - place) * sizeof *order);
    memcpy(order + place, moved, n_moved * sizeof *order);
    free(moved);
}

/* It stays where it is if it had no family before and has none now. */
static void join(struct rv_lane_choices *lane_order, uint32_t thread, uint32_t owner)
{
    count_out(lane_order, thread);
    const uint32_t near = nearest_with_lanes(lane_order, owner);
    const uint32_t before = lane_order->groups[thread].parent, family = lane_order->groups[before].parent;
    lane_order->groups[thread].parent = owner;
    if (near != RV_LANE_CHOICES_NONE &&
        (lane_order->groups[near].kind != RV_LANE_GROUP_PROCESS || lane_order->groups[family].n_lanes > 0)) {
        move_thread(lane_order, lane_order->order, thread, near);
        move_thread(lane_order, lane_order->as_they_came, thread, near);
    }
    count_in(lane_order, thread, lane_order->groups[thread].n_lanes, true);
}

static void take_names(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes)
{
    for (size_t i = 0; i < lane_order->n_lanes; i++) {
        const uint32_t thread = lane_order->lanes[i].group;
        if (lane_order->groups[thread].named_by != i)
            continue;
        const uint32_t owner = need_owner(lane_order, lane_order->lanes[i].process, rv_lanes_get(lanes, i));
        if (lane_order->groups[thread].parent != owner)
            join(lane_order, thread, owner);
    }
    find_firsts(lane_order);
}

void rv_lane_choices_update(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes)
{
    const uint64_t n_renamed = rv_lanes_n_renamed(lanes);
    const size_t n = rv_lanes_n(lanes);
    if (lane_order->n_renamed != n_renamed)
        take_names(lane_order, lanes);
    lane_order->n_renamed = n_renamed;
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

static bool is_crowded(const struct rv_lane_choices *lane_order)
{
    return lane_order->n_lanes > RV_LANE_CHOICES_MOST_LANES;
}

/* Has the window no room for all of the group? */
static bool is_too_large(const struct rv_lane_choices *lane_order, const struct rv_arranged_group *group)
{
    if (group->kind == RV_LANE_GROUP_PROCESS)
        return is_crowded(lane_order) && lane_order->n_processes > RV_LANE_CHOICES_MOST_PROCESSES;
    return group->tid == RV_LANE_CHOICES_NONE ? is_crowded(lane_order) : group->n_lanes > RV_LANE_CHOICES_MOST_ROWS;
}

/* Groups that are the same as their only part are not collapsed, but processes are. */
static bool is_collapsed(const struct rv_lane_choices *lane_order, const struct rv_arranged_group *group)
{
    if (group->kind != RV_LANE_GROUP_PROCESS && group->n_parts < 2)
        return false;
    return group->choice == RV_LANE_GROUP_AS_FITS ? is_too_large(lane_order, group)
                                                  : group->choice == RV_LANE_GROUP_COLLAPSED;
}

/* The index of the outermost group of the lane that is collapsed; NONE. */
static uint32_t find_collapsed(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    uint32_t found = RV_LANE_CHOICES_NONE;
    for (uint32_t i = lane_order->lanes[lane_idx].group; i != RV_LANE_CHOICES_NONE; i = lane_order->groups[i].parent)
        if (is_collapsed(lane_order, &lane_order->groups[i]))
            found = i;
    return found;
}

/* Returns whether the lane was in a collapsed group. */
static bool expand_outermost(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const uint32_t found = find_collapsed(lane_order, lane_idx);
    if (found != RV_LANE_CHOICES_NONE)
        lane_order->groups[found].choice = RV_LANE_GROUP_EXPANDED;
    return found != RV_LANE_CHOICES_NONE;
}

static struct rv_arranged_group *process_group(const struct rv_lane_choices *lane_order, size_t process)
{
    return &lane_order->groups[lane_order->processes[process].group];
}

static void toggle(const struct rv_lane_choices *lane_order, struct rv_arranged_group *group)
{
    group->choice = is_collapsed(lane_order, group) ? RV_LANE_GROUP_EXPANDED : RV_LANE_GROUP_COLLAPSED;
}

/* See rv_lane_choices_toggle_group(). */
static struct rv_arranged_group *group_to_collapse(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    struct rv_arranged_group *found = NULL, *process = process_group(lane_order, lane->process);
    for (struct rv_arranged_group *group = &lane_order->groups[lane->group]; group != process;
         group = &lane_order->groups[group->parent])
        if (group->n_parts > 1 && (!found || (group->kind == RV_LANE_GROUP_OWNER && group->first_lane == lane_idx)))
            found = group;
    return found ? found : process;
}

void rv_lane_choices_toggle_collapsed(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane && !expand_outermost(lane_order, lane_idx))
        lane->is_collapsed = !lane->is_collapsed;
}

void rv_lane_choices_toggle_process(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (lane)
        toggle(lane_order, process_group(lane_order, lane->process));
}

void rv_lane_choices_toggle_group(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    if (!lane || expand_outermost(lane_order, lane_idx))
        return;
    if (lane->is_collapsed)
        lane->is_collapsed = false;
    else
        group_to_collapse(lane_order, lane_idx)->choice = RV_LANE_GROUP_COLLAPSED;
}

void rv_lane_choices_toggle_all(struct rv_lane_choices *lane_order)
{
    bool are_collapsed = true;
    for (size_t i = 0; i < lane_order->n_processes; i++)
        are_collapsed &= is_collapsed(lane_order, process_group(lane_order, i));
    for (size_t i = 0; i < lane_order->n_processes; i++)
        process_group(lane_order, i)->choice = are_collapsed ? RV_LANE_GROUP_EXPANDED : RV_LANE_GROUP_COLLAPSED;
}

void rv_lane_choices_expand(struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_lane *lane = get(lane_order, lane_idx);
    for (uint32_t i = lane ? lane->group : RV_LANE_CHOICES_NONE; i != RV_LANE_CHOICES_NONE;
         i = lane_order->groups[i].parent)
        lane_order->groups[i].choice = RV_LANE_GROUP_EXPANDED;
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
    for (size_t i = 0; i < lane_order->n_groups; i++)
        lane_order->groups[i].choice = RV_LANE_GROUP_EXPANDED;
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

const struct rv_arranged_group *rv_lane_choices_collapsed(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const uint32_t found = find_collapsed(lane_order, lane_idx);
    return found == RV_LANE_CHOICES_NONE ? NULL : &lane_order->groups[found];
}

uint32_t rv_lane_choices_representative(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_group *collapsed = rv_lane_choices_collapsed(lane_order, lane_idx);
    if (lane_order->lanes[lane_idx].is_hidden)
        return RV_LANE_CHOICES_NONE;
    return collapsed ? collapsed->first_lane : lane_idx;
}

void rv_lane_choices_name_group(const struct rv_lane *first, enum rv_lane_group_kind kind, uint32_t n_lanes,
                                uint32_t n_threads, char name[RV_LANE_NAME_BYTES])
{
    char thread[RV_LANE_NAME_BYTES], text[RV_LANE_NAME_BYTES];
    rv_lane_copy_thread_name(first, thread);
    if (kind == RV_LANE_GROUP_THREAD)
        memcpy(text, first->name, sizeof text);
    else if (kind == RV_LANE_GROUP_PROCESS)
        (void)snprintf(text, sizeof text, "%.30s %u", first->process_name, first->pid);
    else if (kind == RV_LANE_GROUP_FAMILY)
        rv_thread_family_name(thread, text);
    else
        rv_thread_family_owner(thread, text);
    (void)snprintf(name, RV_LANE_NAME_BYTES, "%.40s%s%u %s", text, *text ? ": " : "",
                   n_threads > 1 ? n_threads : n_lanes, n_threads > 1 ? "threads" : "rows");
}

bool rv_lane_choices_shows(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    return rv_lane_choices_representative(lane_order, lane_idx) == lane_idx;
}

bool rv_lane_choices_is_row(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    return lane_order->lanes[lane_idx].is_collapsed || rv_lane_choices_collapsed(lane_order, lane_idx);
}

enum rv_lane_fold rv_lane_choices_fold(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const struct rv_arranged_group *group = group_to_collapse(lane_order, lane_idx);
    const bool is_alone = group->n_lanes == 1 || (group->kind == RV_LANE_GROUP_PROCESS && lane_order->n_processes == 1);
    if (rv_lane_choices_is_row(lane_order, lane_idx))
        return RV_LANE_FOLD_CLOSED;
    return group->first_lane == lane_idx && !is_alone ? RV_LANE_FOLD_OPEN : RV_LANE_FOLD_NONE;
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

size_t rv_lane_choices_place(const struct rv_lane_choices *lane_order, uint32_t lane_idx)
{
    const uint32_t shown_idx = rv_lane_choices_representative(lane_order, lane_idx);
    uint32_t *shown = rv_alloc_scratch(lane_order->n_lanes, sizeof *shown);
    const size_t n = rv_lane_choices_list(lane_order, shown);
    size_t place = 0;
    while (place < n && shown[place] != shown_idx)
        place++;
    free(shown);
    return place < n ? place : SIZE_MAX;
}
