/*
 * The producer's hot path, inlined into every hook: one branch, one clock read, one 16-byte store, one publish.
 *
 * `cursor` is the address of the next slot. A push starts with one instruction that adds its poison to the cursor, and
 * ends by storing the next slot's address. A signal handler that pushes in between finds a poisoned cursor: the
 * comparison that detects "full", "at the end", "disabled" and "no ring yet" fails, and the slow path keeps the event
 * in a small stash until the interrupted push is done. So events are never torn, overwritten or published early, at the
 * price of one branch and no lock.
 *
 * The poison is 128 times the stack pointer of the pushing function: far above every limit, wherever the stack lies.
 * The cursor's low bits are unchanged, so both terms can be recovered from the sum. When a handler leaves by
 * siglongjmp, the next push finds a cursor poisoned by a frame that no longer exists, and takes over (push.c).
 *
 * The same instruction fetches the old cursor: of two instructions that go through memory, the second would wait for
 * the first. Only the slow path reads the cursor again. Handlers leave it as they found it, except those that overflow
 * the stash: they take the interrupted push for abandoned. That push then computes a cursor that lacks its poison
 * twice: above any limit where stacks lie at high addresses. Where stacks lie so low that a poisoned cursor could be a
 * valid address, every later push takes the slow path.
 *
 * `head` is written by the owner thread only and is authoritative; `cursor` and the limits cache it. P1, the publish,
 * pairs with C1 in ring/ring.h.
 */
#ifndef RV_RING_PUSH_H
#define RV_RING_PUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/ring.h"
#include "ringviz/wire.h"

#define RV_PUSH_POISON_SHIFT 7
#define RV_PUSH_ADDRESS_BITS 48 /* a longer cursor is poisoned; a shorter one may be */
#define RV_PUSH_NESTED UINT64_MAX
#define RV_PUSH_STASH 32768u
#define RV_PUSH_CHUNK_EVENTS 4096u /* longest run of pushes between two checks of header and tail */
#define RV_PUSH_AHEAD_BYTES 512u
#define RV_PUSH_PAGE_BYTES 4096u
#define RV_PUSH_NOT_ANNOUNCED UINT64_MAX   /* the ring has no event yet, */
#define RV_PUSH_NOT_WOKEN (UINT64_MAX - 1) /* no half of it was full yet */

/* Slow-path state of one thread. Zeroed memory is valid. */
struct rv_pusher_state {
    struct rv_ring ring; /* ring.control == NULL: no ring */
    uint32_t ring_idx;
    bool is_closed; /* fill: this ring has stopped */
    bool is_consumer_gone;
    uint64_t gone_heartbeat_ns; /* the consumer's heartbeat when found dead or stopped; a change means it is back */
    uint64_t woken_tail;        /* the tail when the consumer was last woken, or one of RV_PUSH_NOT_... */
    uint64_t backed_head;       /* slots up to this head have pages; UINT64_MAX: all slots */
    uint64_t n_unbacked;        /* events refused for want of pages since */
    uint64_t n_lost;            /* refused since the last LOST event was written */
    uint64_t lost_ticks;        /* time of the first of these */
    uint64_t asleep_ticks;      /* since when the push under way has slept until there was room, the first time; 0: it
                                   has not */
    uint32_t n_suspect;         /* pushes that still must take the slow path after a doubtful take-over; */
    uint64_t suspect_stack;     /* so must all below this address: the taken-over push may resume there; 0: none */
    uint64_t busy_stack;        /* stack of the outermost push while it is in the slow path; else 0 */
    uint64_t done_head;         /* once head reaches this, the slow path's event has been published */
    uint64_t placed_slot;       /* where the slow path last placed the cursor; 0: not yet, */
    uint64_t placed_head;       /* and the head then */
    const struct rv_event *last_events; /* the previous ring's events */
    uint64_t stack_end; /* upper end of the thread's own stack; 0: unknown. Set by the creator of this struct. */
    uint64_t born_ticks;
    uint64_t n_stash;       /* events stashed, plus those that found the stash full */
    struct rv_event *stash; /* RV_PUSH_STASH events of handlers, zeroed or used before; NULL: they are refused */
};

