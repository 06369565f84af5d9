/*
 * Folded time of the threads of a recording (export/folded_pieces.h) that its recorder has summed up in the index: all
 * calls between the moments at which threads waited, woke others or left a CPU.
 */
#ifndef RV_EXPORT_RECORDED_FOLDS_H
#define RV_EXPORT_RECORDED_FOLDS_H

#include "export/folded_pieces.h"
#include "export/lane_calls.h"

struct rv_recorded_folds; /* opaque */

struct rv_recorded_folds_params {
    const struct rv_lane_calls *calls;
    const uint32_t *as_id; /* of each subroutine: the one that it is counted as */
    uint32_t n_ids;
    uint64_t from_ns, to_ns; /* time that overlaps this */
    uint64_t most_bytes;     /* of all pieces */
};

/* Read those that there are. Pieces in which two subroutines are counted as one are left out, and those beyond the most
 * bytes. */
struct rv_recorded_folds *rv_recorded_folds_create(const struct rv_recorded_folds_params *params);
void rv_recorded_folds_destroy(struct rv_recorded_folds *folds); /* NULL-safe */

/* The pieces of a lane, in order of time; valid until destroy. */
const struct rv_folded_time *rv_recorded_folds_of(const struct rv_recorded_folds *folds, const struct rv_lane *lane,
                                                  size_t *n);

#endif
