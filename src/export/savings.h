/* How much sooner a critical path's end would have come, had something been free (export/if_free.h): by all calls of its
 * time. */
#ifndef RV_EXPORT_SAVINGS_H
#define RV_EXPORT_SAVINGS_H

#include "export/lane_calls.h"
#include "model/subroutines.h"
#include "waits/graph.h"

#define RV_SAVINGS_MOST_SUBROUTINES 5u

struct rv_saving {
    bool is_object;         /* waits of this kind for an object, else the own time of a subroutine */
    enum rv_wait_kind kind; /* of an object */
    uint32_t id;
    uint64_t saved_ns; /* set by the measurement */
};

struct rv_savings_params {
    const struct rv_path_params *path; /* of the graph */
    const struct rv_wait_graph *graph;
    const struct rv_lane_calls *calls;
    struct rv_subroutines *subroutines;
};

/*
 * Measure all of them, each for itself, in one pass over the calls.
 *   savings  n; of them at most RV_SAVINGS_MOST_SUBROUTINES subroutines
 *   returns  0, or a negative errno with one line printed
 */
int rv_savings_measure(const struct rv_savings_params *params, struct rv_saving *savings, size_t n);

#endif
