#include "producers/native/calls.h"

/* Tags have 16 bits: of a fall by more, readers are shown the steps. */
#define MAX_FALL 32768u

static void push(uint64_t old, uint64_t stack, enum rv_event_kind kind, uint64_t location, uint16_t tag)
{
    struct rv_pusher *pusher = &rv_thread.pusher;
    if (old < pusher->limit)
        rv_push_commit(pusher, old, kind, location, tag);
    else
        rv_thread_push_slow(pusher, old, stack, kind, rv_event_word_at(location, tag));
}

void rv_calls_push(enum rv_event_kind kind, const struct rv_shadow_frame *frame, uint64_t stack, uint64_t old)
{
    push(old, stack, kind, frame->function, rv_shadow_tag(frame));
}

static void push_nested(enum rv_event_kind kind, const struct rv_shadow_frame *call, uint64_t stack, uint64_t old)
{
    struct rv_shadow *shadow = &rv_thread.shadow;
    if (kind & 1) {
        push(old, stack, kind, call->function, rv_shadow_begin_leave_nested(shadow, call));
        rv_shadow_end_leave_nested(shadow, call);
    } else {
        push(old, stack, kind, call->function, rv_shadow_enter_nested(shadow, call));
    }
}

void rv_calls_push_slow(enum rv_event_kind kind, const struct rv_shadow_frame *call, uint64_t stack, uint64_t old)
{
    struct rv_shadow *shadow = &rv_thread.shadow;
    size_t n_fallen = 0;
    uint16_t tag = 0;
    if (!rv_thread_has_shadow()) {
        push(old, stack, kind, call->function, tag);
        return;
    }
    if (old >= RV_PUSH_POISON) {
        push_nested(kind, call, stack, old);
        return;
    }
    tag = kind & 1 ? rv_shadow_leave(shadow, call, &n_fallen) : rv_shadow_enter(shadow, call, &n_fallen);
    for (; n_fallen > MAX_FALL; n_fallen -= MAX_FALL) {
        push(old, stack, RV_EVENT_RETURN, 0, (uint16_t)(tag + n_fallen - MAX_FALL));
        old = rv_push_begin(&rv_thread.pusher, stack);
    }
    push(old, stack, kind, call->function, tag);
}