/* One per thread (initial-exec TLS) or per producer in tests. All zero = no ring yet: the first push is slow. */
struct rv_pusher {
    uint64_t cursor;      /* address of the next slot, + poison */
    uint64_t limit;       /* a push whose next cursor is here or above takes the slow path */
    uint64_t slow_limit;  /* limit for clocks other than the TSC, and with call sites, which keep `limit` at 0 */
    uint64_t *head;       /* the shared word */
    const uint32_t *tick; /* clock TICK: the shared word, else NULL; */
    uint32_t last_tick;   /* its last value read, */
    bool has_call_sites;  /* as the ring has */
    uint64_t last_ticks;  /* time at which last_tick was first seen */
    struct rv_pusher_state *state;
    uint64_t ceiling;     /* a push whose next cursor is here or above met a poisoned cursor, or has no ring */
    uint32_t n_unstashed; /* events of handlers without a stash */
};

/* stack: an address in the pushing function's frame, 8-byte aligned, higher in callers than in callees. Returns what
 * rv_push() does. */
typedef uint64_t rv_push_slow_fn(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word);

/* Begin to use a ring; state is zeroed or used before. The cursor is unchanged: the next push, or the one under way,
 * places it. */
void rv_pusher_attach(struct rv_pusher *pusher, struct rv_pusher_state *state, const struct rv_ring *ring,
                      uint32_t ring_idx);

/* Right after that, while signals are blocked: an event ahead of all others, even of those that are stashed. */
void rv_pusher_put_first(struct rv_pusher *pusher, uint64_t kind, uint64_t ticks, uint64_t word);

/* Write the stash and a pending LOST event. Meanwhile only signal handlers may push. */
void rv_pusher_flush(struct rv_pusher *pusher);

/* Discard the events that handlers stashed while the pusher had no ring. Returns their number. */
uint64_t rv_pusher_drop_stash(struct rv_pusher *pusher);

/* Stop using the ring, with no push under way; the pusher is zeroed but keeps its state for a later attach. */
void rv_pusher_detach(struct rv_pusher *pusher);

/* In the child of fork, during a push that began in the parent, on a ring that is no longer traced: discard the
 * parent's stash and make the next push slow. There should be a stash. */
void rv_pusher_leave(struct rv_pusher *pusher);

/* Whether a push is under way. */
bool rv_push_is_under_way(const struct rv_pusher *pusher);

/* rv_push_begin()'s correct result when that was at the limit; RV_PUSH_NESTED if the cursor was poisoned. */
uint64_t rv_push_place(const struct rv_pusher *pusher, uint64_t stack);

/*
 * A push that found the cursor poisoned: stash the event of a signal handler and return true; or false when the push
 * that poisoned it was abandoned, and the caller goes on as if the cursor had been clean.
 */
bool rv_push_nested(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word);

/* The slow path of a thread's outermost push; the pusher is attached. */
void rv_push_outer(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word);

/* The slow path while the pusher has no ring yet: the event is stashed without its time. */
void rv_push_stash(struct rv_pusher *pusher, uint64_t kind, uint64_t word);

/* As rv_push_outer(), for an event with an earlier time: SYNC. */
void rv_push_past(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t ticks, uint64_t word);

/* The push in C: of clocks other than the TSC, and with call sites; false when the cursor has reached its slow limit
 * too. */
bool rv_push_other_clock(struct rv_pusher *pusher, uint64_t next, uint64_t kind, uint64_t word);

/* Ticks of its ring's clock; without a ring 0. */
uint64_t rv_push_now(const struct rv_pusher *pusher);

/* Chooses among the functions above, for pushers that the caller has attached. A pusher without state drops its
 * events. */
rv_push_slow_fn rv_push_slow;

/* The cursor of a ring at which every push takes the slow path. */
static inline uint64_t rv_push_poison(uint64_t stack)
{
    return stack << RV_PUSH_POISON_SHIFT;
}

/* Returns the cursor after this push: its slot lies just below. At or above the limit, call the slow path.
 * Signal-atomic, not thread-atomic: one instruction poisons, without lock prefix. */
static inline uint64_t rv_push_begin(struct rv_pusher *pusher, uint64_t stack)
{
    uint64_t found = rv_push_poison(stack);
#if defined(__x86_64__)
    __asm__ volatile("xaddq %1, %0" : "+m"(pusher->cursor), "+r"(found) : : "memory", "cc");
#else
    found = __atomic_fetch_add(&pusher->cursor, found, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
    return found + sizeof(struct rv_event);
}

/* The same value for a push that has begun; RV_PUSH_NESTED if the cursor was poisoned. */
static inline uint64_t rv_push_next(const struct rv_pusher *pusher, uint64_t stack)
{
    uint64_t poisoned = __atomic_load_n(&pusher->cursor, __ATOMIC_RELAXED);
    uint64_t next = poisoned - rv_push_poison(stack) + sizeof(struct rv_event);
    return next < pusher->slow_limit ? next : rv_push_place(pusher, stack);
}

/* Where the next event goes. */
static inline struct rv_event *rv_push_slot(uint64_t next)
{
    return (struct rv_event *)(uintptr_t)next - 1;
}

/* Before the event's bytes are written: earlier stores become visible before them. No instruction on x86. */
static inline void rv_push_order(void)
{
    __atomic_thread_fence(__ATOMIC_RELEASE); /* P3 -> C3 */
}

/* The bytes of n events are written: make them visible, then release the cursor. */
__attribute__((always_inline)) static inline void rv_push_end_of(struct rv_pusher *pusher, uint64_t next, uint64_t n)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    /* incq would use one more decoder slot. */
    __asm__ volatile("addq %1, %0" : "+m"(*pusher->head) : "er"(n) : "memory", "cc"); /* P1 -> C1 */
#else
    __atomic_store_n(pusher->head, *pusher->head + n, __ATOMIC_RELEASE); /* P1 -> C1 */
#endif
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor = next;
}

