/*
 * What a push does when its ring is full. `block` waits while a consumer lives: it spins briefly, then sleeps until the
 * consumer's next turn. A dead, stopped or hung consumer counts as gone until its heartbeat moves again; meanwhile the
 * oldest events are overwritten.
 *
 *   S1 -> S2  under `fill`, the first full ring stores time and reason before the state STOPPED
 */
#include "ring/full_ring_policy.h"

#include "base/clock.h"
#include "base/os.h"
#include "ring/file_pages.h"
#include "ring/push.h"

#define MOST_BACKED 32768u /* events a step: 512 KiB */
#define RETRY_EVENTS 4096u
#define SPINS 64u
#define WAIT_NS 10000000u
#define YOUNG_NS 20000000u   /* a heartbeat younger than this needs no check of the process */
#define UNSEEN_NS 50000000u  /* limit for a consumer whose process we cannot see, */
#define HUNG_NS 10000000000u /* and for a visible one: when starved it may pause for seconds */

bool rv_full_ring_is_tracing(const struct rv_wire_header *header, const struct rv_wire_control *control)
{
    return !__atomic_load_n(&control->is_muted, __ATOMIC_RELAXED) &&
           __atomic_load_n(&header->is_recording, __ATOMIC_RELAXED) &&
           __atomic_load_n(&header->state, __ATOMIC_ACQUIRE) == RV_FILE_READY; /* S2 <- S1 */
}

static bool is_tracing(const struct rv_pusher_state *state)
{
    return rv_full_ring_is_tracing(state->ring.header, state->ring.control);
}

static bool is_heartbeat_dead(uint32_t pid, uint64_t age_ns)
{
    if (age_ns < YOUNG_NS)
        return false;
    switch (rv_os_process_state((pid_t)pid)) {
    case '\0':
        return age_ns > UNSEEN_NS;
    case 'T':
    case 't':
    case 'Z':
    case 'X':
        return true;
    default:
        return age_ns > HUNG_NS;
    }
}

static bool is_gone(uint32_t pid, uint64_t heartbeat_ns)
{
    uint64_t now_ns = rv_clock_mono_ns();
    return !pid || is_heartbeat_dead(pid, now_ns > heartbeat_ns ? now_ns - heartbeat_ns : 0);
}

bool rv_full_ring_has_consumer(const struct rv_wire_header *header)
{
    uint32_t pid = __atomic_load_n(&header->consumer_pid, __ATOMIC_ACQUIRE); /* H2 <- H1 */
    return !is_gone(pid, __atomic_load_n(&header->heartbeat_ns, __ATOMIC_RELAXED));
}

/* Once found gone, the consumer stays gone until its heartbeat changes; the process is not checked again. */
static bool is_consumer_gone(struct rv_pusher_state *state)
{
    const struct rv_wire_header *header = state->ring.header;
    uint32_t pid = __atomic_load_n(&header->consumer_pid, __ATOMIC_ACQUIRE); /* H2 <- H1 */
    uint64_t heartbeat_ns = __atomic_load_n(&header->heartbeat_ns, __ATOMIC_RELAXED);

    if (state->is_consumer_gone && pid && heartbeat_ns == state->gone_heartbeat_ns)
        return true;
    state->is_consumer_gone = is_gone(pid, heartbeat_ns);
    state->gone_heartbeat_ns = heartbeat_ns;
    __atomic_store_n(&state->ring.control->is_overwriting, state->is_consumer_gone, __ATOMIC_RELEASE); /* P4 -> C4 */
    return state->is_consumer_gone;
}

static uint64_t n_unread(const struct rv_pusher_state *state)
{
    const struct rv_wire_control *control = state->ring.control;
    uint64_t tail = __atomic_load_n(&control->tail, __ATOMIC_ACQUIRE); /* P2 <- C2 */
    return __atomic_load_n(&control->head, __ATOMIC_RELAXED) - tail;
}

/* An invalid tail makes the ring look full. */
static uint64_t n_free(const struct rv_pusher_state *state)
{
    const struct rv_ring *ring = &state->ring;
    uint64_t capacity = ring->n_events, n_used = 0;
    switch (ring->policy) {
    case RV_POLICY_FILL:
        n_used = __atomic_load_n(&ring->control->head, __ATOMIC_RELAXED) - ring->control->claim_head;
        capacity--; /* reserved for the closing event */
        break;
    case RV_POLICY_BLOCK:
        n_used = state->is_consumer_gone ? 0 : n_unread(state);
        break;
    case RV_POLICY_SWITCH:
        n_used = n_unread(state);
        break;
    case RV_POLICY_RING:
    case RV_POLICY_COUNT:
        break;
    }
    return n_used < capacity ? capacity - n_used : 0;
}

/* Slots with allocated pages, less one: a closing event may use that one without asking. */
static uint64_t n_backed(const struct rv_pusher_state *state)
{
    uint64_t head = __atomic_load_n(&state->ring.control->head, __ATOMIC_RELAXED);
    return state->backed_head == UINT64_MAX ? UINT64_MAX : state->backed_head - head - 1;
}

