/*
 * The slow path of a push: first event, end of a lap, full ring, push inside a push.
 *
 * While the outermost push of a thread is in here its cursor stays poisoned, so handlers only ever add to the stash and
 * set both limits to 0; everything else is the outermost push's alone. The shared head says where the next event goes;
 * nothing else needs repair when a handler leaves by siglongjmp, at whichever instruction.
 */
#include "ring/push.h"

#include <errno.h>
#include <signal.h>

#include "base/clock.h"
#include "ring/room.h"

#define KEY_SHIFT (RV_PUSH_KEY_SHIFT + RV_PUSH_STACK_SHIFT)
#define KEY_UNITS (1u << (64 - KEY_SHIFT))
#define NESTS_SHIFT 48
#define FILL_CHUNK_EVENTS 64u
#define SUSPECT_PUSHES 4096u

static uint64_t n_written(const struct rv_pusher_state *state)
{
    return __atomic_load_n(&state->ring.control->head, __ATOMIC_RELAXED);
}

static struct rv_event *slot_of(const struct rv_pusher_state *state, uint64_t head)
{
    return &state->ring.events[head & (state->ring.n_events - 1)];
}

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static void bump(uint64_t *word)
{
    __atomic_store_n(word, *word + 1, __ATOMIC_RELAXED);
}

static void refuse(struct rv_pusher_state *state, uint64_t ticks)
{
    bump(&state->ring.control->n_refused);
    if (state->n_lost++ == 0)
        state->lost_ticks = ticks;
}

static void append(struct rv_pusher_state *state, uint64_t when, uint64_t word)
{
    uint64_t head = n_written(state);
    rv_push_write(slot_of(state, head), when, word);
    __atomic_store_n(&state->ring.control->head, head + 1, __ATOMIC_RELEASE); /* P1 -> C1, P3 -> C3 */
}

static void append_lost(struct rv_pusher_state *state)
{
    uint32_t n = state->n_lost < UINT32_MAX ? (uint32_t)state->n_lost : UINT32_MAX;
    uint64_t when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | state->lost_ticks;
    bump(&state->ring.control->n_lost_marks);
    append(state, when, rv_event_word(n, 0, 0));
    state->n_lost -= n;
}

/* fill: the place kept for it takes a last LOST event; what follows is only counted. */
static void close_ring(struct rv_pusher_state *state, uint64_t ticks)
{
    if (state->is_closed)
        return;
    state->is_closed = true;
    rv_room_stop(state, ticks);
    __atomic_store_n(&state->ring.control->closing_ticks, ticks, __ATOMIC_RELAXED);
    append_lost(state);
}

static void put(struct rv_pusher_state *state, uint64_t when, uint64_t word)
{
    uint64_t ticks = when & RV_EVENT_TICKS_MASK;
    enum rv_room room = rv_room_make(state, state->n_lost ? 2 : 1);
    if (room == RV_ROOM_UNTRACED)
        return;
    if (room == RV_ROOM_NONE) {
        refuse(state, ticks);
        if (state->ring.policy == RV_POLICY_FILL)
            close_ring(state, ticks);
        return;
    }
    if (state->n_lost)
        append_lost(state);
    append(state, when, word);
}

static uint64_t last_ticks_of(const struct rv_pusher_state *state)
{
    uint64_t head = n_written(state);
    return head == state->ring.control->claim_head ? state->born_ticks : rv_event_ticks(slot_of(state, head - 1));
}

