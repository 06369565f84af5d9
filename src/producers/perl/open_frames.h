/*
 * The thread's reported open frames: repeated for a forked child and a late ring, and closed when an exception unwinds
 * several at once. A frame's handle dies with the frame: closing it again does nothing.
 *
 * Each coroutine (Coro) has its own frames: they are identified by perl's stack, PL_mainstack.
 * Its address identifies interpreters.
 */
#ifndef RV_PRODUCERS_PERL_OPEN_FRAMES_H
#define RV_PRODUCERS_PERL_OPEN_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/producer.h"

struct rv_frame {
    uint32_t id;
    uint32_t serial;
    uint64_t called;
};

struct rv_open_frames { /* all zero: none yet */
    const void *stack;  /* perl's */
    struct rv_frame *frames;
    uint32_t n, capacity;
    uint32_t last_serial;
};

/* serial << 32 | depth + 1; 0: no frame */
typedef uint64_t rv_frame_handle;

/* The frames of the stack on which a frame was last opened or closed. */
extern _Thread_local struct rv_open_frames rv_open_frames __attribute__((tls_model("initial-exec")));

/* Make room for at least one more; false when there is no memory. */
bool rv_open_frames_grow(void);

/* Switch stacks; *mainstack differs from rv_open_frames.stack. */
void rv_open_frames_switch(const void *const *mainstack);

/* Write returns until `depth` frames are open. */
void rv_open_frames_pop_to(uint32_t depth);

/* A ringviz_replay_fn. */
void rv_open_frames_replay(void);

/*
 * Call once, before any thread opens a frame. Memory is freed with its thread.
 *   on_thread  called before a thread's first frame, or NULL
 */
void rv_open_frames_start(void (*on_thread)(void));

/* Report a call, whose frame is on that Perl stack. Returns the handle to close it by; 0 when there is no memory. */
static inline rv_frame_handle rv_open_frames_push(const void *const *mainstack, uint32_t id, uint32_t line)
{
    struct rv_open_frames *open = &rv_open_frames;
    if (__builtin_expect(open->stack != *mainstack, 0))
        rv_open_frames_switch(mainstack);
    if (__builtin_expect(open->n == open->capacity, 0) && !rv_open_frames_grow())
        return 0;
    const uint32_t depth = open->n;
    const uint64_t called = ringviz_call(id, depth, line);
    const uint32_t serial = ++open->last_serial;
    open->frames[depth] = (struct rv_frame){id, serial, called};
    open->n = depth + 1;
    return (uint64_t)serial << 32 | (depth + 1);
}

/* Close the frame on that stack, and all above it. A frame is removed after its return was written: a ring claimed by
 * that event gets the frame as open. */
static inline void rv_open_frames_pop(const void *const *mainstack, rv_frame_handle handle)
{
    struct rv_open_frames *open = &rv_open_frames;
    const uint32_t depth = (uint32_t)handle - 1;
    if (__builtin_expect(open->stack != *mainstack, 0))
        rv_open_frames_switch(mainstack);
    if (depth >= open->n || open->frames[depth].serial != (uint32_t)(handle >> 32))
        return;
    if (__builtin_expect(open->n > depth + 1, 0))
        rv_open_frames_pop_to(depth + 1);
    ringviz_return(open->frames[depth].id, depth);
    open->n = depth;
}

#endif
