#include "producers/native/call_events.h"

#include "producers/native/rejected_functions.h"

/* Tags have 16 bits: of a fall by more, readers are shown the steps. */
#define MAX_FALL 32768u

/* Only while depth is limited. */
static enum rv_verdict verdict_of(uint64_t function)
{
    return rv_gate_verdict(rv_process_gate(), function);
}

bool rv_call_events_is_kept(const struct rv_shadow_frame *frame)
{
    return verdict_of(rv_shadow_is_api(frame) ? 0 : frame->word & RV_EVENT_ADDRESS_MASK) == RV_VERDICT_KEPT;
}

bool rv_call_events_leave_out_limited(uint64_t function, uint64_t next)
{
    if (next == RV_PUSH_NESTED || verdict_of(function) != RV_VERDICT_REJECTED)
        return false;
    rv_push_cancel(&rv_thread.pusher, next);
    return true;
}

bool rv_call_events_count_kept(struct rv_shadow_frame *frame)
{
    const uint32_t n_below = rv_shadow_n_kept(frame - 1), limit = rv_process_limit;
    rv_shadow_set_n_kept(frame, n_below >= limit ? limit + 1 : n_below + rv_call_events_is_kept(frame));
    return n_below < limit;
}

static uint64_t push(uint64_t next, uint64_t stack, enum rv_event_kind kind, uint64_t word)
{
    struct rv_pusher *pusher = &rv_thread.pusher;
    if (next < pusher->limit)
        return rv_push_commit(pusher, next, kind, word);
    if (rv_push_other_clock(pusher, next, kind, word))
        return pusher->last_ticks;
    const uint64_t ticks = rv_thread_push_slow(pusher, stack, kind, word);
    return next != RV_PUSH_NESTED && rv_thread_ring() >= 0 ? ticks : 0;
}

/* Inlined into its caller: both have the same stack, and return to the same address. */
static bool is_inlined(const struct rv_shadow_frame *call)
{
    const struct rv_shadow_frame *caller = rv_thread.shadow.top - 1;
    return call->stack == caller->stack && call->call_site == caller->call_site;
}

/* Push the place of a call before the call, whose frame is the top. Returns where the call's push continues. */
static uint64_t push_site(const struct rv_shadow_frame *call, uint64_t stack, uint64_t next)
{
    if (next == RV_PUSH_NESTED || is_inlined(call))
        return next;
    (void)push(next, stack, RV_EVENT_LINE, rv_event_word_at(call->call_site, RV_LINE_AT_ADDRESS));
    return rv_call_events_begin(stack);
}

static uint64_t push_at(enum rv_event_kind kind, const struct rv_shadow_frame *frame, uint64_t stack, uint64_t next)
{
    if (kind == RV_EVENT_CALL_AT && rv_call_events_have_sites())
        next = push_site(frame, stack, next);
    return push(next, stack, kind, frame->word);
}

__attribute__((noinline)) static uint64_t push_unless_deep(enum rv_event_kind kind, const struct rv_shadow_frame *frame,
                                                           uint64_t stack, uint64_t next)
{
    const bool is_written =
        kind & 1 ? rv_shadow_n_kept(frame) <= rv_process_limit : rv_call_events_count_kept(rv_thread.shadow.top);
    if (is_written)
        return push_at(kind, frame, stack, next);
    rv_push_cancel(&rv_thread.pusher, next);
    return 0;
}

uint64_t rv_call_events_push(enum rv_event_kind kind, const struct rv_shadow_frame *frame, uint64_t stack,
                             uint64_t next)
{
    return rv_call_events_are_limited() ? push_unless_deep(kind, frame, stack, next)
                                        : push_at(kind, frame, stack, next);
}

static void push_nested(enum rv_event_kind kind, const struct rv_shadow_frame *call, uint64_t stack)
{
    struct rv_shadow *shadow = &rv_thread.shadow;
    if (kind & 1) {
        push(RV_PUSH_NESTED, stack, kind, rv_event_word_at(call->word, rv_shadow_begin_leave_nested(shadow, call)));
        rv_shadow_end_leave_nested(shadow, call);
    } else {
        push(RV_PUSH_NESTED, stack, kind, rv_event_word_at(call->word, rv_shadow_enter_nested(shadow, call)));
    }
}

void rv_call_events_push_returned(uint64_t stack)
{
    while (rv_shadow_has_returned(&rv_thread.shadow)) {
        const uint64_t next = rv_call_events_begin(stack);
        const struct rv_shadow_frame *frame;
        if (next == RV_PUSH_NESTED) { /* the interrupted push writes it */
            rv_thread.pusher.cursor -= rv_push_poison(stack);
            return;
        }
        frame = rv_shadow_pop_returned(&rv_thread.shadow);
        if (frame)
            (void)rv_call_events_push(RV_EVENT_RETURN_AT, frame, stack, next);
        else /* a handler has written it */
            rv_push_cancel(&rv_thread.pusher, next);
    }
}

/* How many of the n_frames from this one down are written. */
static size_t n_written(const struct rv_shadow_frame *top, size_t n_frames)
{
    size_t n = n_frames;
    for (; n && rv_shadow_n_kept(top) > rv_process_limit; top--)
        n--;
    return n;
}

uint64_t rv_call_events_push_slow(enum rv_event_kind kind, const struct rv_shadow_frame *call, uint64_t stack,
                                  uint64_t next)
{
    struct rv_shadow *shadow = &rv_thread.shadow;
    size_t n_fallen = 0;
    uint16_t tag = 0;
    if (!rv_thread_has_shadow())
        return push(next, stack, kind, rv_event_word_at(call->word, tag));
    if (next == RV_PUSH_NESTED) {
        push_nested(kind, call, stack);
        return 0;
    }
    const struct rv_shadow_frame *before = shadow->top;
    tag = kind & 1 ? rv_shadow_leave(shadow, call, &n_fallen) : rv_shadow_enter(shadow, call, &n_fallen);
    if (n_fallen == RV_SHADOW_UNWRITTEN) {
        rv_push_cancel(&rv_thread.pusher, next);
        return 0;
    }
    if (rv_call_events_are_limited()) {
        if (kind & 1 ? rv_shadow_n_kept(shadow->top) >= rv_process_limit : !rv_call_events_count_kept(shadow->top)) {
            rv_push_cancel(&rv_thread.pusher, next);
            return 0;
        }
        n_fallen = n_written(before, n_fallen);
    }
    for (; n_fallen > MAX_FALL; n_fallen -= MAX_FALL) {
        push(next, stack, RV_EVENT_RETURN, rv_event_word(0, (uint16_t)(tag + n_fallen - MAX_FALL), 0));
        next = rv_push_begin(&rv_thread.pusher, stack);
    }
    if (kind == RV_EVENT_CALL_AT && !n_fallen && rv_call_events_have_sites())
        next = push_site(call, stack, next);
    return push(next, stack, kind, rv_event_word_at(call->word, tag));
}
