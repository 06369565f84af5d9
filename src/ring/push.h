/*
 * The producer's hot path, inlined into every hook: one branch, one clock read, one 16-byte store, one publish.
 *
 * `cursor` is the address of the next slot, poisoned while a push is under way: a push begins with one instruction that
 * adds its poison to the cursor. A signal handler that pushes in between finds a poisoned cursor, which fails the same
 * comparison as "full", "at the end", "disabled" and "no ring yet" do, and goes to the slow path, which keeps its event
 * in a small stash until the interrupted push is done. So events are never torn, overwritten or published early, with
 * one branch and no lock.
 *
 * The poison is 128 times the stack pointer of the pushing function: far above every limit, wherever the stack lies.
 * What it was added to has its low bits still, so that both can be told from their sum. When a handler leaves by
 * siglongjmp, the next push finds a cursor poisoned by a frame that no longer exists, and takes over (push.c).
 *
 * The instruction that poisons the cursor also fetches what it was: of two that go through memory, the second waits
 * for the first. Only the slow path reads the cursor once more. Handlers in between leave it as they found it, but for
 * those that fill the stash, for then the push counts as abandoned. What it reads then is a cursor without its poison,
 * less its poison: beyond any limit where stacks lie high; where they lie so low that a poisoned cursor might be an
 * address, all is left to the slow path from then on.
 *
 * The thread is the only writer of its ring's `head`, which is the truth about what was written; `cursor` and the
 * limits only cache it. P1, the publish, pairs with C1 in ring/ring.h.
 */
#ifndef RV_RING_PUSH_H
#define RV_RING_PUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/ring.h"
#include "ringviz/wire.h"

#define RV_PUSH_POISON_SHIFT 7
#define RV_PUSH_ADDRESS_BITS 48 /* a cursor with more of them is poisoned; so may one be that is in no ring */
#define RV_PUSH_NESTED UINT64_MAX
#define RV_PUSH_STASH 32768u
#define RV_PUSH_CHUNK_EVENTS 4096u /* the slow path looks at the header and at the tail this often at least */
#define RV_PUSH_AHEAD_BYTES 512u

/* What the slow path keeps for one thread. Zeroed memory is a valid start; the stash's pages are touched when used. */
struct rv_pusher_state {
    struct rv_ring ring; /* ring.control == NULL: no ring */
    uint32_t ring_idx;
    bool is_closed; /* fill: this ring has stopped */
    bool is_consumer_gone;
    uint64_t gone_heartbeat_ns; /* its heartbeat when it was found dead or stopped: another one means that it is back */
    uint64_t
        woken_tail; /* the tail when the consumer was last woken; UINT64_MAX: not yet, the first event is to do it */
    uint64_t backed_head;   /* slots up to this head have their pages; UINT64_MAX: all have */
    uint64_t n_unbacked;    /* events that have found none since */
    uint64_t n_lost;        /* refused since the last LOST event was written */
    uint64_t lost_ticks;    /* when the first of them was refused */
    uint32_t n_suspect;     /* pushes still to be made by the slow path, after a take-over that may have been wrong; */
    uint64_t suspect_stack; /* and all from beneath this: the push that was taken over may go on there; 0: none */
    uint64_t busy_stack;    /* of the outermost push while it is in the slow path, where it may stay for long; else 0 */
    uint64_t done_head;     /* with the head here or beyond, the event of a push in the slow path is accounted for */
    uint64_t placed_slot;   /* address at which the slow path last placed the cursor; 0: it has not yet, */
    uint64_t placed_head;   /* and the head then */
    const struct rv_event *last_events; /* of the ring before */
    uint64_t stack_end; /* above all of the thread's own stack; 0: not known. Whoever makes the state says so. */
    uint64_t born_ticks;
    uint64_t n_stash; /* events stashed, and those that found no place there */
    struct rv_event stash[RV_PUSH_STASH];
};

/* One per thread (initial-exec TLS) or per producer in tests. All zero = no ring yet: the first push is slow. */
struct rv_pusher {
    uint64_t cursor;      /* address of the next slot, + poison */
    uint64_t limit;       /* a push that would leave the cursor here or above goes to the slow path */
    uint64_t slow_limit;  /* as limit, for clocks other than the TSC: they keep limit at 0 and are told apart here */
    uint64_t *head;       /* the shared word */
    const uint32_t *tick; /* clock TICK: the shared word, else NULL; */
    uint32_t last_tick;   /* what was read of it last, */
    uint32_t n_unstashed; /* (events of handlers that came before there was a stash) */
    uint64_t last_ticks;  /* and the time at which it had moved */
    struct rv_pusher_state *state;
};

/* stack: an address in the pushing function's frame, 8-byte aligned, higher in callers than in callees. */
typedef void rv_push_slow_fn(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word);

/* Begin to use a ring: state is zeroed or was used before. The cursor is left alone: the next push, or the one that
 * is under way, finds its place. */
void rv_pusher_attach(struct rv_pusher *pusher, struct rv_pusher_state *state, const struct rv_ring *ring,
                      uint32_t ring_idx);

