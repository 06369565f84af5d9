#include "producers/native/wait_records.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own_syscalls.h"
#include "producers/native/has_waited.h"
#include "producers/native/fork_mark.h"
#include "producers/native/object_names.h"
#include "producers/native/pipe_socket_wakers.h"
#include "producers/native/process.h"
#include "producers/native/process_shared_locks.h"
#include "producers/native/traced_thread.h"

#define TAG_BITS 8
#define TAG_MASK ((1u << TAG_BITS) - 1)
#define TID_MASK ((1u << 22) - 1)
#define BY_READER (1u << 31) /* of a tid in a slot: of the last that had a lock for reading */
#define HAVE_ORDER                                                                                                     \
    (1u << RV_WAIT_MUTEX | 1u << RV_WAIT_READ_LOCK | 1u << RV_WAIT_WRITE_LOCK | 1u << RV_WAIT_BARRIER |                \
     1u << RV_WAIT_ONCE)

struct rv_wait_slot rv_wait_slots[1u << RV_WAIT_SLOT_BITS];
RV_THREAD_LOCAL struct rv_wait rv_wait;

static uint32_t rest_of(const void *object)
{
    return (uint32_t)((uintptr_t)object >> (RV_WAIT_SLOT_BITS + RV_WAIT_ALIGN_BITS));
}

/* In the child of fork, the waiters of the parent are gone. */
static __attribute__((noinline)) void begin_child(void)
{
    if (!rv_fork_mark_set(RV_FORK_MARK_WAITS))
        return;
    for (size_t i = 0; i < sizeof rv_wait_slots / sizeof *rv_wait_slots; i++)
        if (__atomic_load_n(&rv_wait_slots[i].n_waiters, __ATOMIC_RELAXED))
            __atomic_store_n(&rv_wait_slots[i].n_waiters, 0, __ATOMIC_RELAXED);
}

static inline void follow_fork(void)
{
    if (__builtin_expect(rv_fork_mark_is_gone(RV_FORK_MARK_WAITS), 0))
        begin_child();
}

