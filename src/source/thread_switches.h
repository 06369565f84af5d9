/*
 * The context switches of the threads that have rings (source/context_switches.h), put among the events of their rings.
 * All functions: drain thread.
 */
#ifndef RV_SOURCE_THREAD_SWITCHES_H
#define RV_SOURCE_THREAD_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/context_switches.h"
#include "source/live_ring.h"

struct rv_thread_switches {               /* zeroed = none are shown */
    struct rv_context_switches *reported; /* by the kernel; taken. NULL: none */
    bool has_wakes;                       /* it reports wakes, too */
    struct rv_event *taken;               /* of a thread, to be put among its events */
    size_t taken_capacity;
    struct rv_event *merged; /* with these */
    size_t merged_capacity;
    uint64_t n_lost_told; /* as reported in events */
    uint64_t read_ticks;  /* what happened before is read */
    bool are_missing_said;
};

/* Show these; taken, NULL: none. Before all else. */
void rv_thread_switches_report(struct rv_thread_switches *switches, struct rv_context_switches *reported);
void rv_thread_switches_fini(struct rv_thread_switches *switches);

/* Read what the kernel has reported: once a turn, before the rings. */
void rv_thread_switches_read(struct rv_thread_switches *switches, const struct rv_clock *clock);

/* Should the next reading be soon: are the kernel's buffers filling up, or more threads shown with each reading? */
bool rv_thread_switches_is_busy(const struct rv_thread_switches *switches);

/* Did the kernel's buffers hold little at the last reading? */
bool rv_thread_switches_is_light(const struct rv_thread_switches *switches);

/* The ring's thread begins, in a program that was born at these ticks; has ended. */
void rv_thread_switches_claim(struct rv_thread_switches *switches, const struct rv_live_ring *slot,
                              uint64_t born_ticks);
void rv_thread_switches_forget(struct rv_thread_switches *switches, const struct rv_live_ring *slot);

/* The number of the ring that the thread's switches belong to; UINT32_MAX: none. */
uint32_t rv_thread_switches_ring(const struct rv_thread_switches *switches, uint32_t tid);

/* The time up to which the thread's switches come before all events still to be popped; the ring was empty in the turn
 * that began at these ticks. */
uint64_t rv_thread_switches_until(const struct rv_live_ring *slot, uint64_t turn_ticks);

/*
 * Append popped events and the thread's switches, by time. Sets wakers of popped waits, where the kernel reports them.
 *   until    switches up to here come before all events still to be popped; 0: those up to the last popped one
 *   returns  the batch with the last ones
 */
struct rv_batch *rv_thread_switches_append(struct rv_thread_switches *switches, struct rv_live_ring *slot,
                                           struct rv_batch *batch, struct rv_event *popped, size_t n_popped,
                                           uint64_t until, const struct rv_intake *intake);

/* The thread makes no calls now: hand its switches over, up to `until`. */
void rv_thread_switches_send(struct rv_thread_switches *switches, struct rv_live_ring *slot, uint64_t until,
                             const struct rv_intake *intake);

/* Name those that woke threads and are not traced, once a turn. */
void rv_thread_switches_tell_wakers(struct rv_thread_switches *switches, const struct rv_intake *intake);

/* How many are lost, and not reported in events yet. */
uint64_t rv_thread_switches_n_lost(const struct rv_thread_switches *switches);

#endif
