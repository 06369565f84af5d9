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

/* Is any mutex watched? */
static inline bool rv_watched_mutex_is_any(void)
{
    return __builtin_expect(__atomic_load_n(&rv_watched_mutex, __ATOMIC_RELAXED) != NULL, 0);
}

static inline void rv_watched_mutex_tell(const void *mutex, bool is_waiting)
{
    const void *watched = __atomic_load_n(&rv_watched_mutex, __ATOMIC_ACQUIRE); /* M2 <- M1 */
    if (__builtin_expect(watched != NULL, 0) && (watched == mutex || watched == &rv_watched_any))
        rv_watched_mutex_say(mutex, is_waiting);
}

#endif
