/*
 * Thread ends are seen by a pthread key's destructor, which lets three of the four rounds of destructors pass, so that
 * other destructors' events are still on the ring.
 *
 * fork is bracketed: no signal handler runs between our fork handlers, and the forking thread's limits are 0, so that
 * what other libraries' fork handlers call there meets the slow path. In the child the first of these events restarts
 * the process, ahead of our handler. In the parent the process lock is held: a thread without a ring stashes its events
 * until it may claim one.
 */
#include "producers/native/thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/own_syscalls.h"
#include "producers/native/call_events.h"
#include "producers/native/creator.h"
#include "producers/native/fork_mark.h"
#include "producers/native/modules.h"
#include "producers/native/thread_memory.h"
#include "producers/native/process.h"
#include "producers/native/rejected_functions.h"
#include "producers/native/signal_guard.h"
#include "ring/ownership.h"
#include "ring/program_name.h"

#define LAST_ROUNDS 3u /* of PTHREAD_DESTRUCTOR_ITERATIONS */
#define RETRY_EVENTS 4096u
#define NAME_BYTES 64

/* State of the traced thread: the native one, or a runtime's that it runs. Not used by the fast path. */
struct thread {
    struct rv_pusher_state *state; /* ours to unmap */
    uint32_t n_without_ring;
    uint32_t number;       /* the program's own */
    uint32_t stack_id;     /* the machine stack it runs on */
    uint32_t tid;          /* a runtime's; 0: a native thread's */
    bool is_named;         /* by the API */
    bool has_left_ring;    /* it is the parent's, whose push continues here with it */
    bool is_muted;         /* by a monitor: the next events repeat the frames that are open by then */
    bool is_flat;          /* there was no memory for its shadow stack: its calls are written without */
    bool has_counted;      /* the open frames' counts for the limit of depth are set, */
    uint32_t version;      /* by this version of the table of verdicts */
    char name[NAME_BYTES]; /* as last written to the ring */
};

/* A traced thread that no native thread runs; while one runs it, this is out of date. */
struct ringviz_thread {
    struct rv_pusher pusher;
    struct rv_shadow shadow;
    struct thread thread;
    uint32_t n_files; /* at that time: a ring of an earlier file is gone */
};

/* Of the native thread. */
struct native {
    uint32_t n_rounds;
    bool is_forking;                      /* between our fork handlers, in the child until it is restarted */
    struct rv_signal_guard forking_guard; /* while is_forking, */
    struct rv_creator child;              /* and the origin of its child */
    bool expects_modules;
    bool has_waited; /* in vain, for the process lock */
    bool has_key;
    bool is_replaying;
    bool is_seeding;                   /* the runtime's open frames are put on the new shadow stack */
    uint32_t replayed_stack;           /* the stack of the frames that are replayed now */
    bool uses_ring;                    /* [atomic] it ends, or writes its last, without a push */
    struct ringviz_thread *own, *used; /* while it runs a runtime's thread: its own state, and that thread */
};

/* Zeroes as a thread begins: the loader misses threads that begin while it loads us, and leaves zeroes in any case. */
RV_THREAD_LOCAL struct rv_thread rv_thread;
static RV_THREAD_LOCAL struct thread thread;
static RV_THREAD_LOCAL struct native native;

static struct rv_thread_memory states = RV_THREAD_MEMORY(sizeof(struct rv_pusher_state));
static struct rv_thread_memory stashes = RV_THREAD_MEMORY(RV_PUSH_STASH * sizeof(struct rv_event));
static struct rv_thread_memory threads = RV_THREAD_MEMORY(sizeof(struct ringviz_thread));
static uint32_t n_files; /* files left so far, also by fork */
static pthread_key_t end_key;
static uint32_t end_key_state;               /* 0 none, 1 being made, 2 there */
static const struct rv_thread *first_thread; /* the process's; NULL: the library was loaded by another one */
static void (*replay_frames)(void);
static void (*at_end[2])(void);
static void (*in_child[3])(void);
static bool has_mark;     /* this process or, as it was forked, its parent */
static bool ends_at_exit; /* by exit(2), which is to be seen, rather than by the key's destructor */

bool rv_thread_is_foreign;

void rv_thread_end_at_exit(bool ends)
{
    ends_at_exit = ends;
}

static bool has_ring(void)
{
    return rv_thread.pusher.state && rv_thread.pusher.state->ring.control && !thread.has_left_ring;
}

