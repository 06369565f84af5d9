/* How much sooner a critical path's end would have come, had something been free (export/if_free.h): by all calls of its
 * time. */
#ifndef RV_EXPORT_SAVINGS_H
#define RV_EXPORT_SAVINGS_H

#include "model/subroutines.h"
#include "waits/graph.h"

struct rv_saving {
    bool is_object;         /* waits of this kind for an object, else the own time of a subroutine */
    enum rv_wait_kind kind; /* of an object */
    uint32_t id;
    uint64_t saved_ns; /* set by the measurement */
};

struct rv_savings; /* opaque: a path's threads, and the own times of subroutines between their moments */

struct rv_savings_params {             /* what they point to outlives it */
    const struct rv_path_params *path; /* of the graph */
    const struct rv_wait_graph *graph;
    const uint32_t *as_id; /* of each subroutine: the one that it is counted as */
    uint32_t n_ids;
};

struct rv_savings *rv_savings_create(const struct rv_savings_params *params);
void rv_savings_destroy(struct rv_savings *savings); /* NULL-safe */

/*
 * Add the time of a thread, once for each: stretches of it with the subroutine that ran itself, the latest first and
 * without gaps, as rv_innermost_calls_read() passes them.
 */
void rv_savings_begin_thread(struct rv_savings *savings, uint32_t thread);
void rv_savings_pass(struct rv_savings *savings, uint32_t id, uint64_t from_ns, uint64_t to_ns);
void rv_savings_end_thread(struct rv_savings *savings);

/* Measure all of them, each for itself, when all threads were added. */
void rv_savings_measure(struct rv_savings *savings, struct rv_saving *all, size_t n);

#endif
