/*
 * The subroutine ids of methods and blocks. A method is known by its method entry and a block by its instruction
 * sequence, so that a method that is defined again is another one. Neither is kept alive: a garbage collection may
 * free or move it and reuse its address, so entries older than the last collection are checked. Each native thread has
 * a table of its own: Ractors run in parallel.
 */
#ifndef RV_PRODUCERS_RUBY_METHODS_H
#define RV_PRODUCERS_RUBY_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/ruby/ruby_api.h"

struct rv_method {
    uint32_t id;
    bool is_of_block; /* made by define_method: its block is called, too */
    bool is_left_out; /* by the filter: its calls are not written */
};

/*
 * The method of the innermost frame, only in its CALL; its block, only in its B_CALL; a method written in C.
 *   returns  valid until one is learnt; NULL: not known. No code of Ruby runs, nothing is allocated
 */
const struct rv_method *rv_methods_known(const struct rv_control_frame *frame);
const struct rv_method *rv_methods_known_block(const struct rv_control_frame *block);
const struct rv_method *rv_methods_known_function(VALUE owner, ID name);

/* The same where it is not known. */
struct rv_method rv_methods_learn(void);
struct rv_method rv_methods_learn_block(const struct rv_control_frame *block);
struct rv_method rv_methods_learn_function(VALUE owner, ID name);

/* "Foo#bar" or "Foo.bar", as the trace has it: a new string in UTF-8. */
VALUE rv_methods_name(VALUE owner, ID id);

/* Once, before any lookup. */
void rv_methods_start(void);

#endif
