/*
 * Return addresses that were replaced. A function whose return is to be seen has its return address replaced by that of
 * a trampoline; each trampoline has an entry, where the real one is. So any return, on any stack and thread,
 * finds its own: no order is assumed, and no other entry is read.
 *
 * An entry is taken by a call and freed by its return. What longjmp and exceptions leave is found out by looking at the
 * thread's own stack, when it has taken many: a slot that no longer holds its trampoline has been left. Entries of
 * other stacks are kept until their calls return.
 *
 * A trampoline begins with a call, which pushes its address where the real one was and goes on with what the hook was
 * called for: the processor predicts returns by its calls, and one to an address that no call has pushed costs as much
 * as all else that is done for a call. Hooks that cannot go by it write the address into the slot (rv_returns_replace).
 *
 * Trampolines lie in a region of this library, which has unwind information: it says where the real address is, so that
 * exceptions, cancellation, backtraces and debuggers walk through.
 *
 * Signals: free entries are a linked list. To take one or to free one is a compare-and-swap of the list's head by one
 * instruction; the head counts what was taken, so that it changes even where a handler leaves the same entry first.
 */
#ifndef RV_PRODUCERS_NATIVE_REPLACED_RETURNS_H
#define RV_PRODUCERS_NATIVE_REPLACED_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/visibility.h"

struct rv_return {
    uint64_t address;  /* where the call really returns to; the unwind information reads this */
    uint64_t function; /* of the call; 0: the real address is back in the slot. Of a free entry: next's number << 32 */
    uint64_t slot;     /* where on the stack its return address was; 0: the entry is free */
    uint16_t n_restored; /* by which rv_returns_restore() it was put back; 0: by none */
    bool is_predicted;   /* a call has pushed its trampoline's address; wrong, it costs time only */
    uint32_t capture;    /* number of what its return copies (capture_operations.h); 0: nothing */
};

/* A thread's free entries. Zeroes: it has none yet. */
struct rv_returns {
    uint64_t head;              /* number of the first << 32 | a count of those taken */
    uint32_t n_taken, sweep_at; /* from the process, and of them when to look for those that were left */
};

#define RV_RETURNS_PAGE 4096u
#define RV_RETURNS_PAGES 8192u /* of trampolines */
#define RV_RETURNS_TRAMPOLINE_BYTES 32u
#define RV_RETURNS_CALL_BYTES 4u /* of the call with which one begins */
#define RV_RETURNS_KEPT_ENDS 64u /* times that rv_returns_restore() keeps an entry that was put back */
#define RV_RETURNS_PER_PAGE (RV_RETURNS_PAGE / RV_RETURNS_TRAMPOLINE_BYTES)
#define RV_RETURNS_ENTRIES (RV_RETURNS_PAGES * RV_RETURNS_PER_PAGE)

/* By number, from 1. The entries lie behind the trampolines, which read them at a distance that fits an instruction. */
RV_HIDDEN extern struct rv_return rv_returns_entries[RV_RETURNS_ENTRIES];
RV_HIDDEN extern uint8_t rv_returns_trampolines[RV_RETURNS_PAGES * RV_RETURNS_PAGE];

/* Their unwind information as it would stand in another table: a CIE, a record, an end. Its first address and its range
 * are still to be written. */
#define RV_RETURNS_FRAME_BYTES 160u
#define RV_RETURNS_FRAME_RECORD 120u
#define RV_RETURNS_FRAME_BEGIN (RV_RETURNS_FRAME_RECORD + 8)
RV_HIDDEN extern const uint8_t rv_returns_frame[RV_RETURNS_FRAME_BYTES];

/* Before the first is taken; again it does nothing. -EPERM: memory that was written may not be made executable. */
RV_HIDDEN int rv_returns_init(void);

/* The calling thread's, for a call that returns by slot: a free entry's number, or 0: there is none. A push is under
 * way. */
RV_HIDDEN uint32_t rv_returns_take(const uint64_t *slot);
RV_HIDDEN void rv_returns_free(uint32_t number);

/* The entry whose trampoline an address is; NULL: it is none. */
RV_HIDDEN struct rv_return *rv_returns_find(uint64_t address);

/* Where the real return address is of a call that has it in this slot: for readers of stacks. */
RV_HIDDEN uint64_t rv_returns_locate(uint64_t slot);

/* The number of an entry, and where the function of a number returns: behind its trampoline's call. */
static inline uint32_t rv_returns_number(const struct rv_return *entry)
{
    return (uint32_t)(entry - rv_returns_entries);
}

static inline uint64_t rv_returns_trampoline(uint32_t number)
{
    return (uint64_t)(uintptr_t)rv_returns_trampolines + (uint64_t)number * RV_RETURNS_TRAMPOLINE_BYTES +
           RV_RETURNS_CALL_BYTES;
}

#define RV_RETURNS_NUMBER_SHIFT 32
#define RV_RETURNS_COUNT_MASK UINT32_MAX

/* Change a list's head, unless a handler has done so since it was read. */
static inline bool rv_returns_change(struct rv_returns *returns, uint64_t from, uint64_t to)
{
#if defined(__x86_64__)
    bool has_changed;
    __asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(has_changed), "+m"(returns->head), "+a"(from) : "r"(to) : "memory");
    return has_changed;
#else
    return __atomic_compare_exchange_n(&returns->head, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* As rv_returns_take(), without a way to more: 0 where the list is empty. */
static inline uint32_t rv_returns_take_free(struct rv_returns *returns)
{
    uint64_t head, next;
    uint32_t number;
    do {
        head = __atomic_load_n(&returns->head, __ATOMIC_RELAXED);
        number = (uint32_t)(head >> RV_RETURNS_NUMBER_SHIFT);
        if (!number)
            return 0;
        next = __atomic_load_n(&rv_returns_entries[number].function, __ATOMIC_RELAXED);
    } while (!rv_returns_change(returns, head, next | (uint32_t)(head + 1)));
    return number;
}

/* Replace the return address in a slot by a trampoline. The entry may be read once the slot holds it. */
static inline struct rv_return *rv_returns_replace(uint32_t number, uint64_t *slot, uint64_t function)
{
    struct rv_return *entry = &rv_returns_entries[number];
    entry->address = *slot;
    entry->function = function;
    entry->is_predicted = false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *slot = rv_returns_trampoline(number);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    entry->slot = (uint64_t)(uintptr_t)slot;
    return entry;
}

/* While all other threads stand still: put real return addresses back wherever a trampoline's is. A thread may be about
 * to jump to such a trampoline, or to unwind through it: its entry is free many times later only. One that is about to
 * replace its address still does so: that call returns by the trampoline. */
RV_HIDDEN void rv_returns_restore(void);

#endif
