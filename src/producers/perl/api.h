/* The subs with which a program tells its flows and tasks. */
#ifndef RV_PRODUCERS_PERL_RINGVIZ_API_H
#define RV_PRODUCERS_PERL_RINGVIZ_API_H

#include "producers/perl/perl_api.h"

#include <stdbool.h>

void rv_api_define(pTHX);

/* Is it one of them? They are no calls of the program: a step is in the sub that tells it. */
bool rv_api_has(const CV *cv);

#endif
