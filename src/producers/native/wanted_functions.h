/* Which functions are to be patched: the lines of a request (wanted_lines.h) that choose some of an object. */
#ifndef RV_PRODUCERS_NATIVE_WANTED_FUNCTIONS_H
#define RV_PRODUCERS_NATIVE_WANTED_FUNCTIONS_H

#include <stdbool.h>

#include "producers/native/visibility.h"

#define RV_WANTED_FUNCTIONS_BYTES 4096u /* of a pattern */

/*
 * One regular expression of all lines that choose functions of an object: "(REGEX)|(REGEX)".
 *   name     of the object, as the loader has it: "" is the program
 *   returns  false: none does
 */
RV_HIDDEN bool rv_wanted_functions_find(const char *wanted, const char *name, char pattern[RV_WANTED_FUNCTIONS_BYTES]);

#endif
