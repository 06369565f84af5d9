/* Where the calling thread is to stop: subs by name, statements by file and line. A forked child keeps its parent's. */
#ifndef RV_PRODUCERS_PERL_BREAKS_H
#define RV_PRODUCERS_PERL_BREAKS_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

/* "Package::sub", "sub" of main, or "FILE:LINE", FILE whole or from its last folders on. Appends "1 main::f", or why
 * not. */
bool rv_breaks_add(pTHX_ const char *where, SV *out);

/* By number; "" for all. */
bool rv_breaks_remove(pTHX_ const char *number, SV *out);

/* A line each. */
void rv_breaks_list(pTHX_ SV *out);

bool rv_breaks_has_any(void);
bool rv_breaks_has_lines(void);
bool rv_breaks_at_sub(const CV *cv);
bool rv_breaks_at_statement(const COP *cop);

/* The thread ends. */
void rv_breaks_forget(void);

#endif
