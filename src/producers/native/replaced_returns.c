#include "producers/native/replaced_returns.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mappings.h"
#include "base/os.h"
#include "base/own_syscalls.h"
#include "producers/native/forking.h"
#include "producers/native/own_lock.h"
#include "producers/native/signal_guard.h"
#include "producers/native/thread.h"

#define FIRST_BATCH 15u /* entries that a thread takes at once: from this number on, as many as it has */
#define MOST_BATCH 255u
#define MOST_PAGES 32u     /* written at once */
#define SWEEP_FIRST 32768u /* entries of a thread before it looks for those that were left */
#define PAGE_BYTES 4096u

/* Under a lock of its own: between the fork handlers, where the process's is held, functions are called, too. */
static struct {
    uint32_t lock;
    uint32_t n_pages;       /* [atomic] of trampolines, written or about to be */
    struct rv_returns left; /* entries that no thread has */
    uint32_t n_left;
    uint16_t n_restored; /* how often real addresses were put back; 0: never yet */
} all;

RV_HIDDEN void rv_returns_arrive(void); /* called by assembly only: where trampolines go */

/* Lock held, or it is nobody's. */
static void forget_left(void)
{
    all.left = (struct rv_returns){0};
    all.n_left = 0;
}

/* Its holder may be a thread that the child has not, which was changing the list. */
static void after_fork_in_child(void)
{
    if (all.lock)
        forget_left();
    all.lock = 0;
}

/* In a child, another library's fork handler may come here before ours has run. */
static void take_lock(void)
{
    if (rv_forking_is_child())
        after_fork_in_child();
    rv_own_lock_take(&all.lock);
}

static void write_distance(uint8_t *end, const void *to)
{
    const int32_t distance = (int32_t)((intptr_t)to - (intptr_t)end);
    memcpy(end - sizeof distance, &distance, sizeof distance);
}

/* call *-16(%rsp); push entry->address; push $number; jmp rv_returns_arrive */
static void write_trampoline(uint32_t number)
{
    uint8_t *at = rv_returns_trampolines + (size_t)number * RV_RETURNS_TRAMPOLINE_BYTES;
    memcpy(at, "\xff\x54\x24\xf0\xff\x35", 6);
    write_distance(at + 10, &rv_returns_entries[number].address);
    at[10] = 0x68;
    memcpy(at + 11, &number, sizeof number);
    at[15] = 0xe9;
    write_distance(at + 20, (const void *)(uintptr_t)rv_returns_arrive);
}

/* ---- lists ---- */

/* An entry that nobody has becomes the list's first. */
static void give(struct rv_returns *returns, uint32_t number)
{
    uint64_t head;
    do {
        head = __atomic_load_n(&returns->head, __ATOMIC_RELAXED);
        __atomic_store_n(&rv_returns_entries[number].function, head & ~(uint64_t)RV_RETURNS_COUNT_MASK,
                         __ATOMIC_RELAXED);
    } while (!rv_returns_change(returns, head,
                                (uint64_t)number << RV_RETURNS_NUMBER_SHIFT | (head & RV_RETURNS_COUNT_MASK)));
}

/* Lock held, or no thread is where it may be. */
static void give_to_all(uint32_t number)
{
    give(&all.left, number);
    all.n_left++;
}

/* Lock held. Add as many pages as there are, up to a limit: each change of protection stops all threads. They are counted
 * first: a child that is forked meanwhile has them as they are, maybe executable, and makes others. */
static int add_pages(void)
{
    const uint32_t first = all.n_pages, first_number = first * RV_RETURNS_PER_PAGE;
    const uint32_t most = RV_RETURNS_PAGES - first < MOST_PAGES ? RV_RETURNS_PAGES - first : MOST_PAGES;
    const uint32_t n = first == 0 ? 1 : first < most ? first : most;
    uint8_t *pages = rv_returns_trampolines + (size_t)first * RV_RETURNS_PAGE;
    if (n == 0)
        return -ENOMEM;
    __atomic_store_n(&all.n_pages, first + n, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n * RV_RETURNS_PER_PAGE; i++)
        write_trampoline(first_number + i);
    if (mprotect(pages, (size_t)n * RV_RETURNS_PAGE, PROT_READ | PROT_EXEC) != 0) {
        __atomic_store_n(&all.n_pages, first, __ATOMIC_RELAXED);
        return -EPERM;
    }
    for (uint32_t i = first_number == 0; i < n * RV_RETURNS_PER_PAGE; i++)
        give_to_all(first_number + i);
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    rv_forking_on_child(after_fork_in_child);
}

