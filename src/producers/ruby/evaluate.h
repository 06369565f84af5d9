/* Evaluates a monitor's expression in a frame of the calling thread, which is in a handler of an event. */
#ifndef RV_PRODUCERS_RUBY_EVALUATE_H
#define RV_PRODUCERS_RUBY_EVALUATE_H

#include <stdbool.h>

#include "producers/commands/commands.h"
#include "producers/ruby/ruby_api.h"

/*
 * What it writes to $stdout and $stderr is kept from the program's, and appended, then its value or error.
 *   returns  false when it raised an exception; `exit` is passed on
 */
bool rv_evaluate(const struct rv_expression *expression, struct rv_text *out);

/* The owner of a watched expression, which is evaluated often: it is compiled. Returns the binding itself where that
 * fails: its evaluation will tell why. The caller keeps what is returned. GVL. */
VALUE rv_evaluate_compile(VALUE binding, const char *text);

/* The native thread continues with another of Ruby's: exchange where its expression's output goes for where that one's
 * does, NULL: none runs. */
void rv_evaluate_swap(struct rv_text **other);

/* Once. */
void rv_evaluate_start(void);

#endif
