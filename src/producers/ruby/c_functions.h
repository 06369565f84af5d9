/* Methods written in C: which library they are in, and whether they are readers of attributes. */
#ifndef RV_PRODUCERS_RUBY_C_FUNCTIONS_H
#define RV_PRODUCERS_RUBY_C_FUNCTIONS_H

#include "producers/ruby/ruby_api.h"

struct rv_function {
    const char *library; /* file name, without folders; NULL: Ruby itself, or not known. Valid while it is loaded */
    bool is_reader;      /* made by attr_reader, or of a Struct's member */
};

/* owner: a class or module. */
struct rv_function rv_functions_find(VALUE owner, ID name);

/* Once, before that. */
void rv_functions_start(void);

#endif