/* ---- what was left ---- */

/* The begin of the mapping that holds two addresses; 0: none does. */
static uint64_t find_mapping(uint64_t low, uint64_t high)
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    uint64_t found = 0;
    if (rv_mappings_open(&mappings, rv_os_proc_pid()) != 0)
        return 0;
    while (!found && rv_mappings_next(&mappings, &mapping))
        if (mapping.start <= low && low < mapping.end && high <= mapping.end)
            found = mapping.start;
    rv_mappings_close(&mappings);
    return found;
}

/* Has its slot a word that it has until the entry is free? A handler may look in between. next: a slot that is no entry's
 * yet, though it may have the address of one that was left. */
static bool is_held(uint32_t number, const uint64_t *slot, const uint64_t *next)
{
    return *slot == rv_returns_trampoline(number) || (*slot == rv_returns_entries[number].address && slot != next);
}

/* Free what the thread has left on its own stack; returns how many entries. next: a slot as above on the stack in use,
 * which may be a coroutine's that lies on the thread's, above its frames: what is below is not left for that. */
static uint32_t sweep(const uint64_t *next)
{
    const uint64_t end = rv_thread_stack_end(), begin = find_mapping((uint64_t)(uintptr_t)next, end);
    const uint32_t n = __atomic_load_n(&all.n_pages, __ATOMIC_RELAXED) * RV_RETURNS_PER_PAGE;
    uint32_t n_freed = 0;
    for (uint32_t i = 1; begin && i < n; i++) {
        uint64_t slot = rv_returns_entries[i].slot;
        if (slot < begin || slot >= end || rv_returns_entries[i].n_restored)
            continue;
        if (is_held(i, (const uint64_t *)(uintptr_t)slot, next))
            continue;
        rv_returns_free(i);
        n_freed++;
    }
    return n_freed;
}

/* ---- a thread's list ---- */

static bool is_empty(const struct rv_returns *returns)
{
    return returns->head >> RV_RETURNS_NUMBER_SHIFT == 0;
}

/*
 * Lock held. A fork copies page by page while other threads take and free entries: its child may have a list's head and
 * its entries of different times. 0: the list is empty, or it led to an entry that is not free, and was dropped.
 */
static uint32_t take_left(void)
{
    const uint32_t number = (uint32_t)(all.left.head >> RV_RETURNS_NUMBER_SHIFT);
    if (number && number < all.n_pages * RV_RETURNS_PER_PAGE && !rv_returns_entries[number].slot) {
        all.n_left -= all.n_left != 0;
        return rv_returns_take_free(&all.left);
    }
    forget_left();
    return 0;
}

static bool take_batch(struct rv_returns *returns)
{
    const uint32_t most = returns->n_taken < FIRST_BATCH  ? FIRST_BATCH
                          : returns->n_taken < MOST_BATCH ? returns->n_taken
                                                          : MOST_BATCH;
    uint32_t n = 0, number = 0;
    take_lock();
    if (!is_empty(&all.left))
        number = take_left();
    if (!number && add_pages() == 0)
        number = take_left();
    for (; number; number = ++n < most ? take_left() : 0)
        give(returns, number);
    rv_own_lock_release(&all.lock);
    returns->n_taken += n;
    return n != 0;
}

static bool refill(struct rv_returns *returns, const uint64_t *slot)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    if (returns->n_taken >= SWEEP_FIRST && returns->n_taken >= returns->sweep_at) {
        uint32_t n_freed = sweep(slot);
        returns->sweep_at = 2 * (returns->n_taken - n_freed) + SWEEP_FIRST;
    }
    const bool is_filled = !is_empty(returns) || take_batch(returns);
    rv_signal_guard_end(&guard);
    return is_filled;
}

uint32_t rv_returns_take(const uint64_t *slot)
{
    struct rv_returns *returns = &rv_thread.returns;
    uint32_t number;
    do
        number = rv_returns_take_free(returns);
    while (!number && refill(returns, slot));
    return number;
}

void rv_returns_free(uint32_t number)
{
    struct rv_returns *returns = &rv_thread.returns;
    struct rv_signal_guard guard;
    rv_returns_entries[number].capture = 0;
    rv_returns_entries[number].slot = 0;
    if (returns->n_taken) {
        give(returns, number);
        return;
    }
    rv_signal_guard_begin(&guard);
    take_lock();
    give_to_all(number);
    rv_own_lock_release(&all.lock);
    rv_signal_guard_end(&guard);
}

