/*
 * Arcs from who ended waits to who waited, at levels of detail: at level 0 each wait's own, at the others those between
 * the same subroutines on the same two lanes that ended in the same stretch of time, folded into one. No GL. Immutable
 * and shared: the thread that makes a picture and the window hold the same one.
 */
#ifndef RV_RENDER_ARC_LEVELS_H
#define RV_RENDER_ARC_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tasks/flow_table.h"
#include "waits/wakers.h"

enum rv_arc_kind {
    RV_ARC_LOCK,
    RV_ARC_SIGNAL,   /* conditions, semaphores and the like */
    RV_ARC_TRANSFER, /* what is read that another thread wrote, and so on */
    RV_ARC_START,    /* of a thread or process, and its end */
    RV_ARC_FLOW,     /* from step to step of a flow */
    RV_ARC_TASK,     /* from turn to turn of a task */
    RV_ARC_KIND_COUNT
};
#define RV_ARC_OF_FLOWS (1u << RV_ARC_FLOW | 1u << RV_ARC_TASK) /* kinds, as bits */
#define RV_ARC_OF_WAITS ((1u << RV_ARC_KIND_COUNT) - 1u - RV_ARC_OF_FLOWS)

/* "locks"; static. */
const char *rv_arc_kind_name(enum rv_arc_kind kind);

struct rv_arc {
    uint64_t from_ns, to_ns; /* the longest wait: when its waker acted, and its end; for a flow, those of its steps */
    uint32_t from_lane, to_lane; /* lane_idx */
    enum rv_arc_kind kind;
    uint32_t n;                    /* number of waits */
    uint32_t n_others;             /* arcs to other lanes that are folded into it, see rv_arc_hub_is_from() */
    uint64_t total_ns, longest_ns; /* how long they were, and the longest of them */
    uint32_t from_call, to_call;   /* ids of the innermost calls that ended them, and that waited; 0: unknown or none */
    uint32_t object;               /* object of the longest wait, as an id; a flow's name; 0: none */
    enum rv_wait_kind wait;        /* kind of the longest wait */
};

/* Which end of many starts or ends of threads is the same: the thread that starts them, or that waits for their
 * ends. */
static inline bool rv_arc_hub_is_from(const struct rv_arc *arc)
{
    return arc->wait == RV_WAIT_START;
}

struct rv_arc_levels; /* opaque */

struct rv_arc_collector { /* zeroed = none so far */
    struct rv_arc *arcs;
    size_t n, capacity;
    size_t most;       /* arcs to keep, or twice the pairs of ends; 0: all. Beyond it arcs are folded, level 0, too */
    unsigned left_out; /* kinds that are not collected, as bits */
    unsigned shift;    /* arcs are folded in stretches of 2^shift ns; 0: none is folded */
};

/* Add the arc of a wait; without a waker on another lane it has none. */
void rv_arc_collector_add(struct rv_arc_collector *collector, const struct rv_wait_edge *edge);

/* Add the arcs of flows that end in [from, to): between steps on other lanes, of tasks from the end of a turn. */
void rv_arc_collector_add_flows(struct rv_arc_collector *collector, const struct rv_flow_table *table, uint64_t from_ns,
                                uint64_t to_ns);

/* Takes what was collected. Returns it held. */
const struct rv_arc_levels *rv_arc_levels_create(struct rv_arc_collector *collector);

/* Is an arc of level 0 one wait's? */
bool rv_arc_levels_is_exact(const struct rv_arc_levels *index);

/* Hold it, to be released. NULL-safe. Any thread. Returns it. */
const struct rv_arc_levels *rv_arc_levels_hold(const struct rv_arc_levels *index);
void rv_arc_levels_release(const struct rv_arc_levels *index);

/* Number of levels; 0 = no arcs. */
size_t rv_arc_levels_n_levels(const struct rv_arc_levels *index);

/*
 * The arcs of a level that ended in stretches of time which overlap the window, in order of these stretches; n of them.
 * Borrowed.
 */
const struct rv_arc *rv_arc_levels_window(const struct rv_arc_levels *index, size_t level, uint64_t from_ns,
                                          uint64_t to_ns, size_t *n);

/* The finest level with at most this many arcs in the window; the coarsest if all have more. O(levels log waits). */
size_t rv_arc_levels_choose(const struct rv_arc_levels *index, uint64_t from_ns, uint64_t to_ns, size_t most);

#endif
