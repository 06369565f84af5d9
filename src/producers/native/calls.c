#include "producers/native/calls.h"

#include "producers/native/process.h"

/* Tags have 16 bits: of a fall by more, readers are shown the steps. */
#define MAX_FALL 32768u

/* How many calls that are too deep to be written are open while this frame is the top; 0 or less: none. */
static intptr_t n_too_deep(const struct rv_shadow_frame *top)
{
    intptr_t gate = __atomic_load_n(&rv_process_gate, __ATOMIC_RELAXED);
    if (!(gate & RV_GATE_IS_DEPTH))
        return 0;
    return rv_shadow_depth(&rv_thread.shadow, top) - 1 - (gate >> RV_SHADOW_TAG_SHIFT);
}

static uint64_t push(uint64_t next, uint64_t stack, enum rv_event_kind kind, uint64_t word)
{
    struct rv_pusher *pusher = &rv_thread.pusher;
    if (next < pusher->limit)
        return rv_push_commit(pusher, next, kind, word);
    if (!rv_push_other_clock(pusher, next, kind, word))
        rv_thread_push_slow(pusher, stack, kind, word);
    return next != RV_PUSH_NESTED && rv_thread_ring() >= 0 ? pusher->last_ticks : 0;
}

__attribute__((noinline)) static uint64_t push_unless_deep(enum rv_event_kind kind, const struct rv_shadow_frame *frame,
                                                           uint64_t stack, uint64_t next)
{
    if (n_too_deep(frame) <= 0)
        return push(next, stack, kind, frame->word);
    rv_push_cancel(&rv_thread.pusher, next);
    return 0;
}

uint64_t rv_calls_push(enum rv_event_kind kind, const struct rv_shadow_frame *frame, uint64_t stack, uint64_t next)
{
    if (__builtin_expect(__atomic_load_n(&rv_process_gate, __ATOMIC_RELAXED) & RV_GATE_IS_DEPTH, 0))
        return push_unless_deep(kind, frame, stack, next);
    return push(next, stack, kind, frame->word);
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

uint64_t rv_calls_push_slow(enum rv_event_kind kind, const struct rv_shadow_frame *call, uint64_t stack, uint64_t next)
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
    intptr_t n_unwritten = n_too_deep(shadow->top);
    tag = kind & 1 ? rv_shadow_leave(shadow, call, &n_fallen) : rv_shadow_enter(shadow, call, &n_fallen);
    if (n_too_deep(kind & 1 ? shadow->top + 1 : shadow->top) > 0) {
        rv_push_cancel(&rv_thread.pusher, next);
        return 0;
    }
    if (n_unwritten > 0)
        n_fallen -= n_fallen < (size_t)n_unwritten ? n_fallen : (size_t)n_unwritten;
    for (; n_fallen > MAX_FALL; n_fallen -= MAX_FALL) {
        push(next, stack, RV_EVENT_RETURN, rv_event_word(0, (uint16_t)(tag + n_fallen - MAX_FALL), 0));
        next = rv_push_begin(&rv_thread.pusher, stack);
    }
    return push(next, stack, kind, rv_event_word_at(call->word, tag));
}