struct rv_return *rv_returns_find(uint64_t address)
{
    const uint64_t at = address - (uint64_t)(uintptr_t)rv_returns_trampolines;
    return at < sizeof rv_returns_trampolines ? &rv_returns_entries[at / RV_RETURNS_TRAMPOLINE_BYTES] : NULL;
}

uint64_t rv_returns_locate(uint64_t slot)
{
    const struct rv_return *entry = rv_returns_find(*(const uint64_t *)(uintptr_t)slot);
    return entry ? (uint64_t)(uintptr_t)&entry->address : slot;
}

/* ---- restoring ---- */

#define N_PAGES_KNOWN 1024u

/*
 * Which pages can be read, which does not change while all other threads stand still: by page number, 2 * page, + 1 if
 * it can.
 */
struct pages {
    uint64_t known[N_PAGES_KNOWN];
};

/* 0: nothing is there, which the kernel tells: a stack may be gone. */
static uint64_t word_at(struct pages *pages, uint64_t address)
{
    const uint64_t page = address / PAGE_BYTES;
    const uint64_t *at = (const uint64_t *)(uintptr_t)address;
    uint64_t *known = &pages->known[page % N_PAGES_KNOWN], word;
    if (*known / 2 != page)
        *known = 2 * page + (rv_os_read_own(&word, at, sizeof word) == 0);
    return *known & 1 ? *at : 0;
}

static void put_back(struct rv_return *entry)
{
    const struct iovec here = {.iov_base = &entry->address, .iov_len = sizeof entry->address};
    const struct iovec there = {.iov_base = (void *)(uintptr_t)entry->slot, .iov_len = sizeof entry->address};
    if (process_vm_writev(getpid(), &here, 1, &there, 1, 0) != (ssize_t)sizeof entry->address)
        return;
    entry->n_restored = all.n_restored;
    entry->capture = 0;
    entry->function = 0;
}

/* No thread is in take_batch() or the like. */
static void give_up(uint32_t number)
{
    rv_returns_entries[number].n_restored = 0;
    rv_returns_entries[number].slot = 0;
    give_to_all(number);
}

/*
 * Entries that were put back are freed late: a signal handler may keep a thread from its jump to the trampoline for
 * longer than one tracing lasts, and into the next.
 */
static bool is_due(const struct rv_return *entry)
{
    const uint32_t n_free = RV_RETURNS_ENTRIES - all.n_pages * RV_RETURNS_PER_PAGE + all.n_left;
    const uint16_t n_ends = (uint16_t)(all.n_restored - entry->n_restored);
    return entry->n_restored && (n_ends >= RV_RETURNS_KEPT_ENDS || n_free < RV_RETURNS_ENTRIES / 4);
}

static void restore(struct pages *pages, uint32_t number)
{
    struct rv_return *entry = &rv_returns_entries[number];
    /* Its number is below while a signal's handler keeps its thread from going on. */
    if (word_at(pages, entry->slot) == rv_returns_trampoline(number))
        put_back(entry);
    else if (is_due(entry) && word_at(pages, entry->slot - sizeof(uint64_t)) != number && !all.lock)
        give_up(number);
}

void rv_returns_restore(void)
{
    const uint32_t n = all.n_pages * RV_RETURNS_PER_PAGE;
    struct pages pages = {0};
    all.n_restored = (uint16_t)(all.n_restored == UINT16_MAX ? 1 : all.n_restored + 1);
    for (uint32_t i = 1; i < n; i++)
        if (rv_returns_entries[i].slot)
            restore(&pages, i);
}

static uint32_t give_back(struct rv_returns *returns)
{
    uint32_t n = 0;
    take_lock();
    for (uint32_t number; (number = rv_returns_take_free(returns)); n++)
        give_to_all(number);
    rv_own_lock_release(&all.lock);
    return n;
}

/* The calling thread ends. Within a guard. */
static void end_thread(void)
{
    struct rv_returns *returns = &rv_thread.returns;
    if (give_back(returns) != returns->n_taken && sweep(__builtin_frame_address(0)))
        (void)give_back(returns);
    *returns = (struct rv_returns){0};
}

int rv_returns_init(void)
{
    if (all.n_pages)
        return 0;
    const int error = add_pages();
    if (!error)
        rv_thread_on_end(end_thread);
    return error;
}
