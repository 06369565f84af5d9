/* How much sooner a critical path's end would have come, had something been free (export/what_if.h): by all calls of
 * its time. */
#ifndef RV_EXPORT_SAVINGS_H
#define RV_EXPORT_SAVINGS_H

#include "export/what_if.h"
#include "model/subroutines.h"
#include "waits/critical_path_graph.h"

struct rv_saving {
    bool is_object;         /* waits of this kind for an object, else the own time of a subroutine */
    enum rv_wait_kind kind; /* of an object */
    uint32_t id;
    uint64_t saved_ns; /* set by the measurement */
};

struct rv_savings; /* opaque: a path's threads, and the own times of subroutines between their moments */

struct rv_savings_params {                      /* what they point to outlives it */
    const struct rv_critical_path_params *path; /* of the graph */
    const struct rv_critical_path_graph *graph;
    const uint32_t *as_id; /* of each subroutine: the one that it is counted as */
    uint32_t n_ids;
};

struct rv_savings *rv_savings_create(const struct rv_savings_params *params);
void rv_savings_destroy(struct rv_savings *savings); /* NULL-safe */

/* A thread's moments, in order of time: between two of them, own times are summed. */
const struct rv_what_if_moment *rv_savings_moments(const struct rv_savings *savings, uint32_t thread, size_t *n);

/*
 * A piece of a thread's time, as lists of own times, the latest first: each begins at one of the thread's moments if
 * its has_moment says so, else where the piece begins, or the next list has more of the same time.
 */
struct rv_savings_piece { /* zeroed = no list */
    uint32_t thread;
    uint64_t to_ns;
    size_t n_moments; /* of the thread until to_ns */
    uint8_t *bytes;
    size_t n_bytes, capacity;
};

struct rv_own_time {
    uint32_t id; /* of a subroutine, as as_id has it */
    uint64_t own_ns;
};

void rv_savings_piece_put(struct rv_savings_piece *piece, const struct rv_own_time *times, size_t n, bool has_moment);

/* Take a piece. Those of a thread do not overlap, and are added in any order; what lies between them is nobody's
 * time. */
void rv_savings_add(struct rv_savings *savings, const struct rv_savings_piece *piece);

/* Measure all of them, each for itself, when all pieces were added. */
void rv_savings_measure(struct rv_savings *savings, struct rv_saving *all, size_t n);

#endif
