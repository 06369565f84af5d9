/*
 * Thread ends are seen by a pthread key's destructor, which lets three of the four rounds of destructors pass, so that
 * other destructors' events are still on the ring.
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
#include "producers/native/forking.h"
#include "producers/native/loaded_objects.h"
#include "producers/native/modules.h"
#include "producers/native/process.h"
#include "producers/native/rejected_functions.h"
#include "producers/native/runtime_threads.h"
#include "producers/native/signal_guard.h"
#include "producers/native/thread_memory.h"
#include "producers/native/traced_thread.h"
#include "ring/ownership.h"
#include "ring/program_name.h"

#define LAST_ROUNDS 3u /* of PTHREAD_DESTRUCTOR_ITERATIONS */
#define RETRY_EVENTS 4096u

/* Zeroes as a thread begins: the loader misses threads that begin while it loads us, and leaves zeroes in any case. */
RV_THREAD_LOCAL struct rv_thread rv_thread;
RV_THREAD_LOCAL struct rv_traced_thread rv_traced_thread;

/* Of the native thread. */
static RV_THREAD_LOCAL struct native {
    uint32_t n_rounds;
    bool expects_modules;
    bool has_waited; /* in vain, for the process lock */
    bool has_key;
    bool is_replaying;
    bool is_seeding;         /* the runtime's open frames are put on the new shadow stack */
    uint32_t replayed_stack; /* the stack of the frames that are replayed now */
    bool uses_ring;          /* [atomic] it ends, or writes its last, without a push */
} native;

static struct rv_thread_memory states = RV_THREAD_MEMORY(sizeof(struct rv_pusher_state));
static struct rv_thread_memory stashes = RV_THREAD_MEMORY(RV_PUSH_STASH * sizeof(struct rv_event));
static pthread_key_t end_key;
static uint32_t end_key_state;               /* 0 none, 1 being made, 2 there */
static const struct rv_thread *first_thread; /* the process's; NULL: the library was loaded by another one */
static void (*replay_frames)(void);
static void (*at_end[2])(void);
static bool ends_at_exit; /* by exit(2), which is to be seen, rather than by the key's destructor */

bool rv_thread_is_foreign;

void rv_thread_end_at_exit(bool ends)
{
    ends_at_exit = ends;
}

static void write_name(const char *name)
{
    const size_t n = strnlen(name, sizeof rv_traced_thread.name - 1);
    if (strncmp(name, rv_traced_thread.name, sizeof rv_traced_thread.name - 1) == 0)
        return;
    memcpy(rv_traced_thread.name, name, n);
    rv_traced_thread.name[n] = '\0';
    if (rv_thread_has_ring())
        rv_ownership_set_thread_name(rv_process_map(), rv_thread.pusher.state->ring_idx, rv_traced_thread.name);
}

static void ask_name(void)
{
    char name[RV_THREAD_NAME_BYTES];
    if (rv_traced_thread.is_named || rv_traced_thread.tid || !rv_thread_has_ring() || rv_process_is_confined())
        return;
    rv_program_name_of_thread(rv_map_process(rv_process_map(), rv_process_idx())->name, name, sizeof name);
    write_name(name);
}

static void write_number(void)
{
    if (rv_thread_has_ring())
        rv_map_control(rv_process_map(), rv_thread.pusher.state->ring_idx)->thread_number = rv_traced_thread.number;
}

bool rv_thread_begin_use(void)
{
    const bool used_before = native.uses_ring;
    __atomic_store_n(&native.uses_ring, true, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return used_before;
}

void rv_thread_end_use(bool used_before)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&native.uses_ring, used_before, __ATOMIC_RELAXED);
}

/* While it is in use. */
static void release_ring_within(void)
{
    if (!rv_thread_has_ring())
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
    const bool used_before = rv_thread_begin_use();
    release_ring_within();
    rv_thread_end_use(used_before);
    rv_signal_guard_end(&guard);
}

