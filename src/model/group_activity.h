/*
 * What several lanes did together: how many of them were busy in each column of time, and the subroutine that most of
 * them were in. Shown as one row of cells. Pure.
 */
#ifndef RV_MODEL_GROUP_ACTIVITY_H
#define RV_MODEL_GROUP_ACTIVITY_H

#include "base/hash_index.h"
#include "model/box_times.h"
#include "model/density.h"
#include "model/innermost.h"

struct rv_group_activity_column {
    struct rv_density_sum sum;        /* of the lanes' innermost calls */
    bool is_busy, has_hit, has_plain; /* a lane has a call; a call is a hit; a call is not dimmed */
};

struct
    rv_group_activity_time { /* of a subroutine, summed over the lanes of all rows since rv_group_activity_forget() */
    uint32_t id;
    double inclusive_ns, self_ns;
};

struct rv_group_activity { /* zeroed = ready */
    uint64_t window_ns[2];
    uint64_t first_column;
    unsigned shift; /* a column is 2^shift ns */
    size_t n_columns, capacity;
    struct rv_group_activity_column *columns;
    struct rv_group_activity_time *times;
    size_t n_times, times_capacity;
    struct rv_hash_index by_id;    /* index into times + 1, by subroutine */
    struct rv_innermost innermost; /* these are scratch */
    struct rv_box_times box_times;
    const struct rv_box *boxes; /* of the lane that is being added */
};

/* Forget the times of earlier rows. */
void rv_group_activity_forget(struct rv_group_activity *activity);

/* Begin a row; column_ns is a power of two. */
void rv_group_activity_begin(struct rv_group_activity *activity, uint64_t from_ns, uint64_t to_ns, uint64_t column_ns);

/* Add a lane's boxes, sorted by start. What lies outside the row's window is left out. */
void rv_group_activity_add(struct rv_group_activity *activity, const struct rv_box *boxes, size_t n);

/*
 * Write a cell of depth 0 for each column in which a lane was busy; a covered cell is as busy as the busiest. It is a
 * hit if any call is one, dimmed if all are.
 *   out      room for n_columns boxes
 *   busiest  number of lanes that were busy in the busiest column, on average over it
 *   returns  the number of cells
 */
size_t rv_group_activity_cells(const struct rv_group_activity *activity, struct rv_box *out, double *busiest);

void rv_group_activity_fini(struct rv_group_activity *activity);

#endif
