/* A batch: up to RV_BATCH_EVENTS events of one stream, as they go from a source to the scan. */
#ifndef RV_FLOW_BATCH_H
#define RV_FLOW_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

#define RV_BATCH_EVENTS 16384u
#define RV_BATCH_PADDING 8u
/* The scan's offsets are 32 bits, and it wants headroom. */
#define RV_BATCH_NS (1ull << 31)

struct rv_batch {
    void *stream;      /* the pipeline's, from rv_intake.open_stream */
    uint64_t sequence; /* 0, 1, 2... within the stream, set by the pipeline on submit */
    uint64_t base_ns;  /* times (rv_event_ticks()) are ns, never fall and lie in [base, base + RV_BATCH_NS) */
    uint32_t n;
    uint32_t n_specials;     /* events that are not CALL or RETURN */
    bool is_open;            /* they tell what is open already: nothing that happened */
    bool is_retold;          /* they describe a hole in what was recorded, and what is open behind it: no events of the
                                thread's, which are counted without them */
    struct rv_event *events; /* RV_BATCH_EVENTS + RV_BATCH_PADDING, 64-byte aligned */
    uint32_t *specials;      /* rising indices, room for RV_BATCH_EVENTS */
};

/* Allocate the arrays of a zeroed batch; NULL-safe release. */
void rv_batch_init(struct rv_batch *batch);
void rv_batch_fini(struct rv_batch *batch);

/*
 * Copy events that a file gives into an empty batch, as the scan wants them: a time that falls is moved up to *last
 * and that follows, kinds that only live rings have are left out. Sealed.
 *   returns  events dealt with, at least one of n > 0
 */
uint32_t rv_batch_fill(struct rv_batch *batch, const struct rv_event *events, uint32_t n, uint64_t *last_ns);

/*
 * The same in place, for batches of events that nobody else wants any more: of `batch` only specials was set, which has
 * room for RV_BATCH_EVENTS; its events are now these. RV_BATCH_PADDING that can be read follow the last.
 */
uint32_t rv_batch_fit(struct rv_batch *batch, struct rv_event *events, uint32_t n, uint64_t *last_ns);

/* After the last event: list the specials and zero the padding, as the scan wants them. */
void rv_batch_seal(struct rv_batch *batch);

#endif
