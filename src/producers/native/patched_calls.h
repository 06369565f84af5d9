/* What patched functions call at their begin, and what their returns arrive at. */
#ifndef RV_PRODUCERS_NATIVE_PATCHED_CALLS_H
#define RV_PRODUCERS_NATIVE_PATCHED_CALLS_H

#include <stdint.h>

#include "producers/native/visibility.h"

#if defined(__x86_64__) && defined(__LP64__)

/* Jumped to by a stub (patch/stubs.h), with all registers the patched function's; not to be called from C. */
RV_HIDDEN void rv_patched_enter(void);

/*
 * A call whose push has begun, and whose return address is to be replaced, where a quicker way does not do.
 *   slot      of its return address
 *   stack     what the push began with
 *   returns   the event's ticks; 0 where it is not in the ring yet
 */
RV_HIDDEN uint64_t rv_patched_push_call(uint64_t *slot, uint64_t stack, uint64_t function);

#endif
#endif
