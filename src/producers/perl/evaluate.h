/* Evaluates a monitor's expression in a frame of the calling thread. */
#ifndef RV_PRODUCERS_PERL_EVALUATE_H
#define RV_PRODUCERS_PERL_EVALUATE_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

struct rv_expression {
    const char *text;
    STRLEN n_bytes;
    unsigned frame;  /* number in rv_stack_show() */
    unsigned levels; /* levels of references to show */
};

/*
 * Evaluate it in the package and with the variables of the frame's statement, its output and warnings are kept from
 * the program's streams.
 *   out      UTF-8; its output, then its values or error, are appended
 *   returns  false when it died
 */
bool rv_evaluate(pTHX_ const struct rv_expression *expression, SV *out);

#endif