static void write_name(const char *name)
{
    const size_t n = strnlen(name, sizeof thread.name - 1);
    if (strncmp(name, thread.name, sizeof thread.name - 1) == 0)
        return;
    memcpy(thread.name, name, n);
    thread.name[n] = '\0';
    if (has_ring())
        rv_ownership_set_thread_name(rv_process_map(), rv_thread.pusher.state->ring_idx, thread.name);
}

static void ask_name(void)
{
    char name[NAME_BYTES];
    if (thread.is_named || thread.tid || !has_ring())
        return;
    rv_program_name_of_thread(rv_map_process(rv_process_map(), rv_process_idx())->name, name, sizeof name);
    write_name(name);
}

static void write_number(void)
{
    if (has_ring())
        rv_map_control(rv_process_map(), rv_thread.pusher.state->ring_idx)->thread_number = thread.number;
}

/* From here on an attachment does not end: it would take the ring away. Signals are blocked. */
static bool begin_use(void)
{
    const bool used_before = native.uses_ring;
    __atomic_store_n(&native.uses_ring, true, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return used_before;
}

static void end_use(bool used_before)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&native.uses_ring, used_before, __ATOMIC_RELAXED);
}

/* While it is in use. */
static void release_ring_within(void)
{
    if (!has_ring())
        return;
    rv_pusher_flush(&rv_thread.pusher);
    ask_name();
    rv_ownership_release(rv_process_map(), rv_thread.pusher.state->ring_idx);
    rv_pusher_detach(&rv_thread.pusher);
}

static void release_ring(void)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    const bool used_before = begin_use();
    release_ring_within();
    end_use(used_before);
    rv_signal_guard_end(&guard);
}

static void end_thread(void *unused)
{
    (void)unused;
    if (++native.n_rounds < LAST_ROUNDS)
        pthread_setspecific(end_key, &thread);
    else if (!ends_at_exit && !rv_thread_is_forked())
        rv_thread_end();
}

/* The traced thread's end. Within a guard, while its ring is in use. */
static void end_traced(void)
{
    release_ring_within();
    rv_thread.pusher = (struct rv_pusher){0};
    rv_shadow_destroy(&rv_thread.shadow);
    if (thread.state && thread.state->stash)
        rv_thread_memory_give(&stashes, thread.state->stash);
    if (thread.state)
        rv_thread_memory_give(&states, thread.state);
    thread.state = NULL;
}

void rv_thread_end(void)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    const bool used_before = begin_use();
    (void)rv_thread_use(NULL);
    end_traced();
    for (size_t i = 0; i < sizeof at_end / sizeof *at_end && at_end[i]; i++)
        at_end[i]();
    if (native.own)
        rv_thread_memory_give(&threads, native.own);
    native.own = NULL;
    native.has_key = false;
    end_use(used_before);
    rv_signal_guard_end(&guard);
}

