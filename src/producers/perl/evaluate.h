/* Evaluates a monitor's expression in a frame of the calling thread. */
#ifndef RV_PRODUCERS_PERL_EVALUATE_H
#define RV_PRODUCERS_PERL_EVALUATE_H

#include <stdbool.h>

#include "producers/commands/commands.h"
#include "producers/perl/perl_api.h"

/*
 * Evaluate it in the package and with the variables of the frame's statement, its output and warnings are kept from
 * the program's streams.
 *   out      UTF-8; its output, then its values or error, are appended
 *   returns  false when it died
 */
bool rv_evaluate(pTHX_ const struct rv_expression *expression, SV *out);

#endif
