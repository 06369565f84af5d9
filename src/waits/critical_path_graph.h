/*
 * The threads of a model and their waits, as critical paths are found in them (model/critical_path_walk.h). A thread's
 * parent is the one that created it; where that is not known, the first thread of its process; of that, the first one
 * of the process that forked it. A thread begins with its first call, state or wait, such as that for its start; where
 * none of them is known, at 0.
 */
#ifndef RV_WAITS_CRITICAL_PATH_GRAPH_H
#define RV_WAITS_CRITICAL_PATH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/critical_path_walk.h"
#include "model/lanes.h"
#include "waits/reader.h"

struct rv_critical_path_graph {
    struct rv_lanes *lanes;
    struct rv_wait_reader *reader;
    struct rv_critical_path_thread *threads;
    const struct rv_lane **lane_of; /* of each thread: that of its own stack; NULL: it came meanwhile */
    size_t n_threads;
    struct rv_wait_edge *edges; /* of the waits, by their number */
    struct rv_critical_path_wait *waits;
    size_t n_waits, edges_capacity, waits_capacity;
};

/* The threads that there are now, and no waits. Any thread. lanes and reader outlive it; _fini is safe on a zeroed
 * one. */
void rv_critical_path_graph_init(struct rv_critical_path_graph *graph, struct rv_lanes *lanes,
                                 struct rv_wait_reader *reader);
void rv_critical_path_graph_fini(struct rv_critical_path_graph *graph);

/*
 * The thread that lasts longest until *to_ns, which is set to its end; RV_CRITICAL_PATH_NONE: none has begun. A wait at
 * a thread's end of which the waker is unknown does not count, nor does a time in which it was blocked, unless the
 * thread is the first of its process. Nor does what another one did, without a CPU or for 1 ms, after the first has
 * ended while it ran: that has exited, which ends all.
 */
uint32_t rv_critical_path_graph_last_thread(const struct rv_critical_path_graph *graph, uint64_t *to_ns);

/* Add the waits that ended after from_ns and began before to_ns. False, with some of them added: there are more than
 * most. */
bool rv_critical_path_graph_add_waits(struct rv_critical_path_graph *graph, uint64_t from_ns, uint64_t to_ns,
                                      size_t most);

struct rv_critical_path_graph_path { /* of what, and how it is looked for */
    uint32_t thread;
    uint64_t from_ns, to_ns;
    size_t most_steps; /* 0: any number */
    /* Asked now and then: at_ns is how far it is. False: leave it. May be NULL. */
    bool (*goes_on)(void *context, uint64_t at_ns);
    void *context;
};

/*
 * The critical path, without any other waits in memory than those on it, which are added.
 *   returns  as rv_critical_path_take()
 */
struct rv_critical_path_step *rv_critical_path_graph_take_path(struct rv_critical_path_graph *graph,
                                                               const struct rv_critical_path_graph_path *path,
                                                               size_t *n);

#endif
