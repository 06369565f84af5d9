/*
 * The threads of a model and their waits, as critical paths are found in them (model/critical_path.h). A thread's parent
 * is the one that created it; where that is not known, the first thread of its process; of that, the first one of the
 * process that forked it. A thread begins with its first call, state or wait, such as that for its start; where none of
 * them is known, at 0.
 */
#ifndef RV_WAITS_GRAPH_H
#define RV_WAITS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/critical_path.h"
#include "model/lanes.h"
#include "waits/waits.h"

struct rv_wait_graph {
    struct rv_path_thread *threads;
    const struct rv_lane **lane_of; /* of each thread: that of its own stack; NULL: it came meanwhile */
    size_t n_threads;
    struct rv_wait_edge *edges; /* of the waits, by their number */
    struct rv_path_wait *waits;
    size_t n_waits;
    uint64_t n_more; /* waits and releases that were not kept */
};

/* What there is now. Any thread; _fini is safe on a zeroed one. */
void rv_wait_graph_init(struct rv_wait_graph *graph, struct rv_waits *waits, struct rv_lanes *lanes);
void rv_wait_graph_fini(struct rv_wait_graph *graph);

/* The thread that lasts longest until *to_ns, which is set to its end; RV_PATH_NONE: none has begun. */
uint32_t rv_wait_graph_last_thread(const struct rv_wait_graph *graph, uint64_t *to_ns);

#endif
