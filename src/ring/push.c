/*
 * The slow path of a push: first event, end of a lap, full ring, push inside a push.
 *
 * While the outermost push of a thread is in here, its cursor stays poisoned. Signal handlers then only add to the
 * stash and set both limits to 0; the outermost push alone writes everything else. The next event's place comes from
 * the shared head, so a handler that leaves by siglongjmp at any instruction leaves nothing to repair.
 */
#include "ring/push.h"

#include <errno.h>
#include <signal.h>

#include "base/clock.h"
#include "ring/file_pages.h"
#include "ring/full_ring_policy.h"

#define FILL_CHUNK_EVENTS 64u
#define SUSPECT_PUSHES 4096u
#define POISON_UNIT (1ull << RV_PUSH_POISON_SHIFT)

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
    rv_push_order();
    rv_push_write(slot_of(state, head), when, word);
    __atomic_store_n(&state->ring.control->head, head + 1, __ATOMIC_RELEASE); /* P1 -> C1 */
}

static void append_lost(struct rv_pusher_state *state)
{
    uint32_t n = state->n_lost < UINT32_MAX ? (uint32_t)state->n_lost : UINT32_MAX;
    uint64_t when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | state->lost_ticks;
    bump(&state->ring.control->n_lost_marks);
    append(state, when, rv_event_word(n, 0, 0));
    state->n_lost -= n;
}

/* fill: write a last LOST event into the reserved slot; later events are only counted. */
static void close_ring(struct rv_pusher_state *state, uint64_t ticks)
{
    if (state->is_closed)
        return;
    state->is_closed = true;
    rv_full_ring_stop(state, ticks);
    __atomic_store_n(&state->ring.control->closing_ticks, ticks, __ATOMIC_RELAXED);
    append_lost(state);
}

static void put(struct rv_pusher_state *state, uint64_t when, uint64_t word)
{
    uint64_t ticks = when & RV_EVENT_TICKS_MASK;
    enum rv_full_ring_room room = rv_full_ring_make_room(state, state->n_lost ? 2 : 1);
    if (room == RV_FULL_RING_UNTRACED)
        return;
    if (room == RV_FULL_RING_REFUSE) {
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

/* Handlers may add to the stash meanwhile. An entry without a time was reserved by a handler that never filled it. */
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
        uint64_t n_emptied = n;
        if (__atomic_compare_exchange_n(&state->n_stash, &n, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            __atomic_fetch_sub(&state->ring.control->n_stashed, n_emptied, __ATOMIC_RELAXED);
            break;
        }
    }
    uint64_t ticks = rv_clock_ticks(state->ring.clock_kind);
    for (; i < n; i++)
        refuse(state, ticks);
}

/* That the thread has slept until there was room for its events: behind those that handlers have stashed meanwhile. */
static void tell_sleep(struct rv_pusher_state *state)
{
    if (!state->asleep_ticks)
        return;
    if (rv_full_ring_make_room(state, RV_FULL_RING_WAIT_EVENTS) == RV_FULL_RING_ROOM) {
        const uint64_t now = rv_clock_ticks(state->ring.clock_kind), since = now - state->asleep_ticks;
        const uint64_t wait = (uint64_t)RV_EVENT_WAIT << RV_EVENT_KIND_SHIFT | now;
        const uint64_t woken = (uint64_t)RV_EVENT_WOKEN << RV_EVENT_KIND_SHIFT | now;
        append(state, wait, rv_event_word(RV_WAIT_ON_NOTHING, RV_WAIT_FULL_RING | RV_WAIT_PAST, 0));
        append(state, woken, rv_event_word_since_begin(since));
        append(state, woken, rv_event_word_woken_by_none());
    }
    state->asleep_ticks = 0;
}

/* `fill` stops all rings at once, so its pushes check the header more often. */
static uint64_t chunk_of(const struct rv_pusher_state *state)
{
    return state->ring.policy == RV_POLICY_FILL ? FILL_CHUNK_EVENTS : RV_PUSH_CHUNK_EVENTS;
}

static bool is_on_signal_stack(void)
{
    stack_t now;
    int saved = errno;
    bool is_on = sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_ONSTACK);
    errno = saved;
    return is_on;
}

