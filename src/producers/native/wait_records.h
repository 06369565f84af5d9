/*
 * Waits of the calling thread for an object such as a lock, and the record that tells who ended them.
 *
 * A thread that finds an object taken announces itself in the object's slot, writes WAIT and waits. A thread that
 * releases an object with such a slot first writes WAIT with RV_WAIT_RELEASE, and its tid and the time into the slot.
 * The waiter reads them once it has the object. They are exact where the object orders both. A thread that did not see
 * the announcement had the lock before it: that is the owner, which the waiter reads after announcing itself.
 * Conditions and semaphores order nothing: the last thread to signal was likely the waker.
 *
 * Slots are shared by objects whose addresses have equal bits 3 to 14; a slot says whose record it has.
 *
 *   W1 -> W4  the announcement before the owner is read
 *   W2 -> W3  the record of a release
 */
#ifndef RV_PRODUCERS_NATIVE_WAIT_RECORDS_H
#define RV_PRODUCERS_NATIVE_WAIT_RECORDS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "producers/native/visibility.h"
#include "ringviz/wire.h"

#define RV_WAIT_SLOT_BITS 12
#define RV_WAIT_ALIGN_BITS 3
#define RV_WAIT_LONG_NS 10000u
#define RV_WAIT_LONG_TICKS (RV_WAIT_LONG_NS / 2) /* a tick is shorter than 2 ns */

struct rv_wait_record {
    uint64_t who;  /* [atomic] rest of the object's address << 32 | tid of the last that released it */
    uint64_t when; /* [atomic] its ticks << 8 | lowest bits of that rest */
};

struct rv_wait_slot {
    uint32_t n_waiters; /* [atomic] */
    struct rv_wait_record record;
} __attribute__((aligned(32)));
RV_HIDDEN extern struct rv_wait_slot rv_wait_slots[1u << RV_WAIT_SLOT_BITS];

static inline struct rv_wait_slot *rv_wait_slot_of(const void *object)
{
    return &rv_wait_slots[(uintptr_t)object >> RV_WAIT_ALIGN_BITS & ((1u << RV_WAIT_SLOT_BITS) - 1)];
}

/* The calling thread's innermost wait. */
struct rv_wait {
    const void *object; /* NULL: no wait */
    struct rv_wait_slot *slot;
    uint64_t stack;               /* an address in the frame of the function that waits */
    uint64_t began;               /* ticks; 0: not written yet */
    struct rv_wait_record before; /* that was in the slot when it was announced: of another wait */
    uint32_t shared_key; /* of an object that processes share (process_shared_locks.h); 0: it is none, or unknown */
    uint32_t owner;      /* tid of the thread that had the lock when it began; 0: unknown */
    bool is_nested;      /* in a handler that has interrupted another wait */
    bool has_order; /* a release comes before the end of the wait, and is seen there: it is an object of this process */
    enum rv_wait_kind kind;
};
RV_HIDDEN extern RV_THREAD_LOCAL struct rv_wait rv_wait;

/* Before other threads start. */
RV_HIDDEN void rv_wait_init(void);

/* The calling thread has a ring. All that follows is for such threads, but for releases, and keeps errno. */
RV_HIDDEN bool rv_wait_is_traced(void);

/*
 * A wait begins: announced, to be written once it is known to last.
 *   outer      receives the wait that this one interrupts, in a signal handler: for its end
 *   is_shared  processes share the object
 *   stack      RV_ENTRY_STACK() of the function that waits
 */
RV_HIDDEN void rv_wait_announce(struct rv_wait *outer, const void *object, enum rv_wait_kind kind, bool is_shared,
                                uint64_t stack);
RV_HIDDEN void rv_wait_write(bool gives_up); /* gives_up: after a time, so the lock's owner is not written */
RV_HIDDEN void rv_wait_begin(struct rv_wait *outer, const void *object, enum rv_wait_kind kind, bool is_shared,
                             uint64_t stack); /* both */

/* It ends: the object became free before anything was written; or by 0 or the error of the function that waited. */
RV_HIDDEN void rv_wait_withdraw(const struct rv_wait *outer);
RV_HIDDEN void rv_wait_end(const struct rv_wait *outer, int result);

/* A wait that is over, of a call that blocked. */
struct rv_wait_past {
    enum rv_wait_kind kind;
    enum rv_wait_on on;
    uint32_t name;  /* id of the file's name, in place of what it is; 0: none */
    uint64_t began; /* ticks */
    uint32_t waker; /* tid; 0: unknown */
    uint64_t woke;  /* ticks at which the waker acted; 0: unknown */
    enum rv_wake wake;
};
RV_HIDDEN void rv_wait_write_past(const struct rv_wait_past *past);

/* The end of a wait for a thread, whose tid is known or 0, that was written without an announcement. */
RV_HIDDEN void rv_wait_end_join(uint32_t tid, int result);

/* An event of the calling thread. */
RV_HIDDEN uint64_t rv_wait_push(enum rv_event_kind kind, uint64_t word);

/* The calling thread is about to release an object that others wait for. is_by_reader: it had it for reading. */
RV_HIDDEN void rv_wait_write_release(const void *object, enum rv_wait_kind kind, bool is_by_reader);

/* It has taken a lock that others wait for, without a wait, or after one. */
RV_HIDDEN void rv_wait_write_taken(const void *object, enum rv_wait_kind kind);

static inline bool rv_wait_has_waiters(const void *object)
{
    return __builtin_expect(__atomic_load_n(&rv_wait_slot_of(object)->n_waiters, __ATOMIC_RELAXED) != 0, 0);
}

/* Of an object that processes share: some wait for it in any of them, or seem to. */
RV_HIDDEN bool rv_wait_has_shared_waiters(const void *object);

static inline void rv_wait_release(const void *object, enum rv_wait_kind kind)
{
    if (rv_wait_has_waiters(object))
        rv_wait_write_release(object, kind, false);
}

static inline int rv_wait_take(const void *object, enum rv_wait_kind kind, int result)
{
    if (rv_wait_has_waiters(object) && (result == 0 || result == EOWNERDEAD))
        rv_wait_write_taken(object, kind);
    return result;
}

#endif
