/*
 * A debuggable thread. It checks its ring's attention flag at each sub call and loop turn; at statements only while it
 * may have to stop at one. Work for a monitor is not traced.
 */
#ifndef RV_PRODUCERS_PERL_DEBUGGER_H
#define RV_PRODUCERS_PERL_DEBUGGER_H

#include <stdbool.h>

#include "producers/commands/commands.h"
#include "producers/perl/perl_api.h"

struct rv_debugger {
    bool wants_statements; /* a step, or a breakpoint at a line */
    bool wants_entries;    /* wants_statements, or a breakpoint at a sub */
};

extern _Thread_local struct rv_debugger rv_debugger __attribute__((tls_model("initial-exec")));

/* Serve monitors' requests, when there are any. */
void rv_debugger_serve(pTHX);

/* If wants_statements: the statement PL_curcop begins. */
void rv_debugger_stop_at_statement(pTHX);

/* If wants_entries: the sub was entered, or is about to be if it is an XS sub. */
void rv_debugger_look_at_entry(pTHX_ const CV *cv);

/* Call once, before any thread is served. */
void rv_debugger_start(void);

/* Called at each sub call and loop turn: serve requests, if there are any. */
static inline void rv_debugger_poll(pTHX)
{
    if (rv_commands_are_there())
        rv_debugger_serve(aTHX);
}

/* Called at each statement. */
static inline void rv_debugger_statement(pTHX)
{
    if (rv_debugger.wants_statements && !rv_commands.is_serving)
        rv_debugger_stop_at_statement(aTHX);
}

/* Called where a sub is entered. */
static inline void rv_debugger_entry(pTHX_ const CV *cv)
{
    if (__builtin_expect(rv_debugger.wants_entries, 0))
        rv_debugger_look_at_entry(aTHX_ cv);
}

#endif
