/*
 * Breakpoints of the calling thread: subs by name, statements by file and line, optionally with a condition, and
 * watched expressions whose value changes. A forked child inherits them.
 */
#ifndef RV_PRODUCERS_PERL_BREAKS_H
#define RV_PRODUCERS_PERL_BREAKS_H

#include <stdbool.h>

#include "producers/perl/evaluate.h"
#include "producers/perl/perl_api.h"

/* rv_evaluate() with a timeout. */
typedef bool rv_breaks_evaluate_fn(pTHX_ const struct rv_expression *expression, SV *out);

/*
 * Add "Package::sub", "sub" of main, or "FILE:LINE" (FILE complete or its last components), optionally with " if EXPR".
 * Appends "1 main::f", or the error: in a loaded file the line must have a statement.
 */
bool rv_breaks_add(pTHX_ const char *text, SV *out);

/*
 * Watch an expression in a frame of rv_stack_show(); when that returns, in its caller. Appends
 * "2 watch $n = 5", or the error.
 */
bool rv_breaks_watch(pTHX_ const char *text, unsigned frame, rv_breaks_evaluate_fn *evaluate, SV *out);

/* Remove by number; "" for all. */
bool rv_breaks_remove(pTHX_ const char *number, SV *out);

/* Append a line for each. */
void rv_breaks_list(pTHX_ SV *out);

/* Does the calling thread have breakpoints? */
bool rv_breaks_has_any(void);

/* Must every statement be checked? */
bool rv_breaks_wants_statements(void);

/* A sub is entered. Returns whether the next statement may be one to stop at. */
bool rv_breaks_enter(const CV *cv);

/* Is there anything to evaluate or to stop for at this statement (NULL: at the call of an XS sub)? */
bool rv_breaks_is_any_met(const COP *cop);

/*
 * Must the thread stop there?
 *   why   6", and which condition died; a line each, appended => changed values, as "2 watch $n: 5 => 6", and
 *         conditions that died; a line each, appended => 6", and which condition died; a line each, appended
 */
bool rv_breaks_are_due(pTHX_ const COP *cop, rv_breaks_evaluate_fn *evaluate, SV *why);

/* Free the thread's breakpoints at its end. */
void rv_breaks_forget(void);

#endif