/* Constructors of other objects may push before ours has run. */
static bool has_end_key(void)
{
    uint32_t none = 0;
    if (rv_thread_is_foreign)
        return false;
    if (__atomic_compare_exchange_n(&end_key_state, &none, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
        pthread_key_create(&end_key, end_thread) == 0)
        __atomic_store_n(&end_key_state, 2, __ATOMIC_RELEASE);     /* K1 -> K2 */
    return __atomic_load_n(&end_key_state, __ATOMIC_ACQUIRE) == 2; /* K2 <- K1 */
}

static bool is_first(void)
{
    return first_thread ? first_thread == &rv_thread : rv_os_own_tid() == rv_os_own_pid();
}

/* Above all frames of the thread's own stack lies what the kernel left there, or glibc's thread. */
uint64_t rv_thread_stack_end(void)
{
    return is_first() ? getauxval(AT_RANDOM) : (uint64_t)(uintptr_t)&rv_thread;
}

/* Also for a handler that interrupted a thread's first push. */
static void make_state(void)
{
    rv_os_begin_own();
    struct rv_pusher_state *none = NULL, *state = rv_thread_memory_take(&states);
    if (state) {
        memset(state, 0, sizeof *state);
        state->stack_end = thread.tid ? 0 : rv_thread_stack_end();
        if (!__atomic_compare_exchange_n(&thread.state, &none, state, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            rv_thread_memory_give(&states, state);
    }
    rv_os_end_own();
    rv_thread.pusher.state = thread.state;
}

/* For the first handler that interrupts a push: most threads need none. */
static void make_stash(struct rv_pusher_state *state)
{
    if (!state || state->stash)
        return;
    rv_os_begin_own();
    struct rv_event *none = NULL, *stash = rv_thread_memory_take(&stashes);
    if (stash && !__atomic_compare_exchange_n(&state->stash, &none, stash, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        rv_thread_memory_give(&stashes, stash);
    rv_os_end_own();
}

static void leave_push(struct rv_pusher *pusher)
{
    make_stash(pusher->state);
    rv_pusher_leave(pusher);
}

static bool claim_ring(void)
{
    if (rv_process_open(NULL) != 0 || !thread.state)
        return false;
    rv_thread_look_at_modules();
    rv_creator_find();
    const struct rv_ring_claim as = {.tid = thread.tid, .born_ticks = thread.tid ? 0 : rv_creator_created()};
    int ring_idx = rv_ownership_claim_as(rv_process_map(), rv_process_idx(), &as);
    if (ring_idx < 0)
        return false;
    struct rv_ring ring;
    rv_ring_view(&ring, rv_process_map(), (uint32_t)ring_idx);
    rv_thread.shadow.top = rv_shadow_top(&rv_thread.shadow);
    rv_pusher_attach(&rv_thread.pusher, thread.state, &ring, (uint32_t)ring_idx);
    thread.has_left_ring = false;
    if (!thread.tid)
        rv_creator_write();
    write_number();
    if (thread.is_named)
        rv_ownership_set_thread_name(rv_process_map(), (uint32_t)ring_idx, thread.name);
    else /* the claim has asked for it */
        rv_ownership_thread_name(rv_process_map(), (uint32_t)ring_idx, thread.name);
    thread.n_without_ring = 0;
    thread.is_muted = false;
    return true;
}

/* n, and what is stashed for the ring that the thread does not get; once handlers find a clean cursor. has_tried: to get
 * one. */
static void count_without_ring(uint64_t n, bool has_tried)
{
    n += rv_pusher_drop_stash(&rv_thread.pusher);
    const bool is_first_event = thread.n_without_ring++ == 0;
    if (!rv_process_is_open())
        return;
    __atomic_fetch_add(&rv_process_map()->header->n_events_without_ring, n, __ATOMIC_RELAXED);
    if (is_first_event && !has_tried)
        rv_ownership_count_without_ring(rv_process_map());
}

static void report_open_frames(void)
{
    if (!replay_frames)
        return;
    native.is_replaying = true;
    native.replayed_stack = thread.stack_id;
    replay_frames();
    native.is_replaying = false;
}

/* A thread looks for a ring at its first event, and at few of those that it counts without one. */
static bool is_time_to_claim(void)
{
    return thread.n_without_ring % RETRY_EVENTS == 0 &&
           (!thread.n_without_ring || !rv_process_is_open() || rv_ownership_has_free_ring(rv_process_map()));
}

/* Within a guard. */
static void expect_end(void)
{
    if (!native.has_key && has_end_key())
        native.has_key = pthread_setspecific(end_key, &thread) == 0;
}

static bool get_ring(void)
{
    struct rv_signal_guard guard;
    bool is_there = false;
    if (is_time_to_claim() && native.n_rounds <= LAST_ROUNDS) {
        rv_signal_guard_begin(&guard);
        const bool used_before = begin_use();
        is_there = claim_ring();
        end_use(used_before);
        expect_end();
        rv_signal_guard_end(&guard);
    }
    if (is_there)
        report_open_frames();
    return is_there;
}

static void follow_muting(void)
{
    bool was_muted = thread.is_muted;
    thread.is_muted = __atomic_load_n(&rv_thread.pusher.state->ring.control->is_muted, __ATOMIC_RELAXED);
    if (was_muted && !thread.is_muted)
        report_open_frames();
}

/* In the parent, between our fork handlers: the process lock is held, so that no ring can be claimed. */
static void push_while_forking(uint64_t stack, uint64_t kind, uint64_t word)
{
    if (has_ring()) {
        rv_push_outer(&rv_thread.pusher, stack, kind, word);
    } else {
        make_stash(rv_thread.pusher.state);
        rv_push_stash(&rv_thread.pusher, kind, word);
    }
    rv_thread_look();
}

/* The hooks do not look for room on the shadow stack: where it has none, all pushes are slow. */
_Static_assert(RV_SHADOW_RESERVE >= RV_PUSH_CHUNK_EVENTS, "a chunk of calls fits above the limit");

static void keep_within_shadow(void)
{
    if (!rv_thread.shadow.region || rv_shadow_has_room(&rv_thread.shadow))
        return;
    rv_thread.pusher.limit = 0;
    rv_thread.pusher.slow_limit = 0;
}

static void end_forking(void)
{
    native.forking_guard.error = errno; /* fork's own */
    rv_signal_guard_end(&native.forking_guard);
}

static void set_mark(void)
{
    (void)rv_fork_mark_set(RV_FORK_MARK_THREAD);
    has_mark = true;
}

bool rv_thread_is_forked(void)
{
    return has_mark && rv_fork_mark_is_gone(RV_FORK_MARK_THREAD);
}

/* By an instruction of the program's own, or where nothing of ours is in front of the C library. */
static void begin_unannounced_fork(void)
{
    native.child = (struct rv_creator){0};
    rv_signal_guard_begin(&native.forking_guard);
    native.is_forking = true;
}

/*
 * A handler that interrupted a push may have forked: the push then goes on in the child, at whichever instruction, with
 * the parent's ring at hand: it is left to it, as a copy that nobody reads.
 */
static void restart_in_child(bool is_push_under_way)
{
    const bool was_announced = native.is_forking;
    if (!was_announced)
        begin_unannounced_fork();
    rv_os_begin_own();
    int left_ring = is_push_under_way ? rv_thread_ring() : -ENOENT;
    n_files++;
    if (left_ring >= 0)
        leave_push(&rv_thread.pusher);
    else if (!thread.has_left_ring)
        rv_pusher_detach(&rv_thread.pusher);
    thread.has_left_ring |= left_ring >= 0;
    rv_native_modules_forget();
    rv_process_restart(left_ring, was_announced);
    for (size_t i = 0; i < sizeof in_child / sizeof *in_child && in_child[i]; i++)
        in_child[i]();
    rv_rejected_functions_inherit();
    set_mark();
    thread.n_without_ring = 0;
    native.is_forking = false;
    rv_creator_begin(&native.child);
    end_forking();
}

static bool is_count_stale(void)
{
    return rv_process_gate() & RV_GATE_IS_LIMITED &&
           (!thread.has_counted || thread.version != rv_rejected_functions_version());
}

static void count_kept(void)
{
    thread.has_counted = true;
    thread.version = rv_rejected_functions_version();
    if (rv_thread.shadow.region)
        rv_shadow_count_kept(&rv_thread.shadow, rv_process_limit, rv_call_events_is_kept);
}

/* Its holder may be forking, and wait for a lock of the allocator that this thread has, which a signal has interrupted
 * there: it waits once, not at each of the handler's calls. */
static bool lock_process(void)
{
    const bool is_locked = native.has_waited ? rv_process_try_lock() : rv_process_lock_within();
    native.has_waited = !is_locked;
    return is_locked;
}

/* Where the lock is not available in time, they are read later. */
void rv_thread_look_at_modules(void)
{
    if (!rv_process_is_open() || native.is_forking)
        return;
    if (!lock_process()) {
        rv_thread_expect_modules();
        return;
    }
    native.expects_modules = false;
    rv_native_modules_update();
    if (rv_rejected_functions_is_stale())
        rv_rejected_functions_update();
    rv_process_unlock();
    if (is_count_stale())
        count_kept();
}

static bool has_news(void)
{
    return native.expects_modules || rv_native_modules_is_stale() || rv_rejected_functions_is_stale() ||
           is_count_stale();
}

static void look_around(void)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    rv_thread_look_at_modules();
    rv_signal_guard_end(&guard);
}

static void meet_closed_process(void)
{
    struct rv_signal_guard guard;
    rv_process_miss_event();
    release_ring();
    if (native.is_forking)
        return;
    rv_signal_guard_begin(&guard);
    rv_process_close_gate();
    rv_signal_guard_end(&guard);
}

static bool is_call(uint64_t kind)
{
    return kind == RV_EVENT_CALL_AT || kind == RV_EVENT_RETURN_AT;
}

/* rv_thread_has_shadow() has found no ring available. A forked child looks for its own, with its first event. */
static bool lacks_ring_and_shadow(void)
{
    return !has_ring() && !rv_thread.shadow.region && !thread.is_flat && !native.is_forking && !rv_thread_is_forked();
}

static void push_slow(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word)
{
    uint64_t next = rv_push_next(pusher, stack);
    if (rv_thread_is_forked())
        restart_in_child(next == RV_PUSH_NESTED);
    if (rv_push_other_clock(pusher, next, kind, word))
        return;
    const bool is_left_out = is_call(kind) && lacks_ring_and_shadow();
    if (!pusher->state && !rv_process_is_closed() && (!is_left_out || next == RV_PUSH_NESTED))
        make_state();
    if (next == RV_PUSH_NESTED)
        make_stash(pusher->state);
    if (next == RV_PUSH_NESTED && rv_push_nested(pusher, stack, kind, word))
        return;
    if (rv_process_is_closed()) {
        meet_closed_process();
        pusher->cursor = 0;
        return;
    }
    if (native.is_forking) {
        push_while_forking(stack, kind, word);
    } else if (has_ring() || (!is_left_out && get_ring())) {
        if (has_news())
            look_around();
        follow_muting();
        rv_push_outer(pusher, stack, kind, word);
        keep_within_shadow();
    } else {
        pusher->cursor = 0;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        count_without_ring(1, !is_left_out);
    }
}

uint64_t rv_thread_push_slow(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word)
{
    push_slow(pusher, stack, kind, word);
    return pusher->last_ticks;
}

void rv_thread_look(void)
{
    rv_thread.pusher.limit = 0;
    rv_thread.pusher.slow_limit = 0;
}

bool rv_thread_is_forking(void)
{
    return native.is_forking;
}

int rv_thread_ring(void)
{
    return has_ring() ? (int)rv_thread.pusher.state->ring_idx : -ENOENT;
}

/* Its ring has it without a system call; a forked child's is its parent's before its first event. */
uint32_t rv_thread_tid(void)
{
    if (thread.tid)
        return thread.tid;
    return has_ring() && !rv_thread_is_forked() ? rv_thread.pusher.state->ring.control->owner_tid
                                                : (uint32_t)rv_os_own_tid();
}

void rv_thread_on_end(void (*end)(void))
{
    size_t i = at_end[0] != NULL;
    at_end[i] = end;
}

void rv_thread_on_child(void (*reset)(void))
{
    size_t i = 0;
    while (in_child[i])
        i++;
    in_child[i] = reset;
}

void rv_thread_on_ring(void (*replay)(void))
{
    replay_frames = replay;
}

bool rv_thread_replay(uint32_t id, uint32_t depth, uint64_t ticks)
{
    const uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    if (native.is_seeding) {
        const struct rv_shadow_frame call = rv_shadow_runtime_call(here, id, depth, 0);
        size_t n_fallen;
        (void)rv_shadow_enter(&rv_thread.shadow, &call, &n_fallen);
        return false;
    }
    if (native.is_replaying)
        rv_push_past(&rv_thread.pusher, here, RV_EVENT_SYNC, ticks,
                     rv_event_word(id, rv_shadow_runtime_tag(&rv_thread.shadow, native.replayed_stack, depth), 0));
    return native.is_replaying;
}

/* A runtime's frames that were open before the thread had a shadow stack: those of the stack that it is on. */
static void seed_shadow(void)
{
    if (!replay_frames)
        return;
    native.is_seeding = true;
    replay_frames();
    native.is_seeding = false;
}

/* Of the stack that the thread is on now. A runtime may have put much on a thread's own stack, or run it on another: its
 * open frames, which lie anywhere, are to be on one stack with what is called next. 0: unknown. */
static uint64_t current_stack_end(void)
{
    const uint64_t end = rv_thread_stack_end(), here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    return replay_frames && end - here >= RV_SHADOW_NEAR_BYTES ? 0 : end;
}

/* Thousands of threads may find no ring: of each that creates it, a shadow stack would take several pages. */
static bool may_get_ring(void)
{
    const bool used_before = begin_use();
    const bool may_get = thread.n_without_ring || !rv_process_is_open() || rv_ownership_awaits_ring(rv_process_map());
    end_use(used_before);
    return may_get;
}

/* A runtime has written its open frames by depths from 0 on, or will. Else the stack's base and its first frames share a
 * page. */
static uint16_t first_tag(void)
{
    return replay_frames || has_ring() ? 0 : 1;
}

static int create_shadow(void)
{
    if (rv_thread.shadow.region)
        return 0;
    if (lacks_ring_and_shadow() && !may_get_ring()) {
        expect_end();
        return -ENOSPC;
    }
    int error = rv_shadow_create(&rv_thread.shadow, current_stack_end(), !thread.tid, first_tag());
    thread.is_flat = error != 0;
    return error;
}

bool rv_thread_has_shadow(void)
{
    struct rv_signal_guard guard;
    if (rv_thread.shadow.region)
        return true;
    if (rv_process_is_closed() || native.n_rounds > LAST_ROUNDS || (lacks_ring_and_shadow() && !is_time_to_claim()))
        return false;
    rv_signal_guard_begin(&guard);
    int error = create_shadow();
    if (!error && thread.stack_id)
        (void)rv_shadow_switch(&rv_thread.shadow, thread.stack_id); /* without memory it begins as the first stack's */
    if (!error)
        seed_shadow();
    rv_signal_guard_end(&guard);
    return error == 0;
}

bool rv_thread_has_marked_stacks;

uint32_t rv_thread_stack(void)
{
    return thread.stack_id;
}

void rv_thread_switch_stack(uint32_t stack_id, uint64_t here)
{
    struct rv_signal_guard guard;
    if (native.is_seeding) { /* those of the current stack come last */
        rv_shadow_clear(&rv_thread.shadow);
        return;
    }
    if (native.is_replaying) {
        native.replayed_stack = stack_id;
        rv_push_past(&rv_thread.pusher, here, RV_EVENT_SWITCH, 0, rv_event_word(stack_id, 0, 0));
        return;
    }
    thread.stack_id = stack_id;
    if (!rv_thread.shadow.region) { /* a runtime's thread: nothing of it is hooked, so far */
        rv_thread_push(RV_EVENT_SWITCH, rv_event_word(stack_id, 0, 0), here);
        return;
    }
    rv_signal_guard_begin(&guard);
    /* Without memory its calls nest on those of the stack it leaves. */
    (void)rv_shadow_switch(&rv_thread.shadow, stack_id);
    rv_thread_look(); /* another stack, other room */
    rv_thread_push(RV_EVENT_SWITCH, rv_event_word(stack_id, 0, 0), here);
    rv_signal_guard_end(&guard);
}

void rv_thread_expect_modules(void)
{
    rv_native_modules_announce();
    native.expects_modules = true;
    rv_thread_look();
}

bool rv_thread_begin_unload(void)
{
    struct rv_signal_guard guard;
    const bool is_forking = native.is_forking; /* the process lock is held */
    rv_signal_guard_begin(&guard);
    if (!is_forking)
        rv_rejected_functions_suspend();
    rv_thread_look_at_modules();
    rv_signal_guard_end(&guard);
    return !is_forking;
}

void rv_thread_end_unload(bool has_begun)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    rv_thread_look_at_modules();
    if (has_begun)
        rv_rejected_functions_resume();
    rv_signal_guard_end(&guard);
}

void rv_thread_rename(const char *name, bool is_from_api)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    thread.is_named |= is_from_api;
    if (is_from_api && name)
        write_name(name);
    else
        ask_name();
    rv_signal_guard_end(&guard);
}

void rv_thread_set_number(uint32_t number)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    thread.number = number;
    write_number();
    rv_signal_guard_end(&guard);
}

void rv_thread_release(void)
{
    if (rv_push_is_under_way(&rv_thread.pusher))
        rv_thread_look();
    else
        release_ring();
}

bool rv_thread_uses_ring(uint64_t own_pointer, uint64_t pointer)
{
    return ((struct native *)(uintptr_t)((uint64_t)(uintptr_t)&native - own_pointer + pointer))->uses_ring;
}

bool rv_thread_leave_file(uint64_t own_pointer, uint64_t pointer)
{
    struct rv_thread *fast = (struct rv_thread *)(uintptr_t)((uint64_t)(uintptr_t)&rv_thread - own_pointer + pointer);
    struct thread *slow = (struct thread *)(uintptr_t)((uint64_t)(uintptr_t)&thread - own_pointer + pointer);
    n_files++;
    slow->n_without_ring = 0;
    if (!fast->pusher.state)
        return false;
    const bool is_under_way = rv_push_is_under_way(&fast->pusher);
    if (is_under_way)
        leave_push(&fast->pusher);
    else
        rv_pusher_detach(&fast->pusher);
    slow->has_left_ring = is_under_way;
    rv_shadow_clear(&fast->shadow);
    return is_under_way;
}

void rv_thread_forget(void)
{
    rv_thread_release();
    thread.is_named = false;
    thread.number = 0;
}

/* ---- threads of a runtime ---- */

struct ringviz_thread *rv_thread_create(void)
{
    static uint32_t n;
    struct ringviz_thread *made = rv_thread_memory_take(&threads);
    if (made)
        *made = (struct ringviz_thread){.thread.tid = RV_WIRE_FIRST_TID + __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED),
                                        .n_files = n_files};
    return made;
}

