/* Breakpoints of the calling thread, as Perl has them: subs by name, statements by file and line, watched
 * expressions. */
#ifndef RV_PRODUCERS_PERL_BREAKPOINTS_H
#define RV_PRODUCERS_PERL_BREAKPOINTS_H

#include <stdbool.h>

#include "producers/commands/text.h"
#include "producers/perl/perl_api.h"

/*
 * Add "Package::sub", "sub" of main, or "FILE:LINE" (FILE complete or its last components), optionally with " if EXPR".
 * Appends "1 main::f", or the error: in a loaded file the line must have a statement.
 */
bool rv_breakpoints_add(pTHX_ const char *text, struct rv_text *out);

/*
 * Watch an expression in a frame of rv_backtrace_show(); when that returns, in its caller. Appends
 * "2 watch $n = 5", or the error.
 */
bool rv_breakpoints_watch(pTHX_ const char *text, unsigned frame, struct rv_text *out);

/* Does the calling thread have breakpoints? */
bool rv_breakpoints_has_any(void);

/* Must every statement be checked? */
bool rv_breakpoints_wants_statements(void);

/* A sub is entered. Returns whether the next statement may be one to stop at. */
bool rv_breakpoints_enter(const CV *cv);

/* Is there anything to evaluate or to stop for at this statement (NULL: at the call of an XS sub)? */
bool rv_breakpoints_is_any_met(const COP *cop);

/* Must the thread stop there? `why` gets the changed values and the conditions that died, a line each. */
bool rv_breakpoints_are_due(pTHX_ const COP *cop, struct rv_text *why);

/* Once, before any thread has breakpoints. */
void rv_breakpoints_start(void);

#endif
