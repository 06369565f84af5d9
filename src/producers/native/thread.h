/* The calling thread's pusher and shadow stack: its ring is claimed by its first event and released at its end. */
#ifndef RV_PRODUCERS_NATIVE_THREAD_H
#define RV_PRODUCERS_NATIVE_THREAD_H

#include <stdbool.h>

#include "producers/native/visibility.h"
#include "producers/native/process.h"
#include "producers/native/replaced_returns.h"
#include "producers/native/shadow_stack.h"
#include "ring/push.h"

/* What the fast path of a push uses. */
struct rv_thread {
    struct rv_pusher pusher;
    struct rv_shadow shadow;
    struct rv_returns returns; /* of patched functions */
};
RV_HIDDEN extern RV_THREAD_LOCAL struct rv_thread rv_thread;

/* The slow path of every push of this process: claims a ring where there is none, announces new modules, forks. */
RV_HIDDEN rv_push_slow_fn rv_thread_push_slow;

/* The thread's next event looks for requests of monitors. */
RV_HIDDEN void rv_thread_look(void);

/* The process's gate; where it is unknown, the thread's next event looks. */
static inline intptr_t rv_thread_gate(void)
{
    const intptr_t gate = rv_process_gate();
    if (__builtin_expect(!gate, 0))
        rv_thread_look();
    return gate;
}

/* Events other than a call or a return. As rv_push(), rv_push_two(), rv_push_woken(). */
static inline uint64_t rv_thread_push(enum rv_event_kind kind, uint64_t word, uint64_t stack)
{
    (void)rv_thread_gate();
    return rv_push(&rv_thread.pusher, kind, word, stack, rv_thread_push_slow);
}

static inline uint64_t rv_thread_push_two(enum rv_event_kind kind, uint64_t word, enum rv_event_kind second_kind,
                                          uint64_t second_word, uint64_t stack)
{
    (void)rv_thread_gate();
    return rv_push_two(&rv_thread.pusher, kind, word, second_kind, second_word, stack, rv_thread_push_slow);
}

static inline uint64_t rv_thread_push_woken(uint32_t id, uint64_t woke, uint64_t stack)
{
    (void)rv_thread_gate();
    return rv_push_woken(&rv_thread.pusher, id, woke, stack, rv_thread_push_slow);
}

/*
 * Are the program's threads another C library's than ours? Then our thread keys and fork handlers do not work in them.
 */
RV_HIDDEN extern bool rv_thread_is_foreign;

/* The end of the calling thread's own stack, above all of its frames. */
RV_HIDDEN uint64_t rv_thread_stack_end(void);

/* Call this as each thread that had a ring ends, within a guard. Twice at most, before threads start. */
RV_HIDDEN void rv_thread_on_end(void (*end)(void));

/* The thread is about to end: its ring is given back. From now on each thread does so itself, in its last system
 * call. */
RV_HIDDEN void rv_thread_end(void);
RV_HIDDEN void rv_thread_end_at_exit(bool ends);

/* The calling thread's ring, or -ENOENT. */
RV_HIDDEN int rv_thread_ring(void);

/* The traced thread's number: the kernel's, or that of a runtime's thread. */
RV_HIDDEN uint32_t rv_thread_tid(void);

/* That of the kernel, also where a runtime changes threads. */
RV_HIDDEN uint32_t rv_thread_native_tid(void);

/*
 * Set what reports the frames that are open when a thread gets its ring, is traced again after it was muted, or calls
 * its first hooked function; for this process, never taken back.
 */
RV_HIDDEN void rv_thread_on_ring(void (*replay)(void));

/* One of them, outermost first; only while on_ring's function runs. ticks: of its call, 0 where unknown. False: no
 * event is written for it. */
RV_HIDDEN bool rv_thread_replay(uint32_t id, uint32_t depth, uint64_t ticks);

/* Makes the thread's shadow stack where there is none; false: this thread is not traced. */
RV_HIDDEN bool rv_thread_has_shadow(void);

/* What follows runs on another machine stack. here: as for rv_push(). */
RV_HIDDEN void rv_thread_switch_stack(uint32_t stack_id, uint64_t here);
RV_HIDDEN uint32_t rv_thread_stack(void);
RV_HIDDEN extern bool rv_thread_has_marked_stacks; /* the process tells its stacks by ringviz_stack_switch() */

/* dlopen is about to run: look at the modules before this thread's next event. */
RV_HIDDEN void rv_thread_expect_modules(void);

/* Announce new modules, and those that are gone: now, or before one of the next events. Within a guard. */
RV_HIDDEN void rv_thread_look_at_modules(void);

/* dlclose is about to run, has run: with what its begin returned. */
RV_HIDDEN bool rv_thread_begin_unload(void);
RV_HIDDEN void rv_thread_end_unload(bool has_begun);

/* The thread's name has changed. NULL: ask the kernel. From the API: what the kernel says no longer counts. */
RV_HIDDEN void rv_thread_rename(const char *name, bool is_from_api);

/* The program's own number for the thread, told by its ring. */
RV_HIDDEN void rv_thread_set_number(uint32_t number);

/* Give the ring back; where a push is under way, with the event that follows. An event after that claims another. */
RV_HIDDEN void rv_thread_release(void);

/* Of a thread that stands still, as below: does it use its ring without a push? Then no thread may leave the file. */
RV_HIDDEN bool rv_thread_uses_ring(uint64_t own_pointer, uint64_t pointer);

/*
 * Of a thread that stands still: what it writes next is for another file.
 *   own_pointer, pointer  thread pointers: the caller's, and the thread's
 *   returns               whether a push is under way, which ends in the old file
 */
RV_HIDDEN bool rv_thread_leave_file(uint64_t own_pointer, uint64_t pointer);

/* The same, and what follows is of another thread: without this one's name and number. */
RV_HIDDEN void rv_thread_forget(void);

#endif
