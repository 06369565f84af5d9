/*
 * A ring of the live drain: the stream of its owner, and the way of its events into that stream's batches. All
 * functions: drain thread.
 */
#ifndef RV_SOURCE_LIVE_RING_H
#define RV_SOURCE_LIVE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/map.h"
#include "ring/ring.h"
#include "source/arguments.h"
#include "source/capture_control.h"
#include "source/kernel_wakes.h"
#include "source/normalize.h"
#include "source/process_title.h"
#include "source/source.h"

struct rv_live_ring {
    struct rv_map *map;
    uint32_t idx;
    struct rv_ring ring;
    struct rv_texts texts;
    struct rv_arguments_place arguments_place;
    uint64_t text_head; /* at the visit before */
    struct rv_normalizer normalizer;
    void *stream;        /* the pipeline's handle; NULL when none is open */
    uint32_t generation; /* of the claim that `stream` belongs or belonged to */
    uint32_t tid;
    uint32_t name_seen;            /* control.name_is_set at the name last reported */
    struct rv_process_title title; /* of a process's first thread */
    uint64_t n_dropped_said;
    struct rv_stream_account account; /* as last reported */
    bool is_owner_gone;               /* at this turn's check */
    bool is_drained;                  /* and all of its events have been read: its stream is to be closed */
    uint64_t alive_ticks;             /* of the last check at which its owner ran */
    uint64_t n_lost_ahead;            /* overwritten events to be reported before the next one */
    uint64_t n_added;                 /* events of context switches and marks of choices, which are not the ring's */
    bool has_called;                  /* switches before the thread's first event are not shown */
    bool is_refused;                  /* its switches may be missing, as it says */
    bool is_damage_said;
    struct rv_kernel_wakes wakes;
};

struct rv_live_rings {
    struct rv_live_ring *all; /* of the file */
    uint32_t n;               /* how many have been used; never falls */
};

/* The time, in ticks, at which the ring's thread ended, or tracing of it was stopped; 0 while it goes on. */
uint64_t rv_live_ring_ticks_at_end(const struct rv_live_ring *slot);

/* Acquire a batch; while waiting for the workers, keep the heartbeat moving. */
struct rv_batch *rv_live_ring_wait_for_batch(const struct rv_live_ring *slot, const struct rv_intake *intake);
void rv_live_ring_submit(const struct rv_live_ring *slot, struct rv_batch *batch, const struct rv_intake *intake);

/* Both return the batch with what was appended last, which is the next one where that must begin one, or the first is
 * full or covers too long a time. The loss is that of n_lost_ahead. */
struct rv_batch *rv_live_ring_append(struct rv_live_ring *slot, struct rv_batch *batch, const struct rv_event *events,
                                     size_t n, const struct rv_intake *intake);
struct rv_batch *rv_live_ring_append_loss(struct rv_live_ring *slot, struct rv_batch *batch,
                                          const struct rv_intake *intake);

/* Submit these events in batches of their own. */
void rv_live_ring_hand_over(struct rv_live_ring *slot, const struct rv_event *events, size_t n,
                            const struct rv_intake *intake);

/*
 * The call in which the thread has been killed, or still is, may have blocked: hand over a wait without an end.
 *   now      ticks
 *   returns  whether it may
 */
bool rv_live_ring_send_open_wait(struct rv_live_ring *slot, uint64_t now, const struct rv_intake *intake);

/* What is captured has changed. */
void rv_live_rings_use_capture(const struct rv_live_rings *rings, const struct rv_capture_control *capture);

#endif