/* During the first lap, double the allocated slots. After a failure, retry only every RETRY_EVENTS events. */
static bool back(struct rv_pusher_state *state, uint64_t n_needed)
{
    const struct rv_ring *ring = &state->ring;
    uint64_t first = ring->control->claim_head, lap_end = first + ring->n_events;
    if (n_backed(state) >= n_needed)
        return true;
    if (state->n_unbacked % RETRY_EVENTS != 0) {
        state->n_unbacked++;
    } else if (state->backed_head < lap_end) { /* else a handler's siglongjmp left it at the end */
        uint64_t n = state->backed_head - first, n_left = lap_end - state->backed_head;
        n = n < MOST_BACKED ? n : MOST_BACKED;
        n = n < n_left ? n : n_left;
        if (rv_file_pages_give_events(ring->map, state->ring_idx, state->backed_head, n) == 0)
            state->backed_head += n;
        else
            state->n_unbacked = 1;
    }
    if (state->backed_head >= lap_end)
        state->backed_head = UINT64_MAX;
    return n_backed(state) >= n_needed;
}

uint64_t rv_full_ring_n_free(struct rv_pusher_state *state)
{
    if (!is_tracing(state) || state->is_closed)
        return 0;
    if (state->ring.policy == RV_POLICY_BLOCK && state->is_consumer_gone)
        is_consumer_gone(state);
    uint64_t n = n_free(state), n_with_pages = n_backed(state);
    return n < n_with_pages ? n : n_with_pages;
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Until the consumer's next turn. */
static void sleep_a_turn(struct rv_pusher_state *state, uint32_t n_turns)
{
    if (!state->asleep_ticks)
        state->asleep_ticks = rv_clock_ticks(state->ring.clock_kind);
    rv_os_futex_wait(&state->ring.header->drain_turns, n_turns, WAIT_NS);
}

static void sleep_for_room(struct rv_pusher_state *state, uint64_t n_needed)
{
    struct rv_wire_header *header = state->ring.header;
    uint32_t *is_waiting = &state->ring.control->is_waiting;

    while (is_tracing(state) && n_free(state) < n_needed && !is_consumer_gone(state)) {
        uint32_t n_turns = __atomic_load_n(&header->drain_turns, __ATOMIC_ACQUIRE); /* P2 <- C2 */
        __atomic_store_n(is_waiting, 1, __ATOMIC_RELAXED);
        rv_ring_wake_consumer(header);
        if (n_free(state) < n_needed)
            sleep_a_turn(state, n_turns);
    }
    __atomic_store_n(is_waiting, 0, __ATOMIC_RELAXED);
}

static void wait_for_room(struct rv_pusher_state *state, uint64_t n_needed)
{
    for (unsigned i = 0; i < SPINS && n_free(state) < n_needed; i++)
        relax();
    if (n_free(state) < n_needed)
        sleep_for_room(state, n_needed);
}

/* After `fill` has stopped tracing, later events of every ring are counted as refused. */
static bool is_filled(const struct rv_pusher_state *state)
{
    return state->ring.policy == RV_POLICY_FILL && __atomic_load_n(&state->ring.header->stop_reason, __ATOMIC_RELAXED);
}

enum rv_full_ring_room rv_full_ring_make_room(struct rv_pusher_state *state, uint64_t n_needed)
{
    if (state->is_closed)
        return RV_FULL_RING_REFUSE;
    if (!is_tracing(state))
        return is_filled(state) ? RV_FULL_RING_REFUSE : RV_FULL_RING_UNTRACED;
    if (!back(state, n_needed))
        return RV_FULL_RING_REFUSE;
    if (n_free(state) >= n_needed)
        return RV_FULL_RING_ROOM;
    if (state->ring.policy == RV_POLICY_BLOCK)
        wait_for_room(state, n_needed);
    if (n_free(state) >= n_needed)
        return RV_FULL_RING_ROOM;
    return is_tracing(state) || is_filled(state) ? RV_FULL_RING_REFUSE : RV_FULL_RING_UNTRACED;
}

void rv_full_ring_stop(struct rv_pusher_state *state, uint64_t ticks)
{
    struct rv_wire_header *header = state->ring.header;
    uint32_t none = 0;
    if (!__atomic_compare_exchange_n(&header->stop_reason, &none, 1 + state->ring_idx, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&header->stop_ticks, ticks, __ATOMIC_RELAXED);
    __atomic_store_n(&header->state, RV_FILE_STOPPED, __ATOMIC_RELEASE); /* S1 -> S2 */
}

/* Wake at most once per half ring: while tail is unchanged, the consumer has not yet run. */
void rv_full_ring_wake_consumer(struct rv_pusher_state *state)
{
    const struct rv_wire_control *control = state->ring.control;
    bool is_half_full = state->ring.policy != RV_POLICY_RING && n_unread(state) > state->ring.n_events / 2;
    uint64_t tail = __atomic_load_n(&control->tail, __ATOMIC_RELAXED);
    if (state->woken_tail == RV_PUSH_NOT_ANNOUNCED) {
        rv_ring_announce(state->ring.header);
        state->woken_tail = RV_PUSH_NOT_WOKEN;
    }
    if (!is_half_full || state->woken_tail == tail)
        return;
    rv_ring_wake_consumer(state->ring.header);
    state->woken_tail = tail;
}