/* The kernel does not report a signal stack registered with SS_AUTODISARM: recognize one above the thread's own
 * stack. */
static bool is_on_other_stack(const struct rv_pusher_state *state, uint64_t interrupted, uint64_t stack)
{
    return state->stack_end && interrupted <= state->stack_end && stack > state->stack_end;
}

/* Has a handler running at `stack` abandoned the push that it interrupted at stack pointer `interrupted`? */
static bool is_left(const struct rv_pusher_state *state, uint64_t interrupted, uint64_t stack)
{
    return stack >= interrupted && !is_on_other_stack(state, interrupted, stack) && !is_on_signal_stack();
}

static void set_limits(struct rv_pusher *pusher, uint64_t stack)
{
    struct rv_pusher_state *state = pusher->state;
    uint64_t head = n_written(state), size = state->ring.n_events;
    if (state->suspect_stack && is_left(state, state->suspect_stack, stack))
        state->suspect_stack = 0;
    uint64_t n = state->n_lost || state->n_suspect || state->suspect_stack ? 0 : rv_full_ring_n_free(state);
    uint64_t n_lap = size - (head & (size - 1));

    n = n < n_lap ? n : n_lap;
    n = n < chunk_of(state) ? n : chunk_of(state);
    if (state->n_suspect)
        state->n_suspect--;
    uint64_t limit = n ? address_of(slot_of(state, head) + n + 1) : 0;
    const bool is_quick = state->ring.clock_kind == RV_CLOCK_TSC && !state->ring.has_call_sites;
    pusher->limit = is_quick ? limit : 0;
    pusher->slow_limit = is_quick ? 0 : limit;
}

/*
 * Place the cursor at the next slot, poisoned. busy_stack is set before the cursor moves, so that a handler need not
 * recover it from the cursor; and again afterwards, because a handler's own slow push may have run in between while the
 * cursor was clean, and cleared it.
 */
static void place_cursor(struct rv_pusher *pusher, uint64_t stack)
{
    struct rv_pusher_state *state = pusher->state;
    state->busy_stack = stack;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    state->placed_head = n_written(state);
    state->placed_slot = address_of(slot_of(state, state->placed_head));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor = state->placed_slot + rv_push_poison(stack);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    state->busy_stack = stack;
}

/* A handler sets the limits to 0 after it has stashed an event, so check the stash once more after setting them. The
 * cursor is released last. */
