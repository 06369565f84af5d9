/*
 * Sums up a piece of a stack's time by its events: of each subroutine its own time, and that with callees. Stretches
 * with a given time in them are left out of the sums, and given with the calls that were open. A stretch is a time
 * between two calls or returns.
 */
#ifndef RV_SCAN_EVENT_FOLDING_H
#define RV_SCAN_EVENT_FOLDING_H

#include "scan/event_piece.h"

struct rv_event_folding; /* opaque: folds one piece after another */

/* as_id: of each subroutine below n_ids the one that it is counted as; borrowed. NULL, 0: see
 * rv_event_folding_grow(). */
struct rv_event_folding *rv_event_folding_create(const uint32_t *as_id, uint32_t n_ids);
void rv_event_folding_destroy(struct rv_event_folding *folding); /* NULL-safe */

/* Count each subroutine below n_ids, or a higher number of before, as itself. Not with as_id. */
void rv_event_folding_grow(struct rv_event_folding *folding, uint32_t n_ids);

#define RV_FOLDED_OUTSIDE UINT32_MAX /* in place of a subroutine: time outside of calls */

struct rv_folded_sum { /* of a subroutine, between two stretches that are left out */
    uint32_t id;
    uint64_t own_ns, n, total_ns; /* n: stretches; total_ns: with callees, each time once */
};

/* Takes a piece in order of time: sums of n_ns, if they are not 0, between any two stretches. */
struct rv_event_folding_taker {
    void (*take_sums)(void *context, uint64_t n_ns, const struct rv_folded_sum *sums, size_t n);
    /* open: the calls, as what they are counted; the innermost is the last one */
    void (*take_stretch)(void *context, uint64_t n_ns, const uint32_t *open, size_t n);
    void *context;
};

/*
 * Fold a piece; times_ns: in stretches that are left out, rising.
 *   returns  false: the events are not the calls and returns of one stack, each return that of the innermost call, or
 *            of a subroutine that is not known; what was taken does not count
 */
bool rv_event_folding_fold(struct rv_event_folding *folding, const struct rv_event_piece *piece,
                           const uint64_t *times_ns, size_t n_times, const struct rv_event_folding_taker *taker);

#endif
