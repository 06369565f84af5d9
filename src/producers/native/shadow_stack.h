/*
 * The shadow stack: which calls of a thread are open, so that the events of each carry its true depth.
 *
 * A frame remembers with which stack pointer its function called its hook. The stack grows downwards: a call from
 * beneath the top frame is that frame's child, and a call from above it shows that the function of the top frame was
 * left without a return (longjmp, an exception). Those two and the return of the top frame are all that happens often
 * and are inlined into the hooks; everything else is shadow_stack.c's.
 *
 * A runtime (ringviz_call) knows how many of its own frames are open, not what functions lie between them. Its frames
 * are on the same stack, each with its depth in the runtime, so that functions that it calls, and what these call in
 * it, nest by time. A function that returns while a frame that the runtime opened in it is open, as its helpers do,
 * stays below that frame until it ends.
 *
 * Frames lie side by side in a region of the thread's own, at 32 times their depth from an address whose low bits are
 * zero: a frame's tag is bits of its own address.
 *
 * Signals: all of this happens between the begin and the end of a push, with its cursor poisoned (ring/push.h). A
 * handler that finds it poisoned keeps away from the slot above the top, which may be half written, and leaves the top
 * as it found it.
 */
#ifndef RV_PRODUCERS_NATIVE_SHADOW_STACK_H
#define RV_PRODUCERS_NATIVE_SHADOW_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"
#include "ring/push.h"

/* A step of the stack pointer beyond this is checked: it may be a step to another stack. */
#define RV_SHADOW_NEAR_BYTES (1ull << 20)

#define RV_SHADOW_TAG_SHIFT 5
#define RV_SHADOW_RESERVE 4096u /* calls that may be pushed without looking for room */
#define RV_SHADOW_KEPT_SHIFT 48
#define RV_SHADOW_KEPT_MAX 65534u /* the highest limit of depth */

struct rv_shadow_frame {
    uint64_t stack;     /* the stack pointer with which its hook began */
    uint64_t word;      /* of its events: the function's address, or the name id of a call by the API, and the tag */
    uint64_t call_site; /* return address in its caller; 0 by the API; of a runtime's frame its depth there + 1 */
    uint64_t site;      /* return address of its hook: tells functions inlined into one another apart; 0 by the API.
                      The upper 16 bits: rv_shadow_n_kept() */
};
_Static_assert(sizeof(struct rv_shadow_frame) == 1u << RV_SHADOW_TAG_SHIFT, "tags are bits of a frame's address");

struct rv_shadow_region;

/* A thread's, of the stack that it is on. Zeroes: it has none yet. Where it has a ring but no region, `top` is a frame
 * that nothing nests on. */
struct rv_shadow {
    struct rv_shadow_frame *top;   /* hooks that find a ring read what is there, others rv_shadow_top() */
    struct rv_shadow_frame *limit; /* a top here or above has no room above it, but for RV_SHADOW_RESERVE frames;
                                      NULL in a region: its calls are of an earlier tracing */
    struct rv_shadow_frame *boundary;
    struct rv_shadow_region *region;
};

/* And the slot above it. */
RV_HIDDEN extern struct rv_shadow_frame rv_shadow_no_frame[2];

static inline struct rv_shadow_frame *rv_shadow_top(const struct rv_shadow *shadow)
{
    return shadow->top ? shadow->top : rv_shadow_no_frame;
}

/* The tag of a frame's events: the low bits of its depth, counted from the first frame's tag. */
static inline uint16_t rv_shadow_tag(const struct rv_shadow_frame *frame)
{
    return (uint16_t)((uintptr_t)frame >> RV_SHADOW_TAG_SHIFT);
}

/* A handler must see either the old top or a whole frame. */
static inline void rv_shadow_move_top(struct rv_shadow *shadow, struct rv_shadow_frame *top)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    shadow->top = top;
}

/*
 * Where depth is limited: how many calls that count are open with this frame, which is at most the limit. Of a frame
 * that is itself too deep, and so is not written: the limit + 1. As pushed: 0.
 */
static inline uint32_t rv_shadow_n_kept(const struct rv_shadow_frame *frame)
{
    return (uint32_t)(frame->site >> RV_SHADOW_KEPT_SHIFT);
}

static inline void rv_shadow_set_n_kept(struct rv_shadow_frame *frame, uint32_t n)
{
    frame->site = (frame->site & RV_EVENT_ADDRESS_MASK) | (uint64_t)n << RV_SHADOW_KEPT_SHIFT;
}

