/*
 * Where the calling thread is to stop: subs by name, statements by file and line, each under a condition if it has one,
 * and where the value of an expression has become another. A forked child keeps its parent's.
 */
#ifndef RV_PRODUCERS_PERL_BREAKS_H
#define RV_PRODUCERS_PERL_BREAKS_H

#include <stdbool.h>

#include "producers/perl/evaluate.h"
#include "producers/perl/perl_api.h"

/* As rv_evaluate(), but given up when it does not end. */
typedef bool rv_breaks_evaluate_fn(pTHX_ const struct rv_expression *expression, SV *out);

/*
 * "Package::sub", "sub" of main, or "FILE:LINE", FILE whole or from its last folders on; " if EXPR" behind it. Appends
 * "1 main::f", or why not: a line of a file that is there has to have a statement.
 */
bool rv_breaks_add(pTHX_ const char *text, SV *out);

/*
 * Watch an expression, in a frame of rv_stack_show(), and in its caller's when that has returned. Appends
 * "2 watch $n = 5", or why it dies.
 */
bool rv_breaks_watch(pTHX_ const char *text, unsigned frame, rv_breaks_evaluate_fn *evaluate, SV *out);

/* By number; "" for all. */
bool rv_breaks_remove(pTHX_ const char *number, SV *out);

/* A line each. */
void rv_breaks_list(pTHX_ SV *out);

bool rv_breaks_has_any(void);

/* Is any to be looked at at the next statement, whatever it is? */
bool rv_breaks_wants_statements(void);

/* A sub is entered. Returns whether the next statement may be one to stop at. */
bool rv_breaks_enter(const CV *cv);

/* Is there anything to evaluate, or to stop for, at this statement, or, NULL, where an XS sub is called? */
bool rv_breaks_is_any_met(const COP *cop);

/*
 * Is the thread to stop there?
 *   why   what changed, as "2 watch $n: 5 => 6", and which condition died; a line each, appended
 */
bool rv_breaks_are_due(pTHX_ const COP *cop, rv_breaks_evaluate_fn *evaluate, SV *why);

/* The thread ends. */
void rv_breaks_forget(void);

#endif