static void put_down(struct ringviz_thread *to)
{
    *to = (struct ringviz_thread){rv_thread.pusher, rv_thread.shadow, thread, n_files};
}

/* A forked child has its parent's: their rings are not its own, and nothing of theirs goes on here. */
static void take_up(const struct ringviz_thread *from)
{
    rv_thread.pusher = from->pusher;
    rv_thread.shadow = from->shadow;
    thread = from->thread;
    if (from->n_files == n_files)
        return;
    rv_pusher_detach(&rv_thread.pusher);
    rv_shadow_clear(&rv_thread.shadow);
    thread.n_without_ring = 0;
}

struct ringviz_thread *rv_thread_use(struct ringviz_thread *next)
{
    struct rv_signal_guard guard;
    struct ringviz_thread *before = native.used;
    if (next == before || (!native.own && !(native.own = rv_thread_memory_take(&threads))))
        return before;
    rv_signal_guard_begin(&guard);
    const bool used_before = begin_use();
    put_down(before ? before : native.own);
    take_up(next ? next : native.own);
    native.used = next;
    end_use(used_before);
    rv_signal_guard_end(&guard);
    return before;
}

void rv_thread_destroy(struct ringviz_thread *ended)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    struct ringviz_thread *before = rv_thread_use(ended);
    if (native.used == ended) {
        const bool used_before = begin_use();
        end_traced();
        end_use(used_before);
        (void)rv_thread_use(before == ended ? NULL : before);
        rv_thread_memory_give(&threads, ended);
    }
    rv_signal_guard_end(&guard);
}