/* One that was counted before fork is no longer. */
static void lower(uint32_t *n_waiters)
{
    uint32_t n = __atomic_load_n(n_waiters, __ATOMIC_RELAXED);
    while (n && !__atomic_compare_exchange_n(n_waiters, &n, n - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static void uncount(void)
{
    lower(&rv_wait.slot->n_waiters);
    if (__builtin_expect(rv_wait.shared_key, 0))
        lower(&rv_pipe_socket_wakers_entry(rv_wait.shared_key)->n_waiters);
}

static struct rv_wait_record read_record(const struct rv_wait_slot *slot)
{
    const uint64_t who = __atomic_load_n(&slot->record.who, __ATOMIC_ACQUIRE); /* W3 <- W2 */
    return (struct rv_wait_record){.who = who, .when = __atomic_load_n(&slot->record.when, __ATOMIC_RELAXED)};
}

uint64_t rv_wait_push(enum rv_event_kind kind, uint64_t word)
{
    return rv_thread_push(kind, word, RV_ENTRY_STACK());
}

/* 0: none. */
static uint32_t name_of(const void *object)
{
    const uint32_t name = rv_object_names_find(object);
    return name ? name : rv_process_shared_locks_name(object);
}

static uint64_t word_of(const void *object, uint32_t kind_and_flags)
{
    const uint32_t name = name_of(object);
    return name ? rv_event_word(name, (uint16_t)(kind_and_flags | RV_WAIT_NAMED), 0)
                : rv_event_word_at((uintptr_t)object, (uint16_t)kind_and_flags);
}

bool rv_wait_is_traced(void)
{
    return rv_thread_has_ring();
}

void rv_wait_write_release(const void *object, enum rv_wait_kind kind, bool is_by_reader)
{
    struct rv_wait_slot *slot = rv_wait_slot_of(object);
    uint64_t ticks = 0;
    follow_fork();
    if (rv_thread_has_ring())
        ticks = rv_wait_push(RV_EVENT_WAIT, word_of(object, kind | RV_WAIT_RELEASE));
    else if (rv_process_is_open())
        ticks = rv_clock_ticks(rv_process_map()->clock.kind);
    const uint32_t rest = rest_of(object), tid = rv_thread_native_tid();
    __atomic_store_n(&slot->record.when, ticks << TAG_BITS | (rest & TAG_MASK), __ATOMIC_RELAXED);
    __atomic_store_n(&slot->record.who, (uint64_t)rest << 32 | tid | (is_by_reader ? BY_READER : 0),
                     __ATOMIC_RELEASE); /* W2 -> W3 */
    const uint32_t key = rv_process_shared_locks_key(object);
    if (key && rv_process_is_open())
        rv_pipe_socket_wakers_put(rv_pipe_socket_wakers_entry(key), key, ticks, tid);
}

/* Of objects that share a name, nobody could tell which was taken. */
void rv_wait_write_taken(const void *object, enum rv_wait_kind kind)
{
    follow_fork();
    if (rv_wait_has_waiters(object) && rv_thread_has_ring() && !rv_object_names_find(object))
        rv_wait_push(RV_EVENT_WAIT, word_of(object, kind | RV_WAIT_RELEASE | RV_WAIT_TAKEN));
}

/* ---- waits ---- */

/* One whose thread was cancelled, or jumped away, is found at the next or at the end. */
static void abandon(void)
{
    if (rv_wait.object)
        uncount();
    rv_wait.object = NULL;
}

/* A handler has a stack of its own, which may lie above that of what it has interrupted. */
static bool is_on_other_stack(uint64_t stack)
{
    const uint64_t end = rv_thread_stack_end();
    stack_t now = {0};
    (void)rv_os_call(SYS_sigaltstack, 0, RV_OS_POINTER(&now), 0, 0, 0, 0);
    return now.ss_flags & SS_ONSTACK || (rv_wait.stack <= end && stack > end);
}

void rv_wait_announce(struct rv_wait *outer, const void *object, enum rv_wait_kind kind, bool is_shared, uint64_t stack)
{
    follow_fork();
    if (__builtin_expect(is_shared, 0))
        rv_process_shared_locks_learn(object);
    if (__builtin_expect(rv_wait.object != NULL, 0) && rv_wait.stack <= stack && !is_on_other_stack(stack))
        abandon();
    *outer = rv_wait;
    rv_wait = (struct rv_wait){.object = object,
                               .slot = rv_wait_slot_of(object),
                               .stack = stack,
                               .shared_key = is_shared ? rv_process_shared_locks_key(object) : 0,
                               .kind = kind,
                               .is_nested = outer->object != NULL,
                               .has_order = !is_shared && HAVE_ORDER >> kind & 1};
    __atomic_fetch_add(&rv_wait.slot->n_waiters, 1, __ATOMIC_SEQ_CST); /* W1 -> W4 */
    /* A record before it may be of a thread whose successors did not see the announcement. */
    rv_wait.before = read_record(rv_wait.slot);
    if (__builtin_expect(rv_wait.shared_key, 0)) {
        __atomic_fetch_add(&rv_pipe_socket_wakers_entry(rv_wait.shared_key)->n_waiters, 1,
                           __ATOMIC_SEQ_CST);                         /* W1 -> W4 */
        rv_wait.began = rv_clock_ticks(rv_process_map()->clock.kind); /* in place of such a record */
    }
}

bool rv_wait_has_shared_waiters(const void *object)
{
    const uint32_t key = rv_process_is_open() ? rv_process_shared_locks_key(object) : 0;
    return key && __atomic_load_n(&rv_pipe_socket_wakers_entry(key)->n_waiters, __ATOMIC_RELAXED);
}

void rv_wait_write(bool gives_up)
{
    const uint64_t word = word_of(rv_wait.object, rv_wait.kind | (rv_wait.is_nested ? RV_WAIT_NESTED : 0));
    const bool has_owner = rv_wait.owner && rv_wait.owner <= TID_MASK; /* a robust mutex may have another number */
    const uint64_t began = has_owner && !gives_up
                               ? rv_thread_push_two(RV_EVENT_WAIT, word, RV_EVENT_WOKEN,
                                                    rv_event_word_held(rv_wait.owner), RV_ENTRY_STACK())
                               : rv_wait_push(RV_EVENT_WAIT, word);
    rv_wait.began = rv_wait.began ? rv_wait.began : began;
}

void rv_wait_begin(struct rv_wait *outer, const void *object, enum rv_wait_kind kind, bool is_shared, uint64_t stack)
{
    rv_wait_announce(outer, object, kind, is_shared, stack);
    rv_wait_write(false);
}

/* The object has become free before anything was written. */
void rv_wait_withdraw(const struct rv_wait *outer)
{
    uncount();
    rv_wait = *outer;
}

/* woke: when the waker acted, in ticks; 0: unknown */
static void write_woken(uint32_t tid, enum rv_wake wake, uint64_t woke)
{
    const uint32_t known = tid <= TID_MASK ? tid : 0; /* a robust mutex may have another number */
    const uint32_t id = known | (uint32_t)(known || !tid ? wake : RV_WAKE_UNKNOWN) << RV_EVENT_WAKE_SHIFT;
    if (woke)
        rv_thread_push_woken(id, woke, RV_ENTRY_STACK());
    else
        rv_wait_push(RV_EVENT_WOKEN, rv_event_word_woken(id, UINT64_MAX));
}

/* End a wait that did not end by getting the object. */
static void write_failure(int error)
{
    write_woken(0, error == ETIMEDOUT ? RV_WAKE_TIMEOUT : RV_WAKE_UNKNOWN, 0);
}

/* What is known without a record: nothing, where another object's record has taken its place. */
static void write_owner(bool is_overwritten)
{
    const uint32_t owner = is_overwritten ? 0 : rv_wait.owner;
    write_woken(owner, owner ? RV_WAKE_OWNER : RV_WAKE_UNKNOWN, 0);
}

/* The last to release it in any process. The last to come to a barrier is the only one. */
static void write_shared_waker(void)
{
    const struct rv_transfer last =
        rv_pipe_socket_wakers_last(rv_wait.shared_key, rv_wait.began, rv_thread_native_tid());
    const struct rv_wire_transfer *entry = rv_pipe_socket_wakers_entry(rv_wait.shared_key);
    if (last.tid)
        write_woken(last.tid, rv_wait.kind == RV_WAIT_BARRIER ? RV_WAKE_EXACT : RV_WAKE_LIKELY, last.ticks);
    else
        write_owner(__atomic_load_n(&entry->when, __ATOMIC_RELAXED) > rv_wait.began);
}

/* A record's ticks lack their highest bits. It is of about the time at which the wait began, or later. */
static uint64_t ticks_of(const struct rv_wait_record *record)
{
    return rv_wait.began + (uint64_t)((int64_t)(record->when - (rv_wait.began << TAG_BITS)) >> TAG_BITS);
}

static void write_waker(void)
{
    const struct rv_wait_record last = read_record(rv_wait.slot);
    const uint32_t rest = rest_of(rv_wait.object), tag = rest & TAG_MASK;
    const bool is_new = last.who != rv_wait.before.who || last.when != rv_wait.before.when;
    const bool is_by_reader = (uint32_t)last.who & BY_READER;
    if (is_new && (last.who >> 32 != rest || (last.when & TAG_MASK) != tag))
        write_owner(true);
    else if (!is_new || (is_by_reader && rv_wait.kind == RV_WAIT_READ_LOCK)) /* readers do not wait for readers */
        write_owner(false);
    else
        write_woken((uint32_t)last.who & ~BY_READER,
                    rv_wait.has_order && !is_by_reader ? RV_WAKE_EXACT : RV_WAKE_LIKELY, ticks_of(&last));
}

/* Not in the calls that follow, nor in one that a handler has interrupted. */
static void note_wait(void)
{
    const struct rv_pusher_state *state = rv_thread.pusher.state;
    if (state && state->ring.control && __atomic_load_n(&state->ring.control->blocking, __ATOMIC_RELAXED))
        (void)rv_has_waited();
    else
        rv_has_waited_note();
}

void rv_wait_end(const struct rv_wait *outer, int result)
{
    uncount();
    if (__builtin_expect(result != 0 && result != EOWNERDEAD, 0))
        write_failure(result);
    else if (__builtin_expect(rv_wait.shared_key, 0))
        write_shared_waker();
    else
        write_waker();
    note_wait();
    rv_wait = *outer;
}

void rv_wait_write_past(const struct rv_wait_past *past)
{
    const enum rv_clock_kind clock = rv_process_map()->clock.kind;
    const uint32_t flags = RV_WAIT_PAST | (past->name ? RV_WAIT_NAMED : 0);
    rv_wait_push(RV_EVENT_WAIT, rv_event_word_at(past->name ? past->name : past->on, (uint16_t)(past->kind | flags)));
    rv_wait_push(RV_EVENT_WOKEN, rv_event_word_since_begin(rv_clock_ticks(clock) - past->began));
    write_woken(past->waker, past->wake, past->woke);
}

void rv_wait_end_join(uint32_t tid, int result)
{
    if (result == 0)
        write_woken(tid, RV_WAKE_OWNER, 0);
    else
        write_failure(result);
}

/* Who was here before, in a constructor, has set the mark; else nobody waits, and the slots need no page yet. */
void rv_wait_init(void)
{
    (void)rv_fork_mark_set(RV_FORK_MARK_WAITS);
    rv_thread_on_end(abandon);
}
