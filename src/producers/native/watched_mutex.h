/*
 * The mutex that a runtime watches: it guards the turns of its threads (Ruby's GVL).
 *
 *   M1 -> M2  the runtime's function before the mutex
 */
#ifndef RV_PRODUCERS_NATIVE_WATCHED_MUTEX_H
#define RV_PRODUCERS_NATIVE_WATCHED_MUTEX_H

#include <stdbool.h>
#include <stddef.h>

#include "producers/native/visibility.h"

/* [atomic] NULL: none, rv_watched_any: every one. */
RV_HIDDEN extern const void *rv_watched_mutex;
RV_HIDDEN extern const char rv_watched_any;

/* The process's mutexes are seen (lock_functions.c): set before threads start. */
RV_HIDDEN extern bool rv_watched_mutex_is_seen;

/* The calling thread waits for a condition with the mutex, or releases it. */
RV_HIDDEN void rv_watched_mutex_say(const void *mutex, bool is_waiting);

static inline bool rv_watched_mutex_is(const void *mutex)
{
    const void *watched = __atomic_load_n(&rv_watched_mutex, __ATOMIC_ACQUIRE); /* M2 <- M1 */
    return __builtin_expect(watched != NULL, 0) && (watched == mutex || watched == &rv_watched_any);
}

static inline void rv_watched_mutex_tell(const void *mutex, bool is_waiting)
{
    if (rv_watched_mutex_is(mutex))
        rv_watched_mutex_say(mutex, is_waiting);
}

#endif