/* Is it a call by the API, or by a runtime? */
static inline bool rv_shadow_is_api(const struct rv_shadow_frame *frame)
{
    return (frame->site & RV_EVENT_ADDRESS_MASK) == 0;
}

/* A call or return of a runtime, as its frame would be. line: of the call's event only. */
static inline struct rv_shadow_frame rv_shadow_runtime_call(uint64_t stack, uint32_t id, uint32_t depth, uint32_t line)
{
    return (struct rv_shadow_frame){
        .stack = stack, .word = rv_event_word(id, 0, (uint16_t)line), .call_site = (uint64_t)depth + 1};
}

/* Is there room for one more frame? */
static inline bool rv_shadow_has_room(const struct rv_shadow *shadow)
{
    return shadow->top < shadow->limit;
}

/* The frame of a call from beneath the top frame; NULL: not that simple. Room is looked for by who calls, at least once
 * in RV_SHADOW_RESERVE calls. */
static inline const struct rv_shadow_frame *
rv_shadow_push(struct rv_shadow *shadow, uint64_t stack, const void *function, const void *call_site, const void *site)
{
    struct rv_shadow_frame *top = rv_shadow_top(shadow);
    if (__builtin_expect(top->stack - stack - 1 >= RV_SHADOW_NEAR_BYTES, 0)) /* the same is too near: inlined there */
        return NULL;
    top++;
    top->stack = stack;
    top->word = rv_event_word_at((uint64_t)(uintptr_t)function, rv_shadow_tag(top));
    top->call_site = (uint64_t)(uintptr_t)call_site;
    top->site = (uint64_t)(uintptr_t)site;
    rv_shadow_move_top(shadow, top);
    return top;
}

/* The top frame, popped, where this is its return; alloca may have lowered the stack pointer. NULL: not that simple.
 * Functions 4 GiB apart count as the same: neither can have taken the other's place on the stack unseen. */
static inline const struct rv_shadow_frame *rv_shadow_pop(struct rv_shadow *shadow, uint64_t stack,
                                                          const void *function)
{
    struct rv_shadow_frame *top = rv_shadow_top(shadow);
    if (__builtin_expect((uint32_t)top->word != (uint32_t)(uintptr_t)function || top->stack < stack, 0))
        return NULL;
    rv_shadow_move_top(shadow, top - 1);
    return top;
}

/*
 * The same of a function built without -fno-optimize-sibling-calls: it has left its machine frame and jumped to its
 * exit hook, which returns to call_site. No frame below the top one can be its own: they are not beneath the stack
 * pointer.
 */
static inline const struct rv_shadow_frame *rv_shadow_pop_jumped(struct rv_shadow *shadow, uint64_t stack,
                                                                 const void *function, const void *call_site)
{
    struct rv_shadow_frame *top = rv_shadow_top(shadow);
    if ((uint32_t)top->word != (uint32_t)(uintptr_t)function || top->call_site != (uint64_t)(uintptr_t)call_site ||
        (top->stack < stack && top[-1].stack < stack))
        return NULL;
    rv_shadow_move_top(shadow, top - 1);
    return top;
}

/* The same for the API. */
static inline const struct rv_shadow_frame *rv_shadow_push_id(struct rv_shadow *shadow, uint64_t stack, uint32_t id)
{
    struct rv_shadow_frame *top = rv_shadow_top(shadow);
    if (__builtin_expect(top->stack - stack >= RV_SHADOW_NEAR_BYTES || !rv_shadow_has_room(shadow), 0))
        return NULL;
    top[1] = (struct rv_shadow_frame){.stack = top->stack, .word = rv_event_word_at(id, rv_shadow_tag(top + 1))};
    rv_shadow_move_top(shadow, top + 1);
    return top + 1;
}

/* The same for a return of the API. NULL, with nothing popped, if the top frame is another's. */
static inline const struct rv_shadow_frame *rv_shadow_pop_id(struct rv_shadow *shadow, uint32_t id)
{
    struct rv_shadow_frame *top = rv_shadow_top(shadow);
    if (__builtin_expect((top->word & RV_EVENT_ADDRESS_MASK) != id || !rv_shadow_is_api(top), 0))
        return NULL;
    rv_shadow_move_top(shadow, top - 1);
    return top;
}

