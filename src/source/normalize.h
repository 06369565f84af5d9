/*
 * Makes popped events fit for the scan: a ring's bytes are untrusted, the scan's invariants must hold. Ticks become ns
 * here; later stages see nanoseconds only.
 */
#ifndef RV_SOURCE_NORMALIZE_H
#define RV_SOURCE_NORMALIZE_H

#include "base/clock.h"
#include "flow/batch.h"
#include "source/capture_filter.h"
#include "source/name_map.h"

struct rv_normalizer {
    const struct rv_clock *clock; /* of the ticks of what is popped */
    struct rv_catalog *catalog;
    struct rv_catalog_process *process;
    struct rv_name_map *names;
    struct rv_capture_filter *filter; /* or NULL */
    struct rv_filter_told *told;      /* where producers learn what it stops; or NULL */
    uint32_t process_idx;             /* as producers know the process */
    uint64_t last_ns;                 /* of the stream: times never fall */
};

/* A time of the ring's in ns, as far as an event's 60 bits hold it. */
uint64_t rv_normalize_time(const struct rv_clock *clock, uint64_t ticks);

/*
 * Append popped events to an empty or begun batch (n_popped <= RV_BATCH_EVENTS - batch->n):
 *   unknown kinds are removed; ticks become ns, and those that fall are raised to their predecessor's (SYNC keeps its
 *   own: it describes the past); addresses and name ids become catalogue ids; filtered subroutines are removed; specials
 *   are listed. Sets n, n_specials, base_ns (of a batch that was empty) and the padding.
 *   returns  how many popped events were dealt with: those RV_BATCH_NS or more above base are for the next batch
 */
uint32_t rv_normalize(struct rv_normalizer *normalizer, struct rv_batch *batch, const struct rv_event *popped,
                      uint32_t n_popped);

/* Begin an empty batch with the word that n events of the stream were lost. */
void rv_normalize_loss(struct rv_normalizer *normalizer, struct rv_batch *batch, uint32_t n);

#endif
