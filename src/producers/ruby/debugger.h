/*
 * A debuggable thread. It looks for requests when it calls a method, and at statements while it may have to stop at
 * one: only the code that it may stop in makes events for statements.
 */
#ifndef RV_PRODUCERS_RUBY_DEBUGGER_H
#define RV_PRODUCERS_RUBY_DEBUGGER_H

#include <stdbool.h>

#include "producers/commands/commands.h"

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
