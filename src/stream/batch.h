/* A batch: up to RV_BATCH_EVENTS events of one stream, on their way from a source to the scan. */
#ifndef RV_STREAM_BATCH_H
#define RV_STREAM_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

#define RV_BATCH_EVENTS 16384u
#define RV_BATCH_PADDING 8u
/* Greatest time span of a batch: the scan's offsets are 32 bits and need headroom. */
#define RV_BATCH_NS (1ull << 31)

struct rv_batch {
    void *stream;      /* opaque, from rv_intake.open_stream */
    uint64_t sequence; /* 0, 1, 2... within the stream, set by the pipeline on submit */
    uint64_t base_ns;  /* times (rv_event_ticks()) are ns, never fall and lie in [base, base + RV_BATCH_NS) */
    uint32_t n;
    uint32_t n_specials;     /* events that are not CALL or RETURN */
    bool is_open;            /* only describes calls that were open at the beginning: no events of the program */
    bool is_retold;          /* describes a gap in the recording and the calls open after it; not counted as events */
    struct rv_event *events; /* RV_BATCH_EVENTS + RV_BATCH_PADDING, 64-byte aligned; see rv_batch_init() */
    uint32_t *specials;      /* increasing indices, room for as many as events without the padding */
};

/* Allocate the arrays of a zeroed batch, for RV_BATCH_EVENTS or, where they are copied to, fewer; NULL-safe release. */
void rv_batch_init(struct rv_batch *batch, uint32_t most_events);
void rv_batch_fini(struct rv_batch *batch);

/* Copy a sealed batch to one with room for its events. */
void rv_batch_copy(struct rv_batch *to, const struct rv_batch *from);

/*
 * Copy events of a file into an empty batch and seal it: a time below its predecessor's (*last at first) is raised to
 * it, kinds that only live rings have are dropped.
 *   returns  events consumed, at least one when n > 0
 */
uint32_t rv_batch_fill(struct rv_batch *batch, const struct rv_event *events, uint32_t n, uint64_t *last_ns);

/*
 * The same in place, for an array that nobody else needs: it becomes the batch's. Only batch->specials is set before,
 * with room for RV_BATCH_EVENTS. RV_BATCH_PADDING readable events follow the last.
 */
uint32_t rv_batch_fit(struct rv_batch *batch, struct rv_event *events, uint32_t n, uint64_t *last_ns);

/* Is the id of such an event, of a batch, an id of a name? In a ring, those of arguments and waits are not yet. Not for
 * the events of a stack preamble. */
static inline bool rv_batch_has_name(const struct rv_event *event)
{
    const unsigned kind = rv_event_kind(event);
    return kind <= RV_EVENT_RETURN || rv_event_has_name(event) || kind == RV_EVENT_ARGUMENTS || kind == RV_EVENT_WAIT;
}

/* Is this special a note of its lane? SWITCH, LINE, SYNC, and steps of flows and tasks are not. */
bool rv_batch_is_noted(const struct rv_event *special);

/* Is this special a change of state by the kernel's scheduler? It is no event of the program. */
static inline bool rv_batch_is_switch(const struct rv_event *special)
{
    return rv_event_kind(special) == RV_EVENT_THREAD && special->aux >= RV_THREAD_RUNNING &&
           special->aux <= RV_THREAD_UNKNOWN;
}

/* After events from `first` on were appended: list their specials and zero the padding, as the scan requires. */
void rv_batch_seal(struct rv_batch *batch, uint32_t first);

#endif
