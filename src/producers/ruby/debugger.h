/*
 * A debuggable thread. It looks for requests when it calls a method, and at statements while it may have to stop at
 * one: only the code that it may stop in makes events for statements.
 */
#ifndef RV_PRODUCERS_RUBY_DEBUGGER_H
#define RV_PRODUCERS_RUBY_DEBUGGER_H

#include <stdbool.h>

#include "producers/commands/commands.h"
#include "producers/ruby/code_events.h"
#include "producers/ruby/request_poller.h"
#include "producers/ruby/ruby_api.h"

/* Where an event was handled, in its fiber; its first tracepoint, as others may follow. */
struct rv_debugger_seen {
    const struct rv_execution_context *context;
    const struct rv_control_frame *frame;
    const VALUE *next_instruction;
    VALUE tracepoint;
};

/* Of a thread. */
struct rv_debugger_thread {
    bool is_woken;
    bool has_new_ring; /* from its next event on it takes commands from that ring */
    bool has_block_hook, has_line_hook;
    const struct rv_execution_context *context; /* NEXT, FINISH: the fiber in which to stop again, */
    const struct rv_control_frame *frame;       /* and the frame: outer ones have higher addresses; its code */
    VALUE code;
    VALUE fiber;                                /* which is kept while the thread is stepped */
    struct rv_debugger_seen line, entry, raise; /* the last handled event of each kind */
    struct rv_debugger_seen stopped;            /* where it stopped, as a method or block was entered */
    bool is_stopped_by_step;                    /* else a breakpoint has stopped it there */
    bool has_changed; /* breakpoints were changed while it was stopped: one may be at that statement now */
    bool is_line_due;
};

/* What a thread of Ruby's has for the debugger that no native thread runs. Zeroes: nothing yet. */
struct rv_debugger_put_away {
    struct rv_debugger_thread thread;
    struct rv_commands_put_away commands;
    struct rv_code_events_thread *code_events;
    struct rv_request_poller_thread *poller;
    struct rv_text *output;
};

/* A method or block was entered, and there are requests or the thread is stepped. */
void rv_debugger_look_at_entry(void);

/* The calling thread has changed to this fiber, and is stepped. */
void rv_debugger_look_at_fiber(void);

/* The calling thread has got a ring; it may be none of Ruby's, or not have the GVL. */
void rv_debugger_on_ring(void);

/* A thread of Ruby's begins, perhaps on the native thread of one that has ended. */
void rv_debugger_begin_thread(void);

/* It ends; the native one may stay, with its ring. */
void rv_debugger_end_thread(void);

/* The native thread continues with another of Ruby's: exchange what it has for that one's. */
void rv_debugger_swap(struct rv_debugger_put_away *other);

/* Once, before any thread has a ring. has_blocks: rv_debugger_entry() is called for blocks, too. */
void rv_debugger_start(bool has_blocks);

/* Are there requests, or is the thread stepped, or one of its expressions evaluated? */
static inline bool rv_debugger_is_busy(void)
{
    return rv_commands_are_there() || __builtin_expect(rv_commands.pace == RV_COMMANDS_STEP, 0) ||
           __builtin_expect(rv_commands.is_serving, 0);
}

/* Called where the thread has changed to another fiber. */
static inline void rv_debugger_change_fiber(void)
{
    if (rv_commands.pace != RV_COMMANDS_RUN)
        rv_debugger_look_at_fiber();
}

/* Called where a method or block was entered. */
static inline void rv_debugger_entry(void)
{
    if (rv_debugger_is_busy())
        rv_debugger_look_at_entry();
}

#endif
