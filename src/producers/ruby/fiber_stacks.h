/*
 * The reported open frames of each fiber: repeated for a forked child and a late ring, and closed when a fiber is
 * collected in the middle of its calls. A fiber's stack lives as long as the fiber and its thread, and its number,
 * which is ringviz's lane, is used again: there are as many as there were fibers at a time.
 */
#ifndef RV_PRODUCERS_RUBY_FIBER_STACKS_H
#define RV_PRODUCERS_RUBY_FIBER_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/ruby/methods.h"
#include "ringviz/producer.h"

struct rv_open_call {
    const char *frame; /* Ruby's; a function has none yet when it is called: then a byte below its caller's */
    struct rv_method method;
    bool is_function;
    bool is_span;     /* of the program, by the API */
    bool is_in_block; /* the block that a method is made of has begun */
    uint64_t called;
};

struct rv_fiber_stack {
    const struct rv_execution_context *context; /* of its fiber; another's while Ruby changes fibers */
    uint32_t collection; /* number of collections up to which the context is known to be its fiber's */
    struct rv_open_call *calls;
    uint32_t n, capacity;
    uint32_t number; /* ringviz's; 0: the thread's first */
    uint32_t n_left; /* [atomic] releases so far, by its thread and by its fiber */
    bool has_fiber;
    struct rv_fiber_stack *next; /* of its thread */
};

/* All of a thread's. Zeroes: no call yet. */
struct rv_fiber_stacks {
    struct rv_fiber_stack *first, *all, *free;
    struct rv_fiber_stack *current; /* while the thread does not run */
    uint32_t n;
    uint32_t n_collected_seen;
    struct rv_known_stack *known;
};

/* The stack that the thread runs on; NULL before its first call. */
extern _Thread_local struct rv_fiber_stack *rv_fiber_stack __attribute__((tls_model("initial-exec")));

/* The thread now runs the fiber of that context. */
void rv_fiber_stacks_switch(const struct rv_execution_context *context);

/* For a Ruby that reports no change of fibers: the thread begins, in its own fiber; it may have changed to another
 * fiber. */
void rv_fiber_stacks_know_first(void);
void rv_fiber_stacks_follow(void);

/* A thread begins, perhaps on the native thread of one that has ended. */
void rv_fiber_stacks_begin_thread(void);

/* The native thread continues another of Ruby's threads: exchange the current stacks for that one's. */
void rv_fiber_stacks_swap(struct rv_fiber_stacks *stacks);

/* The thread has ended: forget its stacks; and give its ring back, which the native thread may still have for a
 * while. */
void rv_fiber_stacks_end_thread(void);
void rv_fiber_stacks_give_back(void);

/* Write the returns of the calls on the thread's stack, down to the innermost span. */
void rv_fiber_stacks_close_to_span(void);

/* A ringviz_replay_fn. */
void rv_fiber_stacks_replay(void);

/* Once, before any thread makes a call. */
void rv_fiber_stacks_start(void);

/* Of the innermost call, or NULL. */
static inline struct rv_open_call *rv_fiber_stacks_top(void)
{
    return rv_fiber_stack && rv_fiber_stack->n > 0 ? &rv_fiber_stack->calls[rv_fiber_stack->n - 1] : NULL;
}

/* Drop the innermost call, after its return was written: a ring that is claimed by that event gets the call as open. */
static inline void rv_fiber_stacks_close_top(void)
{
    struct rv_fiber_stack *stack = rv_fiber_stack;
    ringviz_return(stack->calls[stack->n - 1].method.id, stack->n - 1);
    stack->n--;
}

/* The same of a call that took less than a clock read. */
static inline void rv_fiber_stacks_close_top_at_once(void)
{
    struct rv_fiber_stack *stack = rv_fiber_stack;
    const struct rv_open_call *call = &stack->calls[stack->n - 1];
    ringviz_return_at_once(call->method.id, stack->n - 1, call->called);
    stack->n--;
}

/* Close the calls whose frames lie below; the innermost of those that stay open, or NULL. */
struct rv_open_call *rv_fiber_stacks_close_below(const char *frame);

static inline bool rv_fiber_stacks_has_room(const struct rv_fiber_stack *stack, const char *frame)
{
    return stack && stack->n < stack->capacity && (stack->n == 0 || stack->calls[stack->n - 1].frame > frame);
}

/* A call begins on a stack that has room for it. */
static inline void rv_fiber_stacks_push(struct rv_fiber_stack *stack, const struct rv_method *method, const char *frame,
                                        bool is_function)
{
    struct rv_open_call *call = &stack->calls[stack->n]; /* by members: a whole one would be cleared first */
    call->frame = frame;
    call->method = *method;
    call->is_function = is_function;
    call->is_span = call->is_in_block = false;
    call->called = ringviz_call(method->id, stack->n, 0);
    stack->n++;
}

/*
 * The same after room is made: those in that frame or below are closed, which have ended unseen, as Ruby reports no
 * return for what a SystemStackError unwinds, nor when `retry` begins a method anew; the stack is made, or made larger.
 * Without memory the call is not written.
 */
void rv_fiber_stacks_push_late(const struct rv_method *method, const char *frame, bool is_function);

/* A call in that frame begins. */
static inline void rv_fiber_stacks_open(const struct rv_method *method, const char *frame, bool is_function)
{
    struct rv_fiber_stack *stack = rv_fiber_stack;
    if (__builtin_expect(rv_fiber_stacks_has_room(stack, frame), 1))
        rv_fiber_stacks_push(stack, method, frame, is_function);
    else
        rv_fiber_stacks_push_late(method, frame, is_function);
}

/* The call in that frame ends, if it was seen to begin; those below have ended unseen. */
void rv_fiber_stacks_close_late(const char *frame);

static inline void rv_fiber_stacks_close(const char *frame)
{
    const struct rv_open_call *top = rv_fiber_stacks_top();
    if (__builtin_expect(top && top->frame == frame, 1))
        rv_fiber_stacks_close_top();
    else
        rv_fiber_stacks_close_late(frame);
}

#endif
