/* The calling thread's Perl stack as text: a line a frame, innermost first. */
#ifndef RV_PRODUCERS_PERL_BACKTRACE_H
#define RV_PRODUCERS_PERL_BACKTRACE_H

#include "producers/perl/perl_api.h"

/* Append "#0 main::f(1, "a") at FILE line N", ..., "#2 main program at FILE line N"; lines end with a newline. */
void rv_backtrace_show(pTHX_ SV *out);

/* Number of frames above the main program. */
unsigned rv_backtrace_depth(pTHX);

struct rv_backtrace_frame {
    const COP *cop; /* its current statement */
    CV *cv;         /* owner of the visible variables: a sub, a string eval, a file, or the main program */
    I32 depth;      /* of cv's recursion */
    AV *arguments;  /* its @_ */
};

/* The frame with this number in rv_backtrace_show(); false if none. */
bool rv_backtrace_find(pTHX_ unsigned number, struct rv_backtrace_frame *out);

#endif
