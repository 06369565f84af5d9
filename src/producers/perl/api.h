/* The subs with which a program tells its flows and tasks. */
#ifndef RV_PRODUCERS_PERL_RINGVIZ_API_H
#define RV_PRODUCERS_PERL_RINGVIZ_API_H

#include "producers/perl/perl_api.h"

#include <stdbool.h>

extern const char rv_api_mark; /* by its address */

/* Define the subs of Devel::RingViz that a program calls, in this interpreter. */
void rv_api_define(pTHX);

/* Is it one of them? They are no calls of the program: a step is in the sub that tells it. */
static inline bool rv_api_has(const CV *xsub)
{
    return CvXSUBANY(xsub).any_ptr == &rv_api_mark;
}

#endif
