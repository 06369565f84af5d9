/*
 * The consumer's side. A producer may pass tail while we copy: always under policy `ring`, and under `block` while it
 * takes us for dead (stopped for 100 ms). So after every copy head is read again, and events that may have been
 * overwritten meanwhile are discarded and counted. The slot after head may be half written: it counts as overwritten
 * (GUARD), unless the owner cannot pass tail or has exited.
 */
#include "ring/ring.h"

#include <string.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/own_syscalls.h"
#include "ring/file_pages.h"

/* Slots beyond head that may be half written. */
enum { GUARD = 1 };

void rv_ring_view(struct rv_ring *ring, struct rv_map *map, uint32_t ring_idx)
{
    *ring = (struct rv_ring){
        .header = map->header,
        .control = rv_map_control(map, ring_idx),
        .events = rv_map_events(map, ring_idx),
        .n_events = map->geometry.ring_events,
        .texts = map->base + map->geometry.texts.offset + (uint64_t)ring_idx * map->geometry.text_bytes,
        .n_text_bytes = map->geometry.text_bytes,
        .policy = map->geometry.policy,
        .clock_kind = map->clock.kind,
        .has_call_sites = map->geometry.has_call_sites != 0,
        .map = map,
    };
    ring->tail = __atomic_load_n(&ring->control->tail, __ATOMIC_RELAXED);
}

static uint64_t load_head(const struct rv_ring *ring)
{
    return __atomic_load_n(&ring->control->head, __ATOMIC_ACQUIRE); /* C1 <- P1 */
}

/* Unread events from `from` on; 0 when head is behind `from`. */
static uint64_t waiting_from(uint64_t head, uint64_t from)
{
    return (int64_t)(head - from) > 0 ? head - from : 0;
}

/* An overwriting producer races with the copy by design; only ThreadSanitizer needs atomics for it. */
static void copy_events(struct rv_event *out, const struct rv_event *events, size_t n, bool may_be_passed)
{
#ifdef __SANITIZE_THREAD__
    const uint64_t *words = (const uint64_t *)(const void *)events;
    uint64_t *out_words = (uint64_t *)(void *)out;
    for (size_t i = 0; may_be_passed && i < 2 * n; i++)
        out_words[i] = __atomic_load_n(words + i, __ATOMIC_RELAXED);
    if (may_be_passed)
        return;
#else
    (void)may_be_passed;
#endif
    memcpy(out, events, n * sizeof *events);
}

static void copy_around(const struct rv_ring *ring, uint64_t from, struct rv_event *out, size_t n, bool may_be_passed)
{
    size_t first = (size_t)(from & (ring->n_events - 1));
    size_t n_before_wrap = ring->n_events - first < n ? ring->n_events - first : n;
    copy_events(out, ring->events + first, n_before_wrap, may_be_passed);
    copy_events(out + n_before_wrap, ring->events, n - n_before_wrap, may_be_passed);
}

/* To map the page of a thread's first events takes longer than to read them from the file. */
static bool read_file(const struct rv_ring *ring, uint64_t from, struct rv_event *out, size_t n)
{
    if (!ring->reads_file || from + n > RV_BACKING_FIRST_EVENTS || from + n > ring->n_events)
        return false;
    const long n_bytes = (long)(n * sizeof *out), offset = (long)rv_map_offset(ring->map, ring->events + from);
    return rv_os_call(SYS_pread64, ring->map->fd, RV_OS_POINTER(out), n_bytes, offset, 0, 0) == n_bytes;
}

static bool passes_tail(const struct rv_ring *ring)
{
    return ring->policy == RV_POLICY_RING ||
           __atomic_load_n(&ring->control->is_overwriting, __ATOMIC_ACQUIRE); /* C4 <- P4 */
}

static bool owner_is_done(const struct rv_ring *ring)
{
    return __atomic_load_n(&ring->control->state, __ATOMIC_ACQUIRE) == RV_RING_EXITED; /* D2 <- D1 */
}

/* Index of the oldest event not yet overwritten at this head. */
static uint64_t oldest_whole(const struct rv_ring *ring, uint64_t head, uint64_t from, uint64_t guard)
{
    uint64_t n_kept = ring->n_events - guard;
    return waiting_from(head, from) > n_kept ? head - n_kept : from;
}

