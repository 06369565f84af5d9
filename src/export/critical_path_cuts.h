/*
 * Times of subroutines in a piece of a thread's calls, which is passed backwards and cut: where the critical path comes
 * or goes, where savings want to know own times, and where the thread came back to a CPU.
 */
#ifndef RV_EXPORT_CRITICAL_PATH_CUTS_H
#define RV_EXPORT_CRITICAL_PATH_CUTS_H

#include "export/folded_pieces.h"
#include "export/lane_calls.h"
#include "export/savings.h"
#include "model/critical_path_walk.h"
#include "model/lanes.h"

struct rv_critical_path_time {        /* of a subroutine, as far as it was on the path */
    uint64_t n_ns, n;                 /* own time, and its stretches */
    uint64_t total_ns;                /* with callees */
    uint64_t blocked_ns, runnable_ns; /* the part of n_ns in which the thread did not run */
};

struct rv_critical_path_cuts_params {
    const uint32_t *as_id; /* of each subroutine: the one that it is counted as; borrowed */
    uint32_t n_ids;
    uint64_t from_ns; /* of the path */
    bool is_saving;   /* own times are wanted for savings */
};

struct rv_critical_path_cuts_thread { /* where its time is cut */
    const struct rv_lane *lane;       /* of its own stack */
    uint32_t idx;
    const struct rv_critical_path_step *steps; /* the path on it */
    const struct rv_what_if_moment *moments;
    size_t n_steps, n_moments;
};

struct rv_critical_path_cuts; /* opaque; of one piece after another */

struct rv_critical_path_cuts *rv_critical_path_cuts_create(const struct rv_critical_path_cuts_params *params);
void rv_critical_path_cuts_destroy(struct rv_critical_path_cuts *cuts);

/* A piece of a thread, whose time is passed from to_ns down to from_ns. thread: borrowed until the end. */
void rv_critical_path_cuts_begin(struct rv_critical_path_cuts *cuts, const struct rv_critical_path_cuts_thread *thread,
                                 uint64_t to_ns);
void rv_critical_path_cuts_end(struct rv_critical_path_cuts *cuts, uint64_t from_ns);

/* What struct rv_innermost_calls calls, with the cuts as context. */
void rv_critical_path_cuts_pass(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns);
void rv_critical_path_cuts_enter(void *context, const struct rv_span *call);
void rv_critical_path_cuts_leave(void *context, uint32_t id);

/* Fold the calls of the piece, which has begun, with room for its cuts. Its bytes are valid until the next one. */
struct rv_folded_time rv_critical_path_cuts_fold(struct rv_critical_path_cuts *cuts, const struct rv_span_piece *piece);

/* The same by its events: see rv_folding_fold_events(). Without bytes where it gives none. */
struct rv_folded_time rv_critical_path_cuts_fold_events(struct rv_critical_path_cuts *cuts,
                                                        const struct rv_event_piece *piece);

/* Are the cuts of the piece, which has begun, where its folded time is not summed up? Only then it can be passed. */
bool rv_critical_path_cuts_have_room(const struct rv_critical_path_cuts *cuts, const struct rv_folded_time *folded);
void rv_critical_path_cuts_pass_folded(struct rv_critical_path_cuts *cuts, const struct rv_folded_time *folded);

/* Own times in the piece that has ended; its bytes are the caller's. */
struct rv_savings_piece rv_critical_path_cuts_saved(const struct rv_critical_path_cuts *cuts);

/* Add the times of all pieces since the last take or drop to those of all subroutines, n_ids + 1; or forget them. */
void rv_critical_path_cuts_take(struct rv_critical_path_cuts *cuts, struct rv_critical_path_time *all);
void rv_critical_path_cuts_drop(struct rv_critical_path_cuts *cuts);

#endif