static void end_thread(void *unused)
{
    (void)unused;
    if (++native.n_rounds < LAST_ROUNDS)
        pthread_setspecific(end_key, &rv_traced_thread);
    else if (!ends_at_exit && !rv_forking_is_child())
        rv_thread_end();
}

void rv_thread_end_traced(void)
{
    release_ring_within();
    rv_thread.pusher = (struct rv_pusher){0};
    rv_shadow_destroy(&rv_thread.shadow);
    if (rv_traced_thread.state && rv_traced_thread.state->stash)
        rv_thread_memory_give(&stashes, rv_traced_thread.state->stash);
    if (rv_traced_thread.state)
        rv_thread_memory_give(&states, rv_traced_thread.state);
    rv_traced_thread.state = NULL;
}

void rv_thread_end(void)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    const bool used_before = rv_thread_begin_use();
    (void)rv_runtime_threads_use(NULL);
    rv_thread_end_traced();
    for (size_t i = 0; i < sizeof at_end / sizeof *at_end && at_end[i]; i++)
        at_end[i]();
    rv_runtime_threads_end();
    native.has_key = false;
    rv_thread_end_use(used_before);
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

/* A static program's has another rv_thread from its start on. */
static bool is_first(void)
{
    const bool is_known = first_thread && !rv_thread_is_foreign;
    return is_known ? first_thread == &rv_thread : rv_os_own_tid() == rv_os_own_pid();
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
        state->stack_end = rv_traced_thread.tid ? 0 : rv_thread_stack_end();
        if (!__atomic_compare_exchange_n(&rv_traced_thread.state, &none, state, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            rv_thread_memory_give(&states, state);
    }
    rv_os_end_own();
    rv_thread.pusher.state = rv_traced_thread.state;
}

void rv_thread_make_stash(struct rv_pusher_state *state)
{
    if (!state || state->stash)
        return;
    rv_os_begin_own();
    struct rv_event *none = NULL, *stash = rv_thread_memory_take(&stashes);
    if (stash && !__atomic_compare_exchange_n(&state->stash, &none, stash, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        rv_thread_memory_give(&stashes, stash);
    rv_os_end_own();
}

void rv_thread_leave_push(struct rv_pusher *pusher)
{
    rv_thread_make_stash(pusher->state);
    rv_pusher_leave(pusher);
}

static bool claim_ring(void)
{
    if (rv_process_open(NULL) != 0 || !rv_traced_thread.state)
        return false;
    rv_thread_look_at_modules();
    rv_creator_find();
    const struct rv_ring_claim as = {.tid = rv_traced_thread.tid,
                                     .born_ticks = rv_traced_thread.tid ? 0 : rv_creator_created()};
    int ring_idx = rv_ownership_claim_as(rv_process_map(), rv_process_idx(), &as);
    if (ring_idx < 0)
        return false;
    struct rv_ring ring;
    rv_ring_view(&ring, rv_process_map(), (uint32_t)ring_idx);
    rv_thread.shadow.top = rv_shadow_top(&rv_thread.shadow);
    rv_pusher_attach(&rv_thread.pusher, rv_traced_thread.state, &ring, (uint32_t)ring_idx);
    rv_traced_thread.has_left_ring = false;
    if (!rv_traced_thread.tid)
        rv_creator_write();
    write_number();
    if (rv_traced_thread.is_named)
        rv_ownership_set_thread_name(rv_process_map(), (uint32_t)ring_idx, rv_traced_thread.name);
    else /* the claim has asked for it */
        rv_ownership_thread_name(rv_process_map(), (uint32_t)ring_idx, rv_traced_thread.name);
    rv_traced_thread.n_without_ring = 0;
    rv_traced_thread.is_muted = false;
    return true;
}

void rv_thread_count_without_ring(uint64_t n, bool has_tried)
{
    n += rv_pusher_drop_stash(&rv_thread.pusher);
    const bool is_first_event = rv_traced_thread.n_without_ring++ == 0;
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
    native.replayed_stack = rv_traced_thread.stack_id;
    replay_frames();
    native.is_replaying = false;
}

/* A thread looks for a ring at its first event, and at few of those that it counts without one. */
static bool is_time_to_claim(void)
{
    return rv_traced_thread.n_without_ring % RETRY_EVENTS == 0 &&
           (!rv_traced_thread.n_without_ring || !rv_process_is_open() || rv_ownership_has_free_ring(rv_process_map()));
}

/* Within a guard. */
static void expect_end(void)
{
    if (!native.has_key && has_end_key())
        native.has_key = pthread_setspecific(end_key, &rv_traced_thread) == 0;
}

bool rv_thread_get_ring(void)
{
    struct rv_signal_guard guard;
    bool is_there = false;
    if (is_time_to_claim() && native.n_rounds <= LAST_ROUNDS) {
        rv_signal_guard_begin(&guard);
        const bool used_before = rv_thread_begin_use();
        is_there = claim_ring();
        rv_thread_end_use(used_before);
        expect_end();
        rv_signal_guard_end(&guard);
    }
    if (is_there)
        report_open_frames();
    return is_there;
}

static void follow_muting(void)
{
    bool was_muted = rv_traced_thread.is_muted;
    rv_traced_thread.is_muted = __atomic_load_n(&rv_thread.pusher.state->ring.control->is_muted, __ATOMIC_RELAXED);
    if (was_muted && !rv_traced_thread.is_muted)
        report_open_frames();
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

static bool is_count_stale(void)
{
    return rv_gate_is_limited(rv_process_gate()) &&
           (!rv_traced_thread.has_counted || rv_traced_thread.version != rv_rejected_functions_version());
}

static void count_kept(void)
{
    rv_traced_thread.has_counted = true;
    rv_traced_thread.version = rv_rejected_functions_version();
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

/* Where a lock is not available in time, they are read later. */
void rv_thread_look_at_modules(void)
{
    if (!rv_process_is_open() || rv_forking_is_under_way())
        return;
    if (!rv_loaded_objects_can_be_read() || !lock_process()) {
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
    if (rv_process_gate() == RV_GATE_CLOSED && !rv_thread_has_ring()) /* a guard makes system calls */
        return;
    release_ring();
    if (rv_forking_is_under_way())
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
    return !rv_thread_has_ring() && !rv_thread.shadow.region && !rv_traced_thread.is_flat &&
           !rv_forking_is_under_way() && !rv_forking_is_child();
}

static void push_slow(struct rv_pusher *pusher, uint64_t stack, uint64_t kind, uint64_t word)
{
    uint64_t next = rv_push_next(pusher, stack);
    if (rv_forking_is_child())
        rv_forking_restart(next == RV_PUSH_NESTED);
    if (rv_push_other_clock(pusher, next, kind, word))
        return;
    const bool is_left_out = is_call(kind) && lacks_ring_and_shadow();
    if (!pusher->state && !rv_process_is_closed() && (!is_left_out || next == RV_PUSH_NESTED))
        make_state();
    if (next == RV_PUSH_NESTED)
        rv_thread_make_stash(pusher->state);
    if (next == RV_PUSH_NESTED && rv_push_nested(pusher, stack, kind, word))
        return;
    if (rv_process_is_closed()) {
        meet_closed_process();
        pusher->cursor = 0;
        return;
    }
    if (rv_forking_is_under_way()) {
        rv_forking_push(stack, kind, word);
    } else if (rv_thread_has_ring() || (!is_left_out && rv_thread_get_ring())) {
        if (has_news())
            look_around();
        follow_muting();
        rv_push_outer(pusher, stack, kind, word);
        keep_within_shadow();
    } else {
        pusher->cursor = 0;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        rv_thread_count_without_ring(1, !is_left_out);
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

int rv_thread_ring(void)
{
    return rv_thread_has_ring() ? (int)rv_thread.pusher.state->ring_idx : -ENOENT;
}

/* Its ring has it without a system call; a forked child's is its parent's before its first event. */
uint32_t rv_thread_native_tid(void)
{
    const bool has_own = rv_thread_has_ring() && !rv_traced_thread.tid && !rv_forking_is_child();
    return has_own ? rv_thread.pusher.state->ring.control->owner_tid : (uint32_t)rv_os_own_tid();
}

uint32_t rv_thread_tid(void)
{
    return rv_traced_thread.tid ? rv_traced_thread.tid : rv_thread_native_tid();
}

void rv_thread_on_end(void (*end)(void))
{
    size_t i = at_end[0] != NULL;
    at_end[i] = end;
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
    const bool used_before = rv_thread_begin_use();
    const bool may_get =
        rv_traced_thread.n_without_ring || !rv_process_is_open() || rv_ownership_awaits_ring(rv_process_map());
    rv_thread_end_use(used_before);
    return may_get;
}

/* A runtime has written its open frames by depths from 0 on, or will. Else the stack's base and its first frames share a
 * page. */
static uint16_t first_tag(void)
{
    return replay_frames || rv_thread_has_ring() ? 0 : 1;
}

static int create_shadow(void)
{
    if (rv_thread.shadow.region)
        return 0;
    if (lacks_ring_and_shadow() && !may_get_ring()) {
        expect_end();
        return -ENOSPC;
    }
    int error = rv_shadow_create(&rv_thread.shadow, current_stack_end(), !rv_traced_thread.tid, first_tag());
    rv_traced_thread.is_flat = error != 0;
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
    if (!error && rv_traced_thread.stack_id)
        (void)rv_shadow_switch(&rv_thread.shadow,
                               rv_traced_thread.stack_id); /* without memory it begins as the first stack's */
    if (!error)
        seed_shadow();
    rv_signal_guard_end(&guard);
    return error == 0;
}

bool rv_thread_has_marked_stacks;

uint32_t rv_thread_stack(void)
{
    return rv_traced_thread.stack_id;
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
    rv_traced_thread.stack_id = stack_id;
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
    const bool is_forking = rv_forking_is_under_way(); /* the process lock is held */
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
    rv_traced_thread.is_named |= is_from_api;
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
    rv_traced_thread.number = number;
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
    return ((const struct native *)(uintptr_t)((uint64_t)(uintptr_t)&native - own_pointer + pointer))->uses_ring;
}

bool rv_thread_leave_file(uint64_t own_pointer, uint64_t pointer)
{
    struct rv_thread *fast = (struct rv_thread *)(uintptr_t)((uint64_t)(uintptr_t)&rv_thread - own_pointer + pointer);
    struct rv_traced_thread *slow =
        (struct rv_traced_thread *)(uintptr_t)((uint64_t)(uintptr_t)&rv_traced_thread - own_pointer + pointer);
    rv_runtime_threads_leave_file();
    slow->n_without_ring = 0;
    if (!fast->pusher.state)
        return false;
    const bool is_under_way = rv_push_is_under_way(&fast->pusher);
    if (is_under_way) { /* which may be changing its shadow stack */
        rv_thread_leave_push(&fast->pusher);
        rv_shadow_clear_later(&fast->shadow);
    } else {
        rv_pusher_detach(&fast->pusher);
        rv_shadow_clear(&fast->shadow);
    }
    slow->has_left_ring = is_under_way;
    return is_under_way;
}

void rv_thread_forget(void)
{
    rv_thread_release();
    rv_traced_thread.is_named = false;
    rv_traced_thread.number = 0;
}

__attribute__((constructor)) static void start(void)
{
    has_end_key();
    if (rv_os_own_tid() == rv_os_own_pid())
        first_thread = &rv_thread;
    rv_forking_start();
}

__attribute__((destructor)) static void finish(void)
{
    struct rv_signal_guard guard;
    if (rv_forking_is_child()) /* the ring and the process's entry are its parent's */
        return;
    rv_signal_guard_begin(&guard);
    const bool used_before = rv_thread_begin_use();
    rv_pusher_flush(&rv_thread.pusher);
    keep_within_shadow();
    if (rv_thread_has_ring())
        ask_name();
    rv_process_end();
    rv_thread_end_use(used_before);
    rv_signal_guard_end(&guard);
}