/* Copy up to max events from *from on; *from advances past them. */
static struct rv_ring_read read_ring(const struct rv_ring *ring, uint64_t *from, struct rv_event *out, size_t max,
                                     bool may_be_passed)
{
    uint64_t guard = may_be_passed && !owner_is_done(ring) ? GUARD : 0;
    uint64_t head = load_head(ring);
    uint64_t begin = oldest_whole(ring, head, *from, guard);
    uint64_t n_waiting = waiting_from(head, begin);
    size_t n = n_waiting < max ? (size_t)n_waiting : max;
    if (!read_file(ring, begin, out, n))
        copy_around(ring, begin, out, n, may_be_passed);

    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* C3 <- P3 */
    bool is_passed_now = may_be_passed || passes_tail(ring);
    guard = is_passed_now && !owner_is_done(ring) ? GUARD : 0;
    uint64_t whole = oldest_whole(ring, __atomic_load_n(&ring->control->head, __ATOMIC_RELAXED), begin, guard);
    uint64_t n_torn = whole - begin < n ? whole - begin : n;
    if (n_torn)
        memmove(out, out + n_torn, (n - n_torn) * sizeof *out);
    struct rv_ring_read read = {.n = n - (size_t)n_torn, .n_overwritten = begin + n_torn - *from};
    *from = begin + n;
    return read;
}

struct rv_ring_read rv_ring_pop(struct rv_ring *ring, struct rv_event *out, size_t max)
{
    struct rv_wire_control *control = ring->control;
    struct rv_ring_read read = read_ring(ring, &ring->tail, out, max, passes_tail(ring));
    if (read.n_overwritten) {
        uint64_t n = __atomic_load_n(&control->n_overwritten, __ATOMIC_RELAXED) + read.n_overwritten;
        __atomic_store_n(&control->n_overwritten, n, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&control->tail, ring->tail, __ATOMIC_RELEASE); /* C2 -> P2 */
    return read;
}

bool rv_ring_settle(struct rv_ring *ring)
{
    uint64_t head = load_head(ring);
    bool is_behind = (int64_t)(head - ring->tail) < 0;
    if (is_behind)
        ring->tail = head;
    if (!is_behind && __atomic_load_n(&ring->control->tail, __ATOMIC_RELAXED) == ring->tail)
        return false;
    __atomic_store_n(&ring->control->tail, ring->tail, __ATOMIC_RELEASE); /* C2 -> P2 */
    return true;
}

struct rv_ring_read rv_ring_peek(const struct rv_ring *ring, uint64_t *cursor, struct rv_event *out, size_t max)
{
    return read_ring(ring, cursor, out, max, true);
}

uint64_t rv_ring_n_waiting(const struct rv_ring *ring)
{
    uint64_t n = waiting_from(load_head(ring), ring->tail);
    return n < ring->n_events ? n : ring->n_events;
}

static uint64_t minus(uint64_t left, uint64_t right)
{
    return left > right ? left - right : 0;
}

struct rv_ring_account rv_ring_account(const struct rv_ring *ring)
{
    const struct rv_wire_control *control = ring->control;
    uint64_t tail = __atomic_load_n(&control->tail, __ATOMIC_RELAXED);
    uint64_t n_refused = __atomic_load_n(&control->n_refused, __ATOMIC_RELAXED);
    uint64_t n_lost_marks = __atomic_load_n(&control->n_lost_marks, __ATOMIC_RELAXED);
    uint64_t n_overwritten = __atomic_load_n(&control->n_overwritten, __ATOMIC_RELAXED);
    uint64_t n_written = minus(waiting_from(load_head(ring), control->claim_head), n_lost_marks);
    uint64_t n_read = waiting_from(tail, control->claim_head);
    return (struct rv_ring_account){
        .n_produced = n_written + n_refused,
        .n_consumed = minus(n_read, n_overwritten + n_lost_marks),
        .n_dropped = n_refused + n_overwritten,
    };
}

struct rv_ring_account rv_ring_last_account(const struct rv_ring *ring)
{
    struct rv_ring_account account = rv_ring_account(ring);
    uint64_t n_stashed = __atomic_load_n(&ring->control->n_stashed, __ATOMIC_RELAXED);
    account.n_produced += n_stashed;
    account.n_dropped += n_stashed;
    return account;
}

void rv_ring_announce(struct rv_wire_header *header)
{
    __atomic_fetch_add(&header->n_new_rings, 1, __ATOMIC_SEQ_CST);           /* W4 <- W3 */
    if (__atomic_load_n(&header->consumer_is_asleep, __ATOMIC_SEQ_CST) == 2) /* W4 <- W3 */
        rv_ring_wake_consumer(header);
}

void rv_ring_wake_consumer(struct rv_wire_header *header)
{
    __atomic_fetch_add(&header->consumer_wake, 1, __ATOMIC_SEQ_CST);    /* W2 <- W1 */
    if (__atomic_load_n(&header->consumer_is_asleep, __ATOMIC_SEQ_CST)) /* W2 <- W1 */
        rv_os_futex_wake(&header->consumer_wake);
}

void rv_ring_turn_done(struct rv_wire_header *header)
{
    __atomic_store_n(&header->heartbeat_ns, rv_clock_mono_ns(), __ATOMIC_RELAXED);
    __atomic_fetch_add(&header->drain_turns, 1, __ATOMIC_RELEASE); /* C2 -> P2 */
    rv_os_futex_wake(&header->drain_turns);
}
