#include "producers/native/calls.h"

/* Tags have 16 bits: of a fall by more, readers are shown the steps. */
#define MAX_FALL 32768u

static void push(uint64_t next, uint64_t stack, enum rv_event_kind kind, uint64_t word)
{
    struct rv_pusher *pusher = &rv_thread.pusher;
    if (next < pusher->limit)
        rv_push_commit(pusher, next, kind, word);
    else if (!rv_push_other_clock(pusher, next, kind, word))
        rv_thread_push_slow(pusher, stack, kind, word);
}

void rv_calls_push(enum rv_event_kind kind, const struct rv_shadow_frame *frame, uint64_t stack, uint64_t next)
{
    push(next, stack, kind, frame->word);
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

void rv_calls_push_slow(enum rv_event_kind kind, const struct rv_shadow_frame *call, uint64_t stack, uint64_t next)
{
    struct rv_shadow *shadow = &rv_thread.shadow;
    size_t n_fallen = 0;
    uint16_t tag = 0;
    if (!rv_thread_has_shadow()) {
        push(next, stack, kind, rv_event_word_at(call->word, tag));
        return;
    }
    if (next == RV_PUSH_NESTED) {
        push_nested(kind, call, stack);
        return;
    }
    tag = kind & 1 ? rv_shadow_leave(shadow, call, &n_fallen) : rv_shadow_enter(shadow, call, &n_fallen);
    for (; n_fallen > MAX_FALL; n_fallen -= MAX_FALL) {
        push(next, stack, RV_EVENT_RETURN, rv_event_word(0, (uint16_t)(tag + n_fallen - MAX_FALL), 0));
        next = rv_push_begin(&rv_thread.pusher, stack);
    }
    push(next, stack, kind, rv_event_word_at(call->word, tag));
}
