/*
 * Who owns which ring: processes register, threads claim, the consumer reclaims.
 *
 * A ring goes FREE -> CLAIMED -> LIVE -> EXITED -> FREE by compare-and-swap on its state word. The owner process holds
 * an OFD lock on one byte per ring, through one fd per process: the kernel drops it at death, however the process died.
 * After fork the child must call rv_ownership_after_fork(), in the fork handler: until then it shares the parent's
 * locks and keeps its rings alive. A process that loses the lock without dying (closefrom) still counts as alive where
 * /proc shows that it runs, is the same image and has the file mapped.
 *
 * Orderings, each with its partner:
 *   D1 -> D2  owner words are complete before LIVE, exit words before EXITED; readers load state before them
 *   D3 -> D4  the consumer is done with a ring before FREE; a claimer sees FREE before it writes there
 *   X1 -> X2  a ring is EXITED before it is counted as left
 *   F1 -> F2  a ring is FREE before the hint that claims start their search from
 *   R1 -> R2  a thread has released a ring's lock byte before another thread of its process locks it
 *   T1 -> T2, T3 -> T4  a seqlock over the thread name
 *   H1 -> H2  the heartbeat is written before consumer_pid
 */
#ifndef RV_RING_OWNERSHIP_H
#define RV_RING_OWNERSHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/map.h"

/*
 * Claim a process entry for the calling process image and fill pid, start, parent, name, born_ticks.
 *   returns  index, or -ENOSPC
 *   thread   any, once per image
 */
int rv_ownership_enter_process(struct rv_map *map);

/* The image ended (exit) or is being replaced. Async-signal-safe. */
void rv_ownership_leave_process(struct rv_map *map, uint32_t process_idx);

/*
 * In the child of fork: reopen the file for locks of its own. No ring is owned afterwards.
 * Keeps the mapping (and thus every pointer) as it is. 0 or negative errno; async-signal-safe calls only.
 */
int rv_ownership_after_fork(struct rv_map *map);

/*
 * Claim a free ring for the calling thread: lock byte, state CLAIMED, the first pages, owner words, then LIVE. Under
 * `block` with a live consumer, waits up to ten seconds for an exited thread's ring to be drained and freed.
 *   returns  ring index; -ENOSPC when none is free or the disk is full (counted in n_threads_without_ring once
 *            per call)
 *   thread   any; never waits for a lock of another process
 */
int rv_ownership_claim(struct rv_map *map, uint32_t process_idx);

/* The same, for what differs from the calling thread, as of now. */
struct rv_ring_claim {
    uint32_t tid;        /* of a thread that is not the kernel's: RV_WIRE_FIRST_TID or above; 0: the caller's */
    uint64_t born_ticks; /* the earliest time of an event of the ring; 0: now */
};
int rv_ownership_claim_as(struct rv_map *map, uint32_t process_idx, const struct rv_ring_claim *as);

/* Is a ring probably free? Reads a hint, not the rings. Any process. */
bool rv_ownership_has_free_ring(const struct rv_map *map);

/*
 * Whether a claim may succeed: a ring is free, or will soon be. Takes the rings of owners that are gone, where nobody
 * drains them.
 *   thread   any; async-signal-safe, keeps errno
 */
bool rv_ownership_awaits_ring(struct rv_map *map);

/* A thread does without a ring, and has not tried to claim one. */
void rv_ownership_count_without_ring(struct rv_map *map);

/* Rings with an index below this may have an owner; the others were never claimed. Any process. */
uint32_t rv_ownership_n_rings_used(const struct rv_map *map);

/* Entries of processes with an index below this are in use, or were. Any process. */
uint32_t rv_ownership_n_processes(const struct rv_map *map);

/* The owner is done: state EXITED, lock byte released. The consumer drains what is left, then frees it. */
void rv_ownership_release(struct rv_map *map, uint32_t ring_idx);

/* True while a thread of this process holds the ring, through this map. */
bool rv_ownership_holds(const struct rv_map *map, uint32_t ring_idx);

/* True while some process holds the ring's lock byte. 0.7 us. Consumer or observer. */
bool rv_ownership_has_live_owner(const struct rv_map *map, uint32_t ring_idx);

/* The same for all rings at once: sets bits of rings with a live owner; the others may have one, too. */
void rv_ownership_find_live_owners(const struct rv_map *map, uint64_t *has_live_owner);

/*
 * Consumer only: repair a state word that a stray write has overwritten: it becomes LIVE with this generation.
 *   returns  false when the ring's lock byte is free, so its owner is not alive
 */
bool rv_ownership_revive(struct rv_map *map, uint32_t ring_idx, uint32_t generation);

/*
 * Consumer only, after a final drain of a ring whose owner exited or died: add its counts to the header's totals
 * and make it FREE.
 */
void rv_ownership_reclaim(struct rv_map *map, uint32_t ring_idx);

/* Make the ring FREE if it was never written to and its owner exited or died. Does nothing while a consumer is
 * attached. Any thread of any process. */
bool rv_ownership_recycle_ring(struct rv_map *map, uint32_t ring_idx);

/* Thread name, at most 63 bytes, under the control's seqlock. Owner thread. */
void rv_ownership_set_thread_name(struct rv_map *map, uint32_t ring_idx, const char *name);

/* Copy of the thread name, NUL-terminated, escaped for display (text.h). Any process. */
void rv_ownership_thread_name(const struct rv_map *map, uint32_t ring_idx, char out[64]);

/*
 * The draining consumer: at most one, by OFD lock and consumer_pid; each drain turn renews its heartbeat.
 *   attach returns 0 or -EBUSY (another process drains this file)
 */
int rv_ownership_attach_consumer(struct rv_map *map);
void rv_ownership_detach_consumer(struct rv_map *map);

#endif
