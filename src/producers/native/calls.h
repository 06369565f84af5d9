/* Pushes of calls and returns: the shadow stack gives them their tags, while the cursor is poisoned. */
#ifndef RV_PRODUCERS_NATIVE_CALLS_H
#define RV_PRODUCERS_NATIVE_CALLS_H

#include "producers/native/thread.h"

/*
 * The rest of a push that has begun, which is not written where its call is nested too deep.
 *   kind     a CALL or a RETURN
 *   frame    as the shadow stack gave it
 *   stack    what the push began with
 *   next     what its begin returned, or rv_push_next()
 *   returns  the event's ticks; 0 where it is not in the ring yet
 */
RV_HIDDEN uint64_t rv_calls_push(enum rv_event_kind kind, const struct rv_shadow_frame *frame, uint64_t stack,
                                 uint64_t next);

/* The same where the shadow stack has to be looked at more closely, or is not there. call: as for rv_shadow_enter();
 * next: rv_push_next(). */
RV_HIDDEN uint64_t rv_calls_push_slow(enum rv_event_kind kind, const struct rv_shadow_frame *call, uint64_t stack,
                                      uint64_t next);

#endif
