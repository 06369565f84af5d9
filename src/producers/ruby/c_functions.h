/* Methods written in C: which library they are in. */
#ifndef RV_PRODUCERS_RUBY_C_FUNCTIONS_H
#define RV_PRODUCERS_RUBY_C_FUNCTIONS_H

#include "producers/ruby/ruby_api.h"

/*
 * The file's name, without folders, of the library with the function of a method.
 *   owner    a class or module
 *   returns  NULL: Ruby itself, or not known. Valid while the library is loaded
 */
const char *rv_functions_library(VALUE owner, ID name);

/* Once, before that. */
void rv_functions_start(void);

#endif
