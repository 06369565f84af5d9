/*
 * Which wake, of those that the kernel reports of a thread, ended a wait of it that no wrapper explains: the last one
 * in it.
 */
#ifndef RV_SOURCE_KERNEL_WAKES_H
#define RV_SOURCE_KERNEL_WAKES_H

#include <stdint.h>

#include "ringviz/wire.h"

/* The kernel in an interrupt, as a WOKEN has it. */
#define RV_KERNEL_WAKES_INTERRUPT (RV_WIRE_OUTSIDE | (uint32_t)RV_WAKE_EXACT << RV_EVENT_WAKE_SHIFT)

struct rv_kernel_wakes { /* of a thread; zeroed = none is known */
    uint64_t woke;       /* ticks of the last wake; 0: there was none */
    uint32_t waker;      /* as a WOKEN's id */
    uint32_t kind;       /* enum rv_wait_kind of the wait that has not ended, */
    uint32_t on;         /* and what for: its WAIT's id */
    uint64_t began;      /* its begin; of none, the end of the one before */
};

/* The thread's next wake (source/context_switches.h). */
static inline void rv_kernel_wakes_add(struct rv_kernel_wakes *wakes, const struct rv_event *wake)
{
    wakes->woke = rv_event_ticks(wake);
    wakes->waker = wake->id;
}

/* The thread's next WAIT or WOKEN. Sets the waker of a WOKEN that has none, or whose likely waker is a child that has
 * ended, and the moment of one whose time ran out. */
void rv_kernel_wakes_follow(struct rv_kernel_wakes *wakes, struct rv_event *event);

#endif
