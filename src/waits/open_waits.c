#include "waits/open_waits.h"

/*
 * A wait that the thread has left by a jump, without an end, is forgotten where another begins outside of handlers. A
 * wait nested too deep takes the place of the one that it interrupted.
 */
static void begin_wait(struct rv_open_waits *follower, const struct rv_event *event, uint64_t now_ns)
{
    const uint32_t kind = event->frame & RV_WAIT_KIND_MASK;
    if (!(event->frame & (RV_WAIT_NESTED | RV_WAIT_PAST)))
        follower->n_waiting = 0;
    follower->n_waiting += follower->n_waiting < RV_WAIT_FOLLOWER_NESTED;
    follower->waiting[follower->n_waiting - 1] = (struct rv_wait){
        .start_ns = now_ns, .object = event->id, .kind = kind < RV_WAIT_KIND_COUNT ? kind : RV_WAIT_MUTEX};
}

static void set_begin(struct rv_open_waits *follower, uint64_t since_ns, uint64_t now_ns)
{
    if (follower->n_waiting)
        follower->waiting[follower->n_waiting - 1].start_ns = since_ns < now_ns ? now_ns - since_ns : 0;
}

static void set_holder(struct rv_open_waits *follower, uint32_t tid)
{
    if (follower->n_waiting)
        follower->waiting[follower->n_waiting - 1].waker = tid;
}

/* wake: a WOKEN event's id; since_ns: UINT32_MAX: unknown. False: no wait is known to have begun. */
static bool end_wait(struct rv_open_waits *follower, uint32_t wake, uint32_t since_ns, uint64_t now_ns,
                     struct rv_wait *ended)
{
    const uint32_t kind = wake >> RV_EVENT_WAKE_SHIFT;
    if (!follower->n_waiting)
        return false;
    *ended = follower->waiting[--follower->n_waiting];
    ended->end_ns = now_ns;
    ended->wake = kind < RV_WAKE_COUNT ? kind : RV_WAKE_UNKNOWN;
    ended->waker = ended->wake == RV_WAKE_UNKNOWN ? 0 : wake & ((1u << RV_EVENT_WAKE_SHIFT) - 1);
    ended->woke_ns = since_ns != UINT32_MAX && since_ns <= now_ns ? now_ns - since_ns : 0;
    return true;
}

static enum rv_wait_step add_woken(struct rv_open_waits *follower, const struct rv_event *event, uint64_t now_ns,
                                   struct rv_wait *ended)
{
    if (event->id >> RV_EVENT_WAKE_SHIFT == RV_WAKE_BEGAN) {
        set_begin(follower, rv_event_since_begin(event), now_ns);
        return RV_WAIT_STEP_ON;
    }
    if (event->id >> RV_EVENT_WAKE_SHIFT == RV_WAKE_HELD) {
        set_holder(follower, event->id & ((1u << RV_EVENT_WAKE_SHIFT) - 1));
        return RV_WAIT_STEP_ON;
    }
    return end_wait(follower, event->id, rv_event_since(event), now_ns, ended) ? RV_WAIT_STEP_ENDED : RV_WAIT_STEP_ON;
}

enum rv_wait_step rv_open_waits_add(struct rv_open_waits *follower, const struct rv_event *event, uint64_t now_ns,
                                    struct rv_wait *ended)
{
    switch (rv_event_kind(event)) {
    case RV_EVENT_WAIT:
        if (event->frame & RV_WAIT_RELEASE)
            return event->frame & RV_WAIT_TAKEN ? RV_WAIT_STEP_TAKEN : RV_WAIT_STEP_RELEASED;
        begin_wait(follower, event, now_ns);
        return RV_WAIT_STEP_ON;
    case RV_EVENT_WOKEN:
        return add_woken(follower, event, now_ns, ended);
    case RV_EVENT_LOST:
        rv_open_waits_forget(follower); /* ends of waits may be missing */
        return RV_WAIT_STEP_LOST;
    default:
        return RV_WAIT_STEP_NONE;
    }
}

bool rv_open_waits_end(struct rv_open_waits *follower, uint64_t end_ns, struct rv_wait *ended)
{
    const uint32_t holder = follower->n_waiting ? follower->waiting[follower->n_waiting - 1].waker : 0;
    if (!end_wait(follower, (uint32_t)RV_WAKE_UNKNOWN << RV_EVENT_WAKE_SHIFT, UINT32_MAX, end_ns, ended))
        return false;
    ended->waker = holder;
    return true;
}

const struct rv_wait *rv_open_waits_open(const struct rv_open_waits *follower)
{
    return follower->n_waiting ? &follower->waiting[follower->n_waiting - 1] : NULL;
}

static struct rv_event event_at(enum rv_event_kind kind, uint64_t at_ns, uint64_t word)
{
    return (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | at_ns,
                             .id = (uint32_t)word,
                             .aux = (uint16_t)(word >> 32),
                             .frame = (uint16_t)(word >> RV_EVENT_FRAME_SHIFT)};
}

size_t rv_open_waits_tell(const struct rv_open_waits *follower, uint64_t at_ns,
                          struct rv_event events[RV_WAIT_FOLLOWER_MOST_TOLD])
{
    size_t n = 0;
    for (uint32_t i = 0; i < follower->n_waiting; i++) {
        const struct rv_wait *wait = &follower->waiting[i];
        const uint32_t frame = wait->kind | (i ? RV_WAIT_NESTED : 0);
        events[n++] = event_at(RV_EVENT_WAIT, at_ns, rv_event_word(wait->object, (uint16_t)frame, 0));
        events[n++] = event_at(RV_EVENT_WOKEN, at_ns, rv_event_word_since_begin(at_ns - wait->start_ns));
        if (wait->waker)
            events[n++] = event_at(RV_EVENT_WOKEN, at_ns, rv_event_word_held(wait->waker));
    }
    return n;
}

void rv_open_waits_forget(struct rv_open_waits *follower)
{
    follower->n_waiting = 0;
}
