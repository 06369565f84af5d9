/* An expression of a monitor's, in the statement that the calling thread is at. */
#ifndef RV_PRODUCERS_PERL_EVALUATE_H
#define RV_PRODUCERS_PERL_EVALUATE_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

/*
 * Evaluate it in the package and with the variables of the statement, what it prints and warns of kept from the
 * program's own streams.
 *   out      UTF-8; what it printed and its values, or why it died, is appended
 *   returns  false when it died
 */
bool rv_evaluate(pTHX_ const char *expression, STRLEN n_bytes, SV *out);

#endif
