/* An expression of a monitor's, in a statement that the calling thread is in. */
#ifndef RV_PRODUCERS_PERL_EVALUATE_H
#define RV_PRODUCERS_PERL_EVALUATE_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

struct rv_expression {
    const char *text;
    STRLEN n_bytes;
    unsigned frame;  /* of rv_stack_show() */
    unsigned levels; /* references that are followed when its values are shown */
};

/*
 * Evaluate it in the package and with the variables of the frame's statement, what it prints and warns of kept from the
 * program's own streams.
 *   out      UTF-8; what it printed and its values, or why it died, is appended
 *   returns  false when it died
 */
bool rv_evaluate(pTHX_ const struct rv_expression *expression, SV *out);

#endif