static void reopen(struct rv_pusher *pusher, uint64_t stack)
{
    struct rv_pusher_state *state = pusher->state;
    do {
        empty_stash(state);
        tell_sleep(state);
        set_limits(pusher, stack);
        pusher->last_ticks = rv_clock_ticks(state->ring.clock_kind);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (__atomic_load_n(&state->n_stash, __ATOMIC_RELAXED));
    place_cursor(pusher, stack);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor += sizeof(struct rv_event); /* like a push that has been published */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    state->busy_stack = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor = state->placed_slot;
}

static void stash(struct rv_pusher *pusher, uint64_t when, uint64_t word)
{
    struct rv_pusher_state *state = pusher->state;
    if (!state || !state->stash) {
        pusher->n_unstashed++;
        return;
    }
    if (state->ring.control) /* counted first: lost if the owner dies now */
        __atomic_fetch_add(&state->ring.control->n_stashed, 1, __ATOMIC_RELAXED);
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

/* Is the cursor an address in the ring, or its end? */
static bool is_in(const struct rv_event *events, const struct rv_pusher_state *state, uint64_t cursor)
{
    return cursor - address_of(events) <= state->ring.n_events * sizeof *events;
}

/* Is the cursor 0, in the ring, or in the previous ring, where a push that outlived it may have left it? */
static bool is_clean(const struct rv_pusher *pusher, uint64_t cursor)
{
    const struct rv_pusher_state *state = pusher->state;
    if (cursor == 0 || cursor >> RV_PUSH_ADDRESS_BITS || !state)
        return cursor == 0;
    return is_in(state->ring.events, state, cursor) || is_in(state->last_events, state, cursor);
}

/* The cursor as this push found it; handlers may have interrupted the push since. */
static uint64_t found_by(const struct rv_pusher *pusher, uint64_t stack)
{
    return __atomic_load_n(&pusher->cursor, __ATOMIC_RELAXED) - rv_push_poison(stack);
}

bool rv_push_is_under_way(const struct rv_pusher *pusher)
{
    return !is_clean(pusher, __atomic_load_n(&pusher->cursor, __ATOMIC_RELAXED));
}

uint64_t rv_push_place(const struct rv_pusher *pusher, uint64_t stack)
{
    uint64_t found = found_by(pusher, stack);
    if (!rv_push_is_under_way(pusher)) /* a handler took the push for abandoned */
        found += rv_push_poison(stack);
    return is_clean(pusher, found) ? found + sizeof(struct rv_event) : RV_PUSH_NESTED;
}

/* The interrupted push's poison, less one event's size if the push is already published. */
static uint64_t poison_in(const struct rv_pusher_state *state, uint64_t found)
{
    if (!state->ring.control)
        return found;
    uint64_t n_since = n_written(state) - state->placed_head;
    return found - state->placed_slot - n_since * sizeof(struct rv_event);
}

static uint64_t interrupted_stack(const struct rv_pusher_state *state, uint64_t found)
{
    return state->busy_stack ? state->busy_stack : (poison_in(state, found) + POISON_UNIT / 2) >> RV_PUSH_POISON_SHIFT;
}

/*
 * Frames of handlers lie below the push that they interrupted. So an interrupted push at or below our frame was
 * abandoned by siglongjmp. With several interrupted pushes the sum of their poisons yields no usable address, but one
 * above all frames: not abandoned. A full stash also counts as an abandoned push when that was on the fast path. Should
 * this be wrong, two pushes would use one ring: therefore all pushes take the slow path for a while (n_suspect), and as
 * long as the interrupted one may still resume (suspect_stack).
 */
static bool is_abandoned(const struct rv_pusher_state *state, uint64_t found, uint64_t stack)
{
    if (state->n_stash > RV_PUSH_STASH && !state->busy_stack)
        return true;
    return is_left(state, interrupted_stack(state, found), stack);
}

/* The abandoned push had taken a slot but, unless head moved, never published it. It may still resume: its cursor less
 * its poison must then not be below a limit. */
static void take_over(struct rv_pusher_state *state, uint64_t found)
{
    uint64_t interrupted = interrupted_stack(state, found);
    bool is_published =
        state->busy_stack ? n_written(state) >= state->done_head : poison_in(state, found) % POISON_UNIT != 0;
    if (interrupted <= state->stack_end && interrupted > state->suspect_stack)
        state->suspect_stack = interrupted;
    state->n_suspect = found >> RV_PUSH_ADDRESS_BITS ? SUSPECT_PUSHES : UINT32_MAX;
    state->asleep_ticks = 0; /* of the abandoned push */
    if (state->ring.control && !is_published)
        bump(&state->ring.control->n_refused);
}

bool rv_push_nested(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word)
{
    struct rv_pusher_state *state = pusher->state;
    uint64_t found = found_by(pusher, stack);
    if (state && is_abandoned(state, found, stack)) {
        take_over(state, found);
        return false;
    }
    uint64_t ticks = state && state->ring.control ? rv_clock_ticks(state->ring.clock_kind) : 1;
    stash(pusher, kind << RV_EVENT_KIND_SHIFT | ticks, word);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor -= rv_push_poison(stack);
    return true;
}

void rv_push_stash(struct rv_pusher *pusher, uint64_t kind, uint64_t word)
{
    stash(pusher, kind << RV_EVENT_KIND_SHIFT | 1, word);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor = 0;
}

/* ticks: 0 = now, which is later than all stashed events. last_ticks becomes the event's time, except under the clock
 * TICK, which keeps the time of the last tick there. */
static void push_outer(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t ticks, uint64_t word)
{
    struct rv_pusher_state *state = pusher->state;
    int saved = errno;

    state->done_head = UINT64_MAX;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    place_cursor(pusher, stack);
    empty_stash(state);
    ticks = ticks ? ticks : rv_clock_ticks(state->ring.clock_kind);
    state->done_head = n_written(state) + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    put(state, kind << RV_EVENT_KIND_SHIFT | ticks, word);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    state->done_head = 0;
    rv_full_ring_wake_consumer(state);
    reopen(pusher, stack);
    if (state->ring.clock_kind != RV_CLOCK_TICK)
        pusher->last_ticks = ticks;
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

bool rv_push_behind(struct rv_pusher *pusher, uint64_t next, uint64_t when, uint64_t word, uint64_t stack)
{
    if (next < pusher->limit) {
        rv_push_order();
        rv_push_write(rv_push_slot(next), when, word);
        rv_push_end(pusher, next);
        return true;
    }
    next = rv_push_next(pusher, stack);
    const bool is_nested = next == RV_PUSH_NESTED, has_ring = pusher->state && pusher->state->ring.control;
    if (is_nested)
        pusher->cursor -= rv_push_poison(stack);
    else if (has_ring)
        rv_push_past(pusher, stack, when >> RV_EVENT_KIND_SHIFT, when & RV_EVENT_TICKS_MASK, word);
    else
        pusher->cursor = 0;
    return !is_nested && has_ring;
}

static bool push_at_last_ticks(struct rv_pusher *pusher, uint64_t next, uint64_t kind, uint64_t word)
{
    rv_push_order();
    rv_push_write(rv_push_slot(next), kind << RV_EVENT_KIND_SHIFT | pusher->last_ticks, word);
    rv_push_end(pusher, next);
    return true;
}

/* Apart, so that a push within a tick saves no registers. */
__attribute__((noinline)) static bool push_at_new_ticks(struct rv_pusher *pusher, uint64_t next, uint64_t kind,
                                                        uint64_t word)
{
    if (pusher->tick)
        pusher->last_tick = __atomic_load_n(pusher->tick, __ATOMIC_RELAXED);
    pusher->last_ticks = rv_clock_ticks(pusher->state->ring.clock_kind);
    return push_at_last_ticks(pusher, next, kind, word);
}

bool rv_push_other_clock(struct rv_pusher *pusher, uint64_t next, uint64_t kind, uint64_t word)
{
    if (next >= pusher->slow_limit)
        return false;
    if (pusher->tick && __atomic_load_n(pusher->tick, __ATOMIC_RELAXED) == pusher->last_tick)
        return push_at_last_ticks(pusher, next, kind, word);
    return push_at_new_ticks(pusher, next, kind, word);
}

static void push_slow(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word)
{
    uint64_t next = rv_push_next(pusher, stack);
    if (rv_push_other_clock(pusher, next, kind, word))
        return;
    if (next == RV_PUSH_NESTED && rv_push_nested(pusher, stack, kind, word))
        return;
    if (pusher->state && pusher->state->ring.control)
        rv_push_outer(pusher, stack, kind, word);
    else
        pusher->cursor = 0;
}

uint64_t rv_push_now(const struct rv_pusher *pusher)
{
    const struct rv_pusher_state *state = pusher->state;
    return state && state->ring.control ? rv_clock_ticks(state->ring.clock_kind) : 0;
}

uint64_t rv_push_slow(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word)
{
    push_slow(pusher, stack, kind, word);
    return pusher->last_ticks;
}

/* While signals are blocked. */
static void refuse_unstashed(struct rv_pusher *pusher, struct rv_wire_control *control)
{
    for (; pusher->n_unstashed; pusher->n_unstashed--)
        bump(&control->n_refused);
}

void rv_pusher_attach(struct rv_pusher *pusher, struct rv_pusher_state *state, const struct rv_ring *ring,
                      uint32_t ring_idx)
{
    pusher->limit = 0;
    pusher->slow_limit = 0;
    pusher->head = &ring->control->head;
    pusher->tick = ring->clock_kind == RV_CLOCK_TICK ? &ring->header->tick : NULL;
    pusher->has_call_sites = ring->has_call_sites;
    pusher->last_ticks = rv_clock_ticks(ring->clock_kind);
    state->born_ticks = pusher->last_ticks;
    state->ring_idx = ring_idx;
    state->woken_tail = RV_PUSH_NOT_ANNOUNCED;
    state->is_closed = false;
    state->is_consumer_gone = false;
    state->backed_head = ring->map ? ring->control->claim_head + RV_BACKING_FIRST_EVENTS : UINT64_MAX;
    state->n_unbacked = 0;
    state->n_lost = 0;
    state->asleep_ticks = 0;
    refuse_unstashed(pusher, ring->control);
    __atomic_store_n(&ring->control->n_stashed, state->n_stash, __ATOMIC_RELAXED);
    state->last_events = state->ring.events;
    state->placed_slot = 0;
    state->placed_head = ring->control->head;
    state->ring = *ring;
    pusher->state = state;
    pusher->ceiling = address_of(ring->events + ring->n_events + 2);
}

void rv_pusher_put_first(struct rv_pusher *pusher, uint64_t kind, uint64_t ticks, uint64_t word)
{
    put(pusher->state, kind << RV_EVENT_KIND_SHIFT | (ticks & RV_EVENT_TICKS_MASK), word);
}

void rv_pusher_flush(struct rv_pusher *pusher)
{
    struct rv_pusher_state *state = pusher->state;
    if (!state || !state->ring.control)
        return;
    int saved = errno;
    uint64_t stack = address_of(__builtin_frame_address(0));
    state->done_head = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    place_cursor(pusher, stack);
    empty_stash(state);
    refuse_unstashed(pusher, state->ring.control);
    if (state->n_lost && !state->is_closed && rv_full_ring_n_free(state) > 0)
        append_lost(state);
    reopen(pusher, stack);
    errno = saved;
}

/* Most events of a thread without a ring find nothing stashed: an exchange would take longer than all else of them. */
uint64_t rv_pusher_drop_stash(struct rv_pusher *pusher)
{
    struct rv_pusher_state *state = pusher->state;
    uint64_t n = __atomic_load_n(&pusher->n_unstashed, __ATOMIC_RELAXED);
    uint64_t n_stash = state ? __atomic_load_n(&state->n_stash, __ATOMIC_RELAXED) : 0;
    if (n)
        n = __atomic_exchange_n(&pusher->n_unstashed, 0, __ATOMIC_RELAXED);
    if (n_stash)
        n_stash = __atomic_exchange_n(&state->n_stash, 0, __ATOMIC_RELAXED);
    for (uint64_t i = 0; i < n_stash; i++) {
        n += i >= RV_PUSH_STASH || state->stash[i].when != 0;
        if (i < RV_PUSH_STASH)
            state->stash[i].when = 0;
    }
    return n;
}

void rv_pusher_detach(struct rv_pusher *pusher)
{
    struct rv_pusher_state *state = pusher->state;
    *pusher = (struct rv_pusher){.state = state};
    if (state) {
        state->ring.control = NULL;
        state->busy_stack = 0;
        state->n_suspect = 0;
        state->suspect_stack = 0;
        state->n_stash = 0;
    }
}

/* Add an empty stash entry: a push in the slow path then sets its limits again. */
void rv_pusher_leave(struct rv_pusher *pusher)
{
    struct rv_pusher_state *state = pusher->state;
    if (state->stash) {
        state->stash[0].when = 0;
        state->n_stash = 1;
    }
    pusher->limit = 0;
    pusher->slow_limit = 0;
    pusher->ceiling = 0;
}
