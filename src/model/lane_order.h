/*
 * How the user has arranged the lanes: their order, which are hidden, collapsed to one row, or pinned to the front, and
 * how deep calls are shown. One thread at a time.
 *
 * New lanes stand behind those of their process, a thread's further stacks behind its others, a forked process behind
 * its parent and the parent's other children; whatever stands already keeps its order. Nothing is ever removed.
 * So the picture is the same whichever thread's stacks were seen first.
 */
#ifndef RV_MODEL_LANE_ORDER_H
#define RV_MODEL_LANE_ORDER_H

#include "model/lanes.h"

#define RV_LANE_ORDER_NONE UINT32_MAX

struct rv_arranged_process {
    uint64_t key;
    uint32_t pid, parent; /* index of the process that forked it, or NONE */
    uint32_t generation;  /* forks between it and the first */
    uint32_t n_lanes;
    bool is_collapsed; /* to its first lane, as one row */
};

struct rv_arranged_lane { /* by lane_idx */
    uint32_t process, thread;
    bool is_hidden, is_collapsed, is_pinned;
};

struct rv_lane_order { /* zeroed = as lanes come */
    struct rv_arranged_lane *lanes;
    size_t n_lanes, lanes_capacity;
    struct rv_arranged_process *processes;
    size_t n_processes, processes_capacity;
    uint32_t *order; /* lane_idx, from front to back */
    size_t order_capacity;
    uint32_t most_depth; /* rows of a lane that are shown; 0 = all */
};

void rv_lane_order_fini(struct rv_lane_order *lane_order);

/* Make an arrangement what another is. */
void rv_lane_order_copy(struct rv_lane_order *into, const struct rv_lane_order *from);

/* Learn of lanes that are new. Before anything else is asked. */
void rv_lane_order_update(struct rv_lane_order *lane_order, const struct rv_lanes *lanes);

/* What may be done to a lane; one that is not known is left alone. */
void rv_lane_order_toggle_hidden(struct rv_lane_order *lane_order, uint32_t lane_idx);
void rv_lane_order_toggle_pinned(struct rv_lane_order *lane_order, uint32_t lane_idx);
void rv_lane_order_toggle_collapsed(struct rv_lane_order *lane_order, uint32_t lane_idx);
void rv_lane_order_toggle_process(struct rv_lane_order *lane_order, uint32_t lane_idx);

/* To the place of the next lane shown in front of it (steps < 0) or behind it, among pinned lanes or among others. */
void rv_lane_order_move(struct rv_lane_order *lane_order, uint32_t lane_idx, int steps);

/* Every lane shown, none collapsed, all depths. Order and pins stay. */
void rv_lane_order_show_all(struct rv_lane_order *lane_order);

/* One row less or more than now, where now is as deep as n_rows at most. */
void rv_lane_order_crop(struct rv_lane_order *lane_order, int steps, uint32_t n_rows);

size_t rv_lane_order_n_hidden(const struct rv_lane_order *lane_order);

/* Is this lane to be shown, and as one row? */
bool rv_lane_order_shows(const struct rv_lane_order *lane_order, uint32_t lane_idx);
bool rv_lane_order_is_row(const struct rv_lane_order *lane_order, uint32_t lane_idx);

/* lane_idx of those shown, pinned ones first, into out, which has room for n_lanes. Returns how many. */
size_t rv_lane_order_list(const struct rv_lane_order *lane_order, uint32_t *out);

#endif