static inline void rv_push_end(struct rv_pusher *pusher, uint64_t next)
{
    rv_push_end_of(pusher, next, 1);
}

/* A push that has begun writes no event after all. next: below the ceiling, or from rv_push_next() and not nested. */
static inline void rv_push_cancel(struct rv_pusher *pusher, uint64_t next)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor = next - sizeof(struct rv_event);
}

/* The same where the push may have interrupted another, which then finds the cursor as it left it. */
static inline void rv_push_withdraw(struct rv_pusher *pusher, uint64_t next, uint64_t stack)
{
    if (next == RV_PUSH_NESTED)
        pusher->cursor -= rv_push_poison(stack);
    else
        rv_push_cancel(pusher, next);
}

/* A ring that overwrites races with its readers by design; for ThreadSanitizer use atomics. */
static inline void rv_push_write(struct rv_event *slot, uint64_t when, uint64_t word)
{
#ifdef __SANITIZE_THREAD__
    __atomic_store_n(&slot->when, when, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->id, (uint32_t)word, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->aux, (uint16_t)(word >> 32), __ATOMIC_RELAXED);
    __atomic_store_n(&slot->frame, (uint16_t)(word >> RV_EVENT_FRAME_SHIFT), __ATOMIC_RELAXED);
#else
    slot->when = when;
    slot->id = (uint32_t)word;
    slot->aux = (uint16_t)(word >> 32);
    slot->frame = (uint16_t)(word >> RV_EVENT_FRAME_SHIFT);
#endif
}

/* Kind and time as the event's first word, stored in halves: two instructions fewer than composing it. Returns
 * the ticks. */
static inline uint64_t rv_push_stamp(struct rv_event *slot, enum rv_event_kind kind)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    uint32_t top = high | (uint32_t)kind << (RV_EVENT_KIND_SHIFT - 32);
    __builtin_memcpy(&slot->when, &low, sizeof low);
    __builtin_memcpy((char *)&slot->when + sizeof low, &top, sizeof top);
    return (uint64_t)high << 32 | low;
#else
    slot->when = (uint64_t)kind << RV_EVENT_KIND_SHIFT; /* never reached: the limit of such a ring stays 0 */
    return 0;
#endif
}

/* The rest of a push that has begun, below the limit. Returns its ticks. */
__attribute__((always_inline)) static inline uint64_t rv_push_commit(struct rv_pusher *pusher, uint64_t next,
                                                                     enum rv_event_kind kind, uint64_t word)
{
    struct rv_event *slot = rv_push_slot(next);
    rv_push_order();
#if defined(__SANITIZE_THREAD__) && defined(__x86_64__)
    uint64_t ticks = __builtin_ia32_rdtsc();
    rv_push_write(slot, (uint64_t)kind << RV_EVENT_KIND_SHIFT | ticks, word);
#else
    __builtin_memcpy(&slot->id, &word, sizeof word); /* before the clock read: a later store would wait behind it */
    uint64_t ticks = rv_push_stamp(slot, kind);
#endif
    rv_push_end(pusher, next);
    return ticks;
}

/* Is the event before that slot a call at these ticks? Of the first slot in a page it is not asked: what lies before
 * may have no page. By halves, as rv_push_stamp() has stored them. */
static inline bool rv_push_follows_call(const struct rv_event *slot, uint64_t ticks)
{
    uint32_t low, top;
    if (((uintptr_t)slot & (RV_PUSH_PAGE_BYTES - 1)) == 0)
        return false;
    __builtin_memcpy(&low, &slot[-1].when, sizeof low);
    __builtin_memcpy(&top, (const char *)&slot[-1].when + sizeof low, sizeof top);
    return low == (uint32_t)ticks && top == ticks >> 32;
}