void rv_thread_begin_fork(void)
{
    if (rv_thread_is_forked())
        restart_in_child(rv_push_is_under_way(&rv_thread.pusher));
    native.child = rv_creator_announce_process();
    rv_signal_guard_begin(&native.forking_guard);
    set_mark();
    native.is_forking = true;
    rv_thread_look();
    rv_process_lock();
    rv_os_end_own(); /* fork's own calls, and those of other handlers, are the program's */
}

/* What was stashed while no ring could be claimed. A push that is under way sees to it itself. */
static void write_stash(void)
{
    const struct rv_pusher_state *state = rv_thread.pusher.state;
    if (!state || !state->n_stash || has_ring() || rv_process_is_closed() || rv_push_is_under_way(&rv_thread.pusher))
        return;
    if (get_ring())
        rv_pusher_flush(&rv_thread.pusher);
    else
        count_without_ring(0, true);
}

static void after_fork_in_parent(void)
{
    rv_os_begin_own();
    rv_process_unlock();
    native.is_forking = false;
    write_stash();
    end_forking();
}

static void after_fork_in_child(void)
{
    if (rv_thread_is_forked()) /* no event came before */
        restart_in_child(rv_push_is_under_way(&rv_thread.pusher));
}

void rv_thread_end_fork(void)
{
    if (!native.is_forking)
        return;
    if (rv_thread_is_forked())
        after_fork_in_child();
    else
        after_fork_in_parent();
}

__attribute__((constructor)) static void start(void)
{
    has_end_key();
    if (rv_os_own_tid() == rv_os_own_pid())
        first_thread = &rv_thread;
    set_mark();
    pthread_atfork(rv_thread_begin_fork, after_fork_in_parent, after_fork_in_child);
}

__attribute__((destructor)) static void finish(void)
{
    struct rv_signal_guard guard;
    if (rv_thread_is_forked()) /* the ring and the process's entry are its parent's */
        return;
    rv_signal_guard_begin(&guard);
    const bool used_before = begin_use();
    rv_pusher_flush(&rv_thread.pusher);
    keep_within_shadow();
    if (has_ring())
        ask_name();
    rv_process_end();
    end_use(used_before);
    rv_signal_guard_end(&guard);
}
