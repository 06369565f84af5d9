/*
 * One ring: a single-producer single-consumer queue of events in shared memory, and what happens when it is full.
 *
 * head and tail are free-running 64-bit event counts. Orderings, each with its partner:
 *   P1 -> C1  producer publishes head after the events' bytes; consumer reads head before the bytes
 *   C2 -> P2  consumer publishes tail after copying; producer reads tail before it overwrites
 *   P3 -> C3  a producer that passes tail (policy ring, or block without a consumer) publishes head before the bytes of
 *             the next lap; the consumer copies, then reads head again and discards what may have been overwritten
 *   P4 -> C4  a producer that stops passing tail clears is_overwriting after publishing the last such head; the
 *             consumer reads is_overwriting before head
 *   W1 -> W2  the consumer sets consumer_is_asleep, then waits; a producer bumps consumer_wake, then reads it
 *   W3 -> W4  the same with n_new_rings, which the consumer reads before a long wait
 *
 * tests/model/ring.pml checks the first four for every policy under a weak memory model.
 *
 * The producer's fast path is ring/push.h, its slow path ring/push.c; this file is the consumer's side.
 */
#ifndef RV_RING_RING_H
#define RV_RING_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

/* A view of a ring. Holds pointers, so that a stress test can put both sides on one mapping. */
struct rv_ring {
    struct rv_wire_header *header;
    struct rv_wire_control *control;
    struct rv_event *events;
    uint32_t n_events; /* power of two */
    enum rv_policy policy;
    enum rv_clock_kind clock_kind;
    bool has_call_sites;
    uint64_t tail; /* the consumer's own; the copy in the file is for the producer and may be overwritten by anybody */
    struct rv_map *map; /* the producer allocates pages through it; NULL: all are allocated */
    bool reads_file;    /* the consumer reads the first events from the map's file */
    uint8_t *texts;     /* ring/texts.h */
    uint32_t n_text_bytes;
};

/* Fill the view; reading continues at the tail in the file. */
void rv_ring_view(struct rv_ring *ring, struct rv_map *map, uint32_t ring_idx);

/* Result of a read. */
struct rv_ring_read {
    size_t n;               /* events copied */
    uint64_t n_overwritten; /* events lost just before the first copied one (policy ring, or a head that jumped) */
};

/*
 * Move up to max events out of the ring, oldest first.
 *   out      room for max events; only the returned count is written
 *   thread   the ring's one consumer
 * An invalid head, behind tail or more than a ring ahead of it, yields nothing or the newest n_events.
 */
struct rv_ring_read rv_ring_pop(struct rv_ring *ring, struct rv_event *out, size_t max);

/* As pop, but does not change the ring: for observers of a live file. Events that may be torn are discarded.
 */
struct rv_ring_read rv_ring_peek(const struct rv_ring *ring, uint64_t *cursor, struct rv_event *out, size_t max);

/*
 * Consumer, before each turn: repair head and tail after a stray write, which must not leave a `block` producer waiting
 * for ever. Our tail is stored again; a head behind it becomes the new position.
 *   returns  true when something was repaired
 */
bool rv_ring_settle(struct rv_ring *ring);

/* Events waiting now. Consumer. */
uint64_t rv_ring_n_waiting(const struct rv_ring *ring);

/* Event counts. Exact once the owner is done: produced == consumed + dropped. LOST events are not counted. */
struct rv_ring_account {
    uint64_t n_produced, n_consumed, n_dropped;
};
struct rv_ring_account rv_ring_account(const struct rv_ring *ring);

/* The same for a ring whose owner is gone; stashed events count as lost with it. */
struct rv_ring_account rv_ring_last_account(const struct rv_ring *ring);

/* Wake the consumer if it sleeps. Producers' slow paths; async-signal-safe, keeps errno. */
void rv_ring_wake_consumer(struct rv_wire_header *header);

/* The same for a ring that is new, or has its first event: wakes a consumer only from a long nap. */
void rv_ring_announce(struct rv_wire_header *header);

/* After each turn over all rings: bump drain_turns, wake waiting producers, renew the heartbeat. */
void rv_ring_turn_done(struct rv_wire_header *header);

#endif