/* The rest of a push that has begun, below the limit, of a return at the time of the call before it. */
static inline void rv_push_commit_return(struct rv_pusher *pusher, uint64_t next, uint64_t called, uint64_t word)
{
    rv_push_order();
    rv_push_write(rv_push_slot(next), (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT | called, word);
    rv_push_end(pusher, next);
}

/*
 * The rest of a push that has begun, of an event at the time of the thread's last one, behind that. Between the two,
 * handlers may have written others.
 *   next    as its begin returned it
 *   when    its first word: a kind, and the ticks of that event
 *   stack   what the push began with
 *   returns false: it is not written, since the push has interrupted another, or there is no ring
 */
bool rv_push_behind(struct rv_pusher *pusher, uint64_t next, uint64_t when, uint64_t word, uint64_t stack);

/*
 * A ring is larger than a second-level cache, and its lines were last read by another core: prefetch the line a few
 * events ahead while the clock is read. Past the ring's end this has no effect.
 */
static inline void rv_push_fetch_ahead(uint64_t next)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)(uintptr_t)(next + RV_PUSH_AHEAD_BYTES)));
#else
    __builtin_prefetch((const void *)(uintptr_t)(next + RV_PUSH_AHEAD_BYTES), 1);
#endif
}

/*
 * Push one event.
 *   word     its second word, as rv_event_word() and rv_event_word_at() compose it
 *   stack    see rv_push_slow_fn
 *   slow     rv_push_slow, or a function that claims a ring first
 *   returns  the event's ticks; 0 or an earlier event's if it was not written
 *   thread   the pusher's own, signal handlers included; keeps errno
 */
__attribute__((always_inline)) static inline uint64_t rv_push(struct rv_pusher *pusher, enum rv_event_kind kind,
                                                              uint64_t word, uint64_t stack, rv_push_slow_fn *slow)
{
    uint64_t next = rv_push_begin(pusher, stack);
    if (__builtin_expect(next < pusher->limit, 1)) {
        rv_push_fetch_ahead(next);
        return rv_push_commit(pusher, next, kind, word);
    }
    return slow(pusher, stack, kind, word); /* as its last act: the fast path then saves no register */
}

/* The ticks of a push below the limit: only where the clock is the TSC. */
static inline uint64_t rv_push_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0; /* never reached, as in rv_push_stamp() */
#endif
}

/*
 * Push two events of one moment, between which no handler writes another. As rv_push(); where there is no place for
 * both at once, each has a time of its own.
 */
static inline uint64_t rv_push_two(struct rv_pusher *pusher, enum rv_event_kind kind, uint64_t word,
                                   enum rv_event_kind second_kind, uint64_t second_word, uint64_t stack,
                                   rv_push_slow_fn *slow)
{
    const uint64_t next = rv_push_begin(pusher, stack), end = next + sizeof(struct rv_event);
    if (__builtin_expect(end < pusher->limit, 1)) {
        rv_push_fetch_ahead(end);
        rv_push_order();
        const uint64_t ticks = rv_push_ticks();
        rv_push_write(rv_push_slot(next), (uint64_t)kind << RV_EVENT_KIND_SHIFT | ticks, word);
        rv_push_write(rv_push_slot(end), (uint64_t)second_kind << RV_EVENT_KIND_SHIFT | ticks, second_word);
        rv_push_end_of(pusher, end, 2);
        return ticks;
    }
    const uint64_t ticks = slow(pusher, stack, kind, word);
    (void)rv_push(pusher, second_kind, second_word, stack, slow);
    return ticks;
}

/*
 * Push a WOKEN, as rv_push().
 *   woke   ticks of an earlier moment, which the event tells by its distance: rv_event_since()
 */
static inline uint64_t rv_push_woken(struct rv_pusher *pusher, uint32_t id, uint64_t woke, uint64_t stack,
                                     rv_push_slow_fn *slow)
{
    const uint64_t next = rv_push_begin(pusher, stack);
    if (__builtin_expect(next < pusher->limit, 1)) {
        rv_push_fetch_ahead(next);
        rv_push_order();
        const uint64_t ticks = rv_push_ticks();
        rv_push_write(rv_push_slot(next), (uint64_t)RV_EVENT_WOKEN << RV_EVENT_KIND_SHIFT | ticks,
                      rv_event_word_woken(id, ticks - woke));
        rv_push_end(pusher, next);
        return ticks;
    }
    return slow(pusher, stack, RV_EVENT_WOKEN, rv_event_word_woken(id, rv_push_now(pusher) - woke));
}

#endif