/* Handlers may add to the stash while it is emptied. A place without a time was left before it was filled. */
static void empty_stash(struct rv_pusher_state *state)
{
    uint64_t n = __atomic_load_n(&state->n_stash, __ATOMIC_RELAXED), i = 0;
    while (n > 0) {
        for (; i < n && i < RV_PUSH_STASH; i++) {
            struct rv_event event = state->stash[i];
            uint64_t least = last_ticks_of(state);
            uint64_t ticks = rv_event_ticks(&event) < least ? least : rv_event_ticks(&event);
            state->stash[i].when = 0;
            if (event.when)
                put(state, (uint64_t)rv_event_kind(&event) << RV_EVENT_KIND_SHIFT | ticks,
                    rv_event_word(event.id, event.frame, event.aux));
        }
        if (__atomic_compare_exchange_n(&state->n_stash, &n, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            break;
    }
    uint64_t ticks = rv_clock_ticks(state->ring.clock_kind);
    for (; i < n; i++)
        refuse(state, ticks);
}

/* `fill` ends for all at once: its rings look at the header more often. */
static uint64_t chunk_of(const struct rv_pusher_state *state)
{
    return state->ring.policy == RV_POLICY_FILL ? FILL_CHUNK_EVENTS : RV_PUSH_CHUNK_EVENTS;
}

static void set_limits(struct rv_pusher *pusher)
{
    struct rv_pusher_state *state = pusher->state;
    uint64_t head = n_written(state), size = state->ring.n_events;
    uint64_t n = state->n_lost || state->n_suspect ? 0 : rv_room_free(state);
    uint64_t n_lap = size - (head & (size - 1));

    n = n < n_lap ? n : n_lap;
    n = n < chunk_of(state) ? n : chunk_of(state);
    if (state->n_suspect)
        state->n_suspect--;
    uint64_t limit = n ? address_of(slot_of(state, head) + n) : 0;
    pusher->limit = state->ring.clock_kind == RV_CLOCK_TSC ? limit : 0;
    pusher->slow_limit = state->ring.clock_kind == RV_CLOCK_TSC ? 0 : limit;
}

/* A handler sets the limits to 0 after it has stashed: look at the stash after they are set, let go of the cursor last.
 */
static void reopen(struct rv_pusher *pusher)
{
    struct rv_pusher_state *state = pusher->state;
    do {
        empty_stash(state);
        set_limits(pusher);
        pusher->last_ticks = rv_clock_ticks(state->ring.clock_kind);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (__atomic_load_n(&state->n_stash, __ATOMIC_RELAXED));
    state->is_busy = false;
    pusher->cursor = address_of(slot_of(state, n_written(state)));
}

static void stash(struct rv_pusher *pusher, uint64_t when, uint64_t word)
{
    struct rv_pusher_state *state = pusher->state;
    if (!state) {
        pusher->n_unstashed++;
        return;
    }
    uint64_t i = __atomic_fetch_add(&state->n_stash, 1, __ATOMIC_RELAXED);
    if (i < RV_PUSH_STASH) {
        rv_push_write(&state->stash[i], 0, word);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        state->stash[i].when = when;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->limit = 0;
    pusher->slow_limit = 0;
}

static bool is_on_signal_stack(void)
{
    stack_t now;
    int saved = errno;
    bool is_on = sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_ONSTACK);
    errno = saved;
    return is_on;
}

/*
 * The interrupted push lies above a handler on the stack; when it lies at our frame or beneath, its handler has left
 * by siglongjmp. The poison tells where it was, modulo 256 KiB: the first handler's push takes it to lie in the 192 KiB
 * above or the 64 KiB beneath, later ones remember. A full stash is taken for an abandoned push, too, where that push
 * was a quick one: were that wrong, two events would be, since for a while every push looks at the shared head
 * (n_suspect).
 */
static bool is_abandoned(struct rv_pusher_state *state, uint64_t old, uint64_t stack)
{
    if (state->n_stash > RV_PUSH_STASH && !state->is_busy)
        return true;
    if (((old >> NESTS_SHIFT) & 3) != 1)
        return false;
    if (state->interrupted != old) {
        uint64_t above = ((old >> KEY_SHIFT) - (stack >> RV_PUSH_STACK_SHIFT)) & (KEY_UNITS - 1);
        uint64_t offset = above < KEY_UNITS / 4 * 3 ? above : above - KEY_UNITS;
        state->interrupted = old;
        state->interrupted_stack = stack + (offset << RV_PUSH_STACK_SHIFT);
    }
    return stack >= state->interrupted_stack && !is_on_signal_stack();
}

/* The abandoned push had taken a slot but, unless head moved, never published it. */
static void take_over(struct rv_pusher_state *state, uint64_t old)
{
    state->interrupted = 0;
    state->n_suspect = SUSPECT_PUSHES;
    if (!state->ring.control)
        return;
    uint64_t first = address_of(state->ring.events), address = old & (RV_PUSH_POISON - 1);
    if (address == address_of(state->ring.events + state->ring.n_events))
        address = first;
    if (address == address_of(slot_of(state, n_written(state))))
        bump(&state->ring.control->n_refused);
}

bool rv_push_nested(struct rv_pusher *pusher, uint64_t old, uint64_t stack, uint64_t kind, uint64_t word)
{
    struct rv_pusher_state *state = pusher->state;
    if (state && is_abandoned(state, old, stack)) {
        take_over(state, old);
        return false;
    }
    uint64_t ticks = state && state->ring.control ? rv_clock_ticks(state->ring.clock_kind) : 1;
    stash(pusher, kind << RV_EVENT_KIND_SHIFT | ticks, word);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor -= rv_push_poison(stack);
    return true;
}

/* ticks: 0 = now, which is later than what the stash holds. last_ticks is the event's own afterwards, but for the clock
 * that keeps the time there. */
static void push_outer(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t ticks, uint64_t word)
{
    struct rv_pusher_state *state = pusher->state;
    int saved = errno;

    pusher->cursor = address_of(slot_of(state, n_written(state))) + rv_push_poison(stack);
    state->is_busy = true;
    empty_stash(state);
    ticks = ticks ? ticks : rv_clock_ticks(state->ring.clock_kind);
    put(state, kind << RV_EVENT_KIND_SHIFT | ticks, word);
    reopen(pusher);
    if (state->ring.clock_kind != RV_CLOCK_TICK)
        pusher->last_ticks = ticks;
    rv_room_wake_consumer(state);
    errno = saved;
}

void rv_push_outer(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word)
{
    push_outer(pusher, stack, kind, 0, word);
}

void rv_push_past(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t ticks, uint64_t word)
{
    push_outer(pusher, stack, kind, ticks & RV_EVENT_TICKS_MASK, word);
}

bool rv_push_other_clock(struct rv_pusher *pusher, uint64_t old, uint64_t kind, uint64_t word)
{
    if (old >= pusher->slow_limit)
        return false;
    if (!pusher->tick) {
        pusher->last_ticks = rv_clock_ticks(pusher->state->ring.clock_kind);
    } else if (__atomic_load_n(pusher->tick, __ATOMIC_RELAXED) != pusher->last_tick) {
        pusher->last_tick = __atomic_load_n(pusher->tick, __ATOMIC_RELAXED);
        pusher->last_ticks = rv_clock_ticks(RV_CLOCK_TICK);
    }
    rv_push_write((struct rv_event *)(uintptr_t)old, kind << RV_EVENT_KIND_SHIFT | pusher->last_ticks, word);
    rv_push_end(pusher, old + sizeof(struct rv_event));
    return true;
}

void rv_push_slow(struct rv_pusher *pusher, uint64_t old, uint64_t stack, uint64_t kind, uint64_t word)
{
    if (rv_push_other_clock(pusher, old, kind, word))
        return;
    if (old >= RV_PUSH_POISON && rv_push_nested(pusher, old, stack, kind, word))
        return;
    if (pusher->state && pusher->state->ring.control)
        rv_push_outer(pusher, stack, kind, word);
    else
        pusher->cursor = 0;
}

void rv_pusher_attach(struct rv_pusher *pusher, struct rv_pusher_state *state, const struct rv_ring *ring,
                      uint32_t ring_idx)
{
    pusher->limit = 0;
    pusher->slow_limit = 0;
    pusher->head = &ring->control->head;
    pusher->tick = ring->clock_kind == RV_CLOCK_TICK ? &ring->header->tick : NULL;
    pusher->last_ticks = rv_clock_ticks(ring->clock_kind);
    state->born_ticks = pusher->last_ticks;
    state->ring_idx = ring_idx;
    state->woken_tail = UINT64_MAX;
    state->is_closed = false;
    state->is_consumer_gone = false;
    state->n_lost = 0;
    for (; pusher->n_unstashed; pusher->n_unstashed--)
        bump(&ring->control->n_refused);
    state->ring = *ring;
    pusher->state = state;
}

void rv_pusher_flush(struct rv_pusher *pusher)
{
    struct rv_pusher_state *state = pusher->state;
    if (!state || !state->ring.control)
        return;
    int saved = errno;
    rv_push_begin(pusher, address_of(__builtin_frame_address(0)));
    empty_stash(state);
    if (state->n_lost && !state->is_closed && rv_room_free(state) > 0)
        append_lost(state);
    reopen(pusher);
    errno = saved;
}

void rv_pusher_detach(struct rv_pusher *pusher)
{
    struct rv_pusher_state *state = pusher->state;
    *pusher = (struct rv_pusher){.state = state, .head = state ? &state->unused_head : NULL};
    if (state) {
        state->ring.control = NULL;
        state->n_suspect = 0;
        state->n_stash = 0;
    }
}
