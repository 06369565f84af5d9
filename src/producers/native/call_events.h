/*
 * Pushes of calls and returns: the shadow stack gives them their tags, while the cursor is poisoned.
 *
 * Where depth is limited, frames count the calls that count for it. A function without a verdict does not: more is
 * written than need be, never less; once it has one, the counts are corrected (rv_shadow_count_kept).
 */
#ifndef RV_PRODUCERS_NATIVE_CALL_EVENTS_H
#define RV_PRODUCERS_NATIVE_CALL_EVENTS_H

#include "producers/native/process.h"
#include "producers/native/thread.h"

static inline bool rv_call_events_are_limited(void)
{
    return __builtin_expect(rv_gate_is_limited(rv_process_gate()), 0);
}

/* Does the ring record where calls are made? */
static inline bool rv_call_events_have_sites(void)
{
    return __builtin_expect(rv_thread.pusher.has_call_sites, 0);
}

/* Does a call count for the limit of depth? Only while there is a limit. */
RV_HIDDEN bool rv_call_events_is_kept(const struct rv_shadow_frame *frame);

/*
 * A push of a call has begun: cancel it where a verdict rejects the function. The quick paths have checked that
 * already, except where depth is limited and the top frame is too deep, which may have been left.
 */
RV_HIDDEN bool rv_call_events_leave_out_limited(uint64_t function, uint64_t next);
static inline bool rv_call_events_leave_out(uint64_t function, uint64_t next)
{
    return rv_call_events_are_limited() && rv_call_events_leave_out_limited(function, next);
}

/*
 * Set the count of a new call's frame, now the top; false: the call is too deep to be written. Only while depth is
 * limited.
 */
RV_HIDDEN bool rv_call_events_count_kept(struct rv_shadow_frame *frame);

/* Whether a call that begins while this frame is the top is too deep to be written. */
static inline bool rv_call_events_is_too_deep(intptr_t gate, const struct rv_shadow_frame *top)
{
    return rv_gate_is_limited(gate) && rv_shadow_n_kept(top) >= rv_process_limit;
}

/* Begin a push; what rv_push_begin() returns, or rv_push_next() where the quick way does not apply. */
static inline uint64_t rv_call_events_begin(uint64_t stack)
{
    (void)rv_thread_gate();
    const uint64_t next = rv_push_begin(&rv_thread.pusher, stack);
    return next < rv_thread.pusher.limit ? next : rv_push_next(&rv_thread.pusher, stack);
}

/*
 * The rest of a push that has begun, which is not written where its call is nested too deep.
 *   kind     a CALL or a RETURN
 *   frame    as the shadow stack gave it
 *   stack    what the push began with
 *   next     what rv_call_events_begin() returned
 *   returns  the event's ticks; 0 where it is not in the ring yet
 */
RV_HIDDEN uint64_t rv_call_events_push(enum rv_event_kind kind, const struct rv_shadow_frame *frame, uint64_t stack,
                                       uint64_t next);

/* A frame of a runtime has ended: write the returns of functions that have returned below it. stack: as for a push. */
RV_HIDDEN void rv_call_events_push_returned(uint64_t stack);

/* The slow path: the shadow stack must fall or grow, or there is none. call: as for rv_shadow_enter();
 * next: rv_push_next(). */
RV_HIDDEN uint64_t rv_call_events_push_slow(enum rv_event_kind kind, const struct rv_shadow_frame *call, uint64_t stack,
                                            uint64_t next);

#endif
