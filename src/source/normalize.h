/*
 * Converts popped events for the scan: a ring's bytes are untrusted, the scan's invariants must hold. Ticks become ns
 * here; later stages see nanoseconds only.
 */
#ifndef RV_SOURCE_NORMALIZE_H
#define RV_SOURCE_NORMALIZE_H

#include "base/clock.h"
#include "source/capture_filter.h"
#include "source/name_map.h"
#include "stream/batch.h"

struct rv_normalizer {
    const struct rv_clock *clock; /* clock of the popped ticks */
    struct rv_symbolizer *symbolizer;
    struct rv_symbolizer_process *process;
    struct rv_name_map *names;
    struct rv_capture_filter *filter;       /* or NULL */
    struct rv_verdict_publisher *publisher; /* publishes the filter's verdicts to producers; or NULL */
    uint32_t process_idx;                   /* index in the trace file's process table */
    bool has_texts;                         /* ids of ARGUMENTS are those of texts; else all are removed */
    uint64_t last_ns;                       /* of the stream's last event: times never fall */
    uint64_t last_call_ns;                  /* of the stream's last call or return, which ARGUMENTS belong to */
    uint64_t n_late;                        /* ARGUMENTS left out, since they were too far behind their call */
    bool leaves_out;                        /* the filter has left out the last event, and so its ARGUMENTS */
    bool has_call_site; /* with a filter: the place of the next call is held until that call comes */
    struct rv_event call_site;
};

/* Ticks to ns, saturated to an event's 60 bits. */
uint64_t rv_normalize_time(const struct rv_clock *clock, uint64_t ticks);

/*
 * Append popped events to a batch (n_popped <= RV_BATCH_EVENTS - batch->n):
 *   arguments without a text are removed; ticks become ns, falling times are raised to their predecessor's (SYNC keeps
 *   its own: it describes the past); addresses and name ids become symbolizer ids; filtered subroutines are removed;
 *   specials are listed. Sets n, n_specials, the padding, and base_ns if the batch was empty.
 *   returns  number of popped events consumed: those RV_BATCH_NS or more above base go to the next batch, and the last
 *            one of a full batch, where the filter holds the place of a call
 */
uint32_t rv_normalize(struct rv_normalizer *normalizer, struct rv_batch *batch, const struct rv_event *popped,
                      uint32_t n_popped);

/* Start an empty batch with a LOST event of n events. */
void rv_normalize_loss(struct rv_normalizer *normalizer, struct rv_batch *batch, uint32_t n);

#endif
