/*
 * The user's arrangement of the lanes: their order; which are hidden, collapsed to one row or pinned to the front; and
 * how deep calls are shown. One thread at a time.
 *
 * Lanes are in groups of groups: the processes have families of threads by their names ("worker-1", "worker-2"), these
 * the threads of one owner ("Ractor 2", "Ractor 2: app.rb:4"), these the lanes of a thread, its stacks. Rows of
 * asynchronous calls of a trace are threads of a family with one tid. A process's first thread is no other's relative,
 * whatever its name. What a window has no room for is collapsed, until the user chooses otherwise.
 *
 * New lanes are inserted behind those of the smallest of their groups that has any, but a process's first thread before
 * its others, and relatives by their tids; a forked process behind its parent and the parent's other children. Existing
 * lanes keep their order and are never removed, but a thread that gets another name stands with its new family. So the
 * order does not depend on whose stacks were seen first.
 */
#ifndef RV_MODEL_LANE_CHOICES_H
#define RV_MODEL_LANE_CHOICES_H

#include "base/hash_index.h"
#include "model/lanes.h"

#define RV_LANE_CHOICES_NONE UINT32_MAX
#define RV_LANE_CHOICES_MOST_ROWS 24u  /* more lanes of one tid begin collapsed */
#define RV_LANE_CHOICES_MOST_LANES 64u /* other families begin collapsed where there are more lanes than this in all, */
#define RV_LANE_CHOICES_MOST_PROCESSES 8u /* and processes if these are more than this, too */

enum rv_lane_group_kind {
    RV_LANE_GROUP_NONE,
    RV_LANE_GROUP_PROCESS,
    RV_LANE_GROUP_FAMILY,
    RV_LANE_GROUP_OWNER,
    RV_LANE_GROUP_THREAD
};

enum rv_lane_group_choice { RV_LANE_GROUP_AS_FITS, RV_LANE_GROUP_EXPANDED, RV_LANE_GROUP_COLLAPSED };

struct rv_arranged_group {
    uint64_t key; /* in by_key */
    enum rv_lane_group_kind kind;
    enum rv_lane_group_choice choice; /* the user's */
    uint32_t parent;                  /* index of the group that it is in; NONE: of none */
    uint32_t n_parts;                 /* groups in it that have lanes; of a thread: lanes */
    uint32_t n_lanes;
    uint32_t tid;        /* of all its lanes; NONE: they have several */
    uint32_t first_lane; /* lane_idx of the first one that is not hidden, which it is collapsed to; NONE */
    uint32_t named_by;   /* of a thread: the lane whose name decides on the parent */
};

struct rv_arranged_process {
    uint64_t key;
    uint32_t pid, parent; /* index of the process that forked it, or NONE */
    uint32_t generation;  /* forks between it and the first */
    uint32_t group;
};

struct rv_arranged_lane { /* indexed by lane_idx */
    uint32_t process, thread;
    uint32_t group; /* its thread */
    bool is_hidden, is_collapsed, is_pinned;
};

enum rv_lanes_sorted { RV_LANES_AS_THEY_CAME, RV_LANES_BY_NAME, RV_LANES_BY_EVENTS, RV_LANES_SORTED_COUNT };

struct rv_lane_choices { /* zeroed = default order */
    struct rv_arranged_lane *lanes;
    size_t n_lanes, lanes_capacity;
    struct rv_arranged_process *processes;
    size_t n_processes, processes_capacity;
    struct rv_arranged_group *groups;
    size_t n_groups, groups_capacity;
    struct rv_hash_index by_key; /* of the groups: index + 1 */
    uint64_t n_renamed;          /* of the lanes, as the groups are */
    uint32_t *order;             /* lane_idx, from front to back */
    uint32_t *as_they_came;      /* the default order, without the user's changes */
    size_t order_capacity, came_capacity;
    enum rv_lanes_sorted sorted; /* how the order was sorted last */
    uint32_t most_depth;         /* rows of a lane that are shown; 0 = all */
};

void rv_lane_choices_fini(struct rv_lane_choices *lane_order);

