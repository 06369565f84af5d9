/*
 * Breakpoints of the calling thread, as Ruby has them: methods by name, statements by file and line, exceptions, and
 * watched expressions. Only the code that they are about makes events.
 */
#ifndef RV_PRODUCERS_RUBY_BREAKPOINTS_H
#define RV_PRODUCERS_RUBY_BREAKPOINTS_H

#include <stdbool.h>

#include "producers/commands/breakpoint_list.h"
#include "producers/ruby/ruby_api.h"

/*
 * Add "Foo#bar", "Foo.bar", "bar" of Object, "raise", "raise CLASS" or "FILE:LINE" (FILE complete or its last
 * components), optionally with " if EXPR". Appends "1 Foo#bar", or the error: in a loaded file the line must have a
 * statement, and a method must be written in Ruby.
 */
bool rv_breakpoints_add(const char *text, struct rv_text *out);

/* Watch an expression in a frame. Appends "2 watch @n = 5", or the error. */
bool rv_breakpoints_watch(const char *text, unsigned frame, struct rv_text *out);

/* Where the thread is. */
struct rv_breakpoints_place {
    enum rv_breakpoint_kind kind; /* SUB: a method was entered; LINE: a statement begins; RAISE */
    VALUE exception;              /* RAISE */
};

/* Is there anything to evaluate or to stop for? */
bool rv_breakpoints_is_any_met(const struct rv_breakpoints_place *place);

/* Must the thread stop there? `why` gets exceptions, changed values and conditions that died, a line each. */
bool rv_breakpoints_are_due(const struct rv_breakpoints_place *place, struct rv_text *why);

/* A file, or the text of an eval, was compiled: find what breakpoints of all threads wait for. */
void rv_breakpoints_load(VALUE code);

/* Once, before any thread has breakpoints. */
void rv_breakpoints_start(void);

#endif
