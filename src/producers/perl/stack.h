/* The calling thread's Perl stack as text: a line a frame, innermost first. */
#ifndef RV_PRODUCERS_PERL_STACK_H
#define RV_PRODUCERS_PERL_STACK_H

#include "producers/perl/perl_api.h"

/* Append "#0 main::f(1, "a") at FILE line N", ..., "#2 main program at FILE line N"; lines end with a newline. */
void rv_stack_show(pTHX_ SV *out);

#endif
