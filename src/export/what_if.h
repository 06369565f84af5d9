/*
 * When a thread would have got where it got, had something been free: a subroutine's own time, or waits for a lock.
 * Computed anew in the order of what depends on what, not subtracted: what becomes shorter may have run beside what
 * does not.
 *
 * What is assumed: all that is not free takes as long as it did, however many threads then run at once; a wait ends
 * when its waker gets to where it acted, but not before its thread has come to wait, and what passed between the wake
 * and the end is kept; a wait without a known waker takes as long as it did. Before the path's begin nothing is free.
 */
#ifndef RV_EXPORT_WHAT_IF_H
#define RV_EXPORT_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/critical_path_walk.h"

struct rv_what_if; /* opaque */

/*
 * For the path's thread at its end. path and what it points to outlive it; _destroy is NULL-safe. O(waits log waits).
 */
struct rv_what_if *rv_what_if_create(const struct rv_critical_path_params *path);
void rv_what_if_destroy(struct rv_what_if *if_free);

struct rv_what_if_moment { /* of a thread: where a wait begins or ends, or something on which others depend */
    uint64_t at_ns;
    uint32_t thread;
    int n_waits; /* that the thread is in after it */
    size_t idx;  /* below rv_what_if_n_moments() */
};

/* The moments of a thread, in order of time. */
const struct rv_what_if_moment *rv_what_if_moments(const struct rv_what_if *if_free, uint32_t thread, size_t *n);
size_t rv_what_if_n_moments(const struct rv_what_if *if_free);

/* What is free; zeroed = nothing. */
struct rv_what_if_free {
    const uint64_t *freed_ns; /* of each moment: its thread's time that is free, from the path's begin on, outside of
                                 waits; NULL = none */
    bool (*is_free)(const void *context, size_t wait); /* this wait would not have been; NULL = all would */
    const void *context;
};

/* When the thread would have got to the path's end: at most the path's to_ns. O(waits). */
uint64_t rv_what_if_end_ns(struct rv_what_if *if_free, const struct rv_what_if_free *what);

#endif
