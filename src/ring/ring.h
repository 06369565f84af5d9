/*
 * One ring: a single-producer single-consumer queue of events in shared memory, and what happens when it is full.
 *
 * head and tail are free-running 64-bit event counts. Orderings, each with its partner:
 *   P1 -> C1  producer publishes head after the events' bytes; consumer reads head before the bytes
 *   C2 -> P2  consumer publishes tail after copying; producer reads tail before it overwrites
 *   P3 -> C3  a producer that passes tail (policy ring, or block without a consumer) publishes head before the bytes of
 *             the next lap; the consumer copies, then reads head again and discards what may have been overwritten
 *   P4 -> C4  a producer that no longer passes tail says so after the head of the last event that did; the consumer
 *             asks before it reads head
 *   W1 -> W2  the consumer says that it sleeps, then waits; a producer bumps consumer_wake, then asks if it sleeps
 *
 * tests/model/ring.pml checks the first four, for every policy, on a processor that reorders stores and loads.
 *
 * The producer's fast path is ring/push.h: one clock read, one 16-byte store, one publish. This file is its slow
 * path and the consumer's side.
 */
#ifndef RV_RING_RING_H
#define RV_RING_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

/* A view of a ring. Pointers, so that a stress test can put both sides on one mapping. */
struct rv_ring {
    struct rv_wire_header *header;
    struct rv_wire_control *control;
    struct rv_event *events;
    uint32_t n_events; /* power of two */
    enum rv_policy policy;
    enum rv_clock_kind clock_kind;
    uint64_t tail; /* the consumer's own: what the file has of it is for the producer, and anybody can write over it */
    struct rv_map *map; /* from which the producer gets pages; NULL: all are there */
};

/* To read on from where the file says that reading ended. */
void rv_ring_view(struct rv_ring *ring, struct rv_map *map, uint32_t ring_idx);

/* What a drain found besides plain events. */
struct rv_ring_read {
    size_t n;               /* events copied */
    uint64_t n_overwritten; /* events lost just before the first copied one (policy ring, or a head that jumped) */
};

/*
 * Move up to max events out of the ring, oldest first.
 *   out      room for max events; only the returned count is written
 *   thread   the ring's one consumer
 * A head that lies (behind tail, or more than a ring ahead) is taken as: nothing there, or the newest n_events only.
 */
struct rv_ring_read rv_ring_pop(struct rv_ring *ring, struct rv_event *out, size_t max);

/* As pop, but leaves the ring as it is: observers of a live file. Validates after copying; discards what may be torn.
 */
struct rv_ring_read rv_ring_peek(const struct rv_ring *ring, uint64_t *cursor, struct rv_event *out, size_t max);

/*
 * Consumer, before each turn: what a stray write has done to head or tail must not leave a `block` producer waiting for
 * ever. The tail in the file becomes ours again; a head that lies behind it is read on from.
 *   returns  true when there was something to put right
 */
bool rv_ring_settle(struct rv_ring *ring);

/* Events waiting now. Consumer. */
uint64_t rv_ring_n_waiting(const struct rv_ring *ring);

/* Exact once the owner is done: produced == consumed + dropped. LOST marks written by the producer do not count. */
struct rv_ring_account {
    uint64_t n_produced, n_consumed, n_dropped;
};
struct rv_ring_account rv_ring_account(const struct rv_ring *ring);

/* The same of a ring whose owner is gone, which takes along what handlers had stashed. */
struct rv_ring_account rv_ring_last_account(const struct rv_ring *ring);

/* Tell a sleeping consumer that there is something new. Producers' slow paths; async-signal-safe, keeps errno. */
void rv_ring_wake_consumer(struct rv_wire_header *header);

/* After each turn over all rings: bump drain_turns and wake producers that wait for room; renew the heartbeat. */
void rv_ring_turn_done(struct rv_wire_header *header);

#endif