/* The same for a runtime's: its caller is the top frame, or the call that returns is. */
static inline const struct rv_shadow_frame *rv_shadow_push_runtime(struct rv_shadow *shadow,
                                                                   const struct rv_shadow_frame *call)
{
    struct rv_shadow_frame *top = rv_shadow_top(shadow);
    if (__builtin_expect(top->stack - call->stack >= RV_SHADOW_NEAR_BYTES || !rv_shadow_has_room(shadow) ||
                             !rv_shadow_is_api(top) || top->call_site + 1 != call->call_site || call->call_site == 1 ||
                             top == shadow->boundary,
                         0))
        return NULL;
    top[1] = (struct rv_shadow_frame){.stack = top->stack,
                                      .word = rv_event_word((uint32_t)call->word, rv_shadow_tag(top + 1), 0),
                                      .call_site = call->call_site};
    rv_shadow_move_top(shadow, top + 1);
    return top + 1;
}

static inline const struct rv_shadow_frame *rv_shadow_pop_runtime(struct rv_shadow *shadow,
                                                                  const struct rv_shadow_frame *call)
{
    struct rv_shadow_frame *top = rv_shadow_top(shadow);
    if (__builtin_expect((uint32_t)top->word != (uint32_t)call->word || !rv_shadow_is_api(top) ||
                             top->call_site != call->call_site || top == shadow->boundary,
                         0))
        return NULL;
    rv_shadow_move_top(shadow, top - 1);
    return top;
}

/*
 * Any call or return: makes what was left without a return go.
 *   frame      of the call; for a return, as its call's would be, with `site` the return address of the exit hook
 *   returns    the tag; *n_fallen: by how many frames the stack has fallen without a return, or RV_SHADOW_UNWRITTEN
 *   thread     has a region; no push is under way but the caller's own
 */
#define RV_SHADOW_UNWRITTEN SIZE_MAX /* the return is not written: it comes later, or its call has been cut */
RV_HIDDEN uint16_t rv_shadow_enter(struct rv_shadow *shadow, const struct rv_shadow_frame *call, size_t *n_fallen);
RV_HIDDEN uint16_t rv_shadow_leave(struct rv_shadow *shadow, const struct rv_shadow_frame *call, size_t *n_fallen);

/*
 * The same in a handler that interrupted a push. The slot above the top may be half written by whom it interrupted, and
 * it may itself be interrupted by another handler, whose events come before its own: it takes its slots before it
 * writes them and its own event, and gives them back, with end_leave, after it has written that.
 */
RV_HIDDEN uint16_t rv_shadow_enter_nested(struct rv_shadow *shadow, const struct rv_shadow_frame *call);
RV_HIDDEN uint16_t rv_shadow_begin_leave_nested(struct rv_shadow *shadow, const struct rv_shadow_frame *call);
RV_HIDDEN void rv_shadow_end_leave_nested(struct rv_shadow *shadow, const struct rv_shadow_frame *call);

/* The innermost frame of a call with this stack pointer and call site; NULL: none, among the innermost thousands. */
RV_HIDDEN const struct rv_shadow_frame *rv_shadow_find(const struct rv_shadow *shadow, uint64_t stack,
                                                       uint64_t call_site);

/* How many calls count, anew, for all open frames: more than before, never fewer. limit: of depth. */
RV_HIDDEN void rv_shadow_count_kept(struct rv_shadow *shadow, uint32_t limit,
                                    bool (*is_kept)(const struct rv_shadow_frame *frame));

/* After a frame of a runtime has ended: a function below it that has returned before, popped, within a push; NULL:
 * there is none. */
RV_HIDDEN bool rv_shadow_has_returned(const struct rv_shadow *shadow);
RV_HIDDEN const struct rv_shadow_frame *rv_shadow_pop_returned(struct rv_shadow *shadow);

/* The tag of a runtime's open frame, on the current stack or on another; its depth, where that stack does not have
 * it. */
RV_HIDDEN uint16_t rv_shadow_runtime_tag(const struct rv_shadow *shadow, uint32_t stack_id, uint32_t depth);

/* end: above all of the thread's own stack. is_native: the calling thread's, until it ends; else of one that changes
 * native threads. first_tag: of the first call, below 4096. Within a guard; -ENOMEM. */
RV_HIDDEN int rv_shadow_create(struct rv_shadow *shadow, uint64_t end, bool is_native, uint16_t first_tag);

/* To another stack; 0 is its own. Within a guard; -ENOMEM: stays on that which it is on. */
RV_HIDDEN int rv_shadow_switch(struct rv_shadow *shadow, uint32_t stack_id);

/* No call is open any more. */
RV_HIDDEN void rv_shadow_clear(struct rv_shadow *shadow);

/* The same once its thread, which stands still within a push, has ended that and begins another. */
RV_HIDDEN void rv_shadow_clear_later(struct rv_shadow *shadow);

/* All of the thread's. Within a guard. */
RV_HIDDEN void rv_shadow_destroy(struct rv_shadow *shadow);

#endif