/* Write what is still to be written (the stash, a LOST event). Nothing may be pushed meanwhile but by handlers. */
void rv_pusher_flush(struct rv_pusher *pusher);

/* Forget what handlers stashed for a ring that the pusher has not got: how many events that is. */
uint64_t rv_pusher_drop_stash(struct rv_pusher *pusher);

/* Stop using the ring, with no push under way; the pusher is as new, with its state kept for a later attach. */
void rv_pusher_detach(struct rv_pusher *pusher);

/* In the child of fork, where a push of its parent's goes on, on a ring in which nothing is traced any more: what the
 * parent has stashed is the parent's, and the push that comes next is slow. */
void rv_pusher_leave(struct rv_pusher *pusher);

/* Whether a push is under way. */
bool rv_push_is_under_way(const struct rv_pusher *pusher);

/* As rv_push_begin() should have returned, where that is at the limit: RV_PUSH_NESTED if it met a poisoned cursor. */
uint64_t rv_push_place(const struct rv_pusher *pusher, uint64_t stack);

/*
 * A push that met a poisoned cursor: stash the event of a signal handler and return true; or false when the push that
 * poisoned it was abandoned, and the caller goes on as if the cursor had been clean.
 */
bool rv_push_nested(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word);

/* The outermost push of a thread whose pusher is attached. */
void rv_push_outer(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word);

/* The same of a pusher that has no ring yet: the event is kept for it, without its time. */
void rv_push_stash(struct rv_pusher *pusher, uint64_t kind, uint64_t word);

/* The same as rv_push_outer(), of an event that describes the past: SYNC. */
void rv_push_past(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t ticks, uint64_t word);

/* The push of clocks other than the TSC; false when the cursor has reached its slow limit too. */
bool rv_push_other_clock(struct rv_pusher *pusher, uint64_t next, uint64_t kind, uint64_t word);

/* The three above as one, for pushers that are attached by hand. A pusher without state drops its events. */
rv_push_slow_fn rv_push_slow;

static inline uint64_t rv_push_poison(uint64_t stack)
{
    return stack << RV_PUSH_POISON_SHIFT;
}

/* The cursor when this push is done: what lies below it is the push's slot. At or above the limit: not that simple.
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

/* The same of a push that has begun; RV_PUSH_NESTED where it met a poisoned cursor. */
static inline uint64_t rv_push_next(const struct rv_pusher *pusher, uint64_t stack)
{
    uint64_t poisoned = __atomic_load_n(&pusher->cursor, __ATOMIC_RELAXED);
    uint64_t next = poisoned - rv_push_poison(stack) + sizeof(struct rv_event);
    return next < pusher->slow_limit ? next : rv_push_place(pusher, stack);
}

static inline struct rv_event *rv_push_slot(uint64_t next)
{
    return (struct rv_event *)(uintptr_t)next - 1;
}

/* The event's bytes are written next: what was made visible before is seen before them. No instruction on x86. */
static inline void rv_push_order(void)
{
    __atomic_thread_fence(__ATOMIC_RELEASE); /* P3 -> C3 */
}

/* The event's bytes are written: make them visible, then let go of the cursor. */
static inline void rv_push_end(struct rv_pusher *pusher, uint64_t next)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    /* incq would take one more slot of the decoder. */
    __asm__ volatile("addq $1, %0" : "+m"(*pusher->head) : : "memory", "cc"); /* P1 -> C1 */
#else
    __atomic_store_n(pusher->head, *pusher->head + 1, __ATOMIC_RELEASE); /* P1 -> C1 */
#endif
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pusher->cursor = next;
}

/* A ring that overwrites races with its readers by design; ThreadSanitizer believes atomics only. */
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

/* Kind and time as the event's first word, stored in halves: two instructions fewer than composing it. Returns the
 * ticks.
 */
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
    __builtin_memcpy(&slot->id, &word, sizeof word); /* before the clock is read: what waits behind that adds to it */
    uint64_t ticks = rv_push_stamp(slot, kind);
#endif
    rv_push_end(pusher, next);
    return ticks;
}

/*
 * A ring is larger than a core's second-level cache and its lines were last read by another core: ask for the line of a
 * few events from now on while the clock is read. Beyond the ring nothing happens.
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
 *   stack    as above
 *   slow     rv_push_slow, or what claims a ring first
 *   returns  its ticks; 0 or an earlier event's where it was not written
 *   thread   the pusher's own, signal handlers included; keeps errno
 */
__attribute__((always_inline)) static inline uint64_t rv_push(struct rv_pusher *pusher, enum rv_event_kind kind,
                                                              uint64_t word, uint64_t stack, rv_push_slow_fn *slow)
{
    uint64_t next = rv_push_begin(pusher, stack);
    if (__builtin_expect(next < pusher->limit, 1))
        return rv_push_commit(pusher, next, kind, word);
    slow(pusher, stack, kind, word);
    return pusher->last_ticks;
}

#endif