/* Copy an arrangement. */
void rv_lane_choices_copy(struct rv_lane_choices *into, const struct rv_lane_choices *from);

/* Add new lanes, and take new names of others. Call this before any query. */
void rv_lane_choices_update(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes);

/* Change one lane; an unknown lane_idx is ignored. */
void rv_lane_choices_toggle_hidden(struct rv_lane_choices *lane_order, uint32_t lane_idx);
void rv_lane_choices_toggle_pinned(struct rv_lane_choices *lane_order, uint32_t lane_idx);
void rv_lane_choices_toggle_collapsed(struct rv_lane_choices *lane_order,
                                      uint32_t lane_idx); /* expands a group first */
void rv_lane_choices_toggle_process(struct rv_lane_choices *lane_order, uint32_t lane_idx);

/*
 * Expand the lane's outermost group that is collapsed, else the lane. If none is, collapse the smallest of its groups
 * that has several parts, or all of the owner's if these begin with the lane.
 */
void rv_lane_choices_toggle_group(struct rv_lane_choices *lane_order, uint32_t lane_idx);

/* Collapse all processes; expand them if all are collapsed. */
void rv_lane_choices_toggle_all(struct rv_lane_choices *lane_order);

/* Expand all its groups, so that the lane is shown unless it is hidden. */
void rv_lane_choices_expand(struct rv_lane_choices *lane_order, uint32_t lane_idx);

/* Swap a lane with the shown lane before it (steps < 0) or after it (> 0), among pinned or among unpinned lanes. */
void rv_lane_choices_move(struct rv_lane_choices *lane_order, uint32_t lane_idx, int steps);

/* Show all lanes at all depths, none collapsed. Order and pins stay. */
void rv_lane_choices_show_all(struct rv_lane_choices *lane_order);

/* Show one row less (steps < 0) or one more; n_rows is the most that any lane has. */
void rv_lane_choices_crop(struct rv_lane_choices *lane_order, int steps, uint32_t n_rows);

/* Number of lanes that the user has hidden. */
size_t rv_lane_choices_n_hidden(const struct rv_lane_choices *lane_order);

/* The outermost group of the lane that is collapsed; NULL: none is. */
const struct rv_arranged_group *rv_lane_choices_collapsed(const struct rv_lane_choices *lane_order, uint32_t lane_idx);

/* The lane that is shown for this one: itself, or the first of its collapsed group; NONE: it is hidden. */
uint32_t rv_lane_choices_representative(const struct rv_lane_choices *lane_order, uint32_t lane_idx);

/* Name a collapsed group by its first lane, whose lock is held: "worker: 180 threads"; of one thread it has rows. */
void rv_lane_choices_name_group(const struct rv_lane *first, enum rv_lane_group_kind kind, uint32_t n_lanes,
                                uint32_t n_threads, char name[RV_LANE_NAME_BYTES]);

enum rv_lane_fold { RV_LANE_FOLD_NONE, RV_LANE_FOLD_OPEN, RV_LANE_FOLD_CLOSED };

/* Of a shown lane: is it the first of lanes that rv_lane_choices_toggle_group() collapses (OPEN), a process only where
 * there are others; or is it, or are they, collapsed (CLOSED)? */
enum rv_lane_fold rv_lane_choices_fold(const struct rv_lane_choices *lane_order, uint32_t lane_idx);

/* Is this lane shown? Is it shown as one row? */
bool rv_lane_choices_shows(const struct rv_lane_choices *lane_order, uint32_t lane_idx);
bool rv_lane_choices_is_row(const struct rv_lane_choices *lane_order, uint32_t lane_idx);

/* Write the lane_idx of shown lanes, pinned ones first, to out, which has room for n_lanes. Returns their number. */
size_t rv_lane_choices_list(const struct rv_lane_choices *lane_order, uint32_t *out);

/* The place in that list of the lane that is shown for this one; SIZE_MAX: it is hidden. */
size_t rv_lane_choices_place(const struct rv_lane_choices *lane_order, uint32_t lane_idx);

#endif
