/*
 * RINGVIZ_RUBY_TARGETS: of the program's methods only those of these names, by TracePoints of their code. The rest runs
 * as if untraced, compiled by YJIT, too.
 *
 *   Foo#bar,Foo::Baz.make,Foo#*,*#call,bar    `*` is any text; without a package: of any
 *
 * A name is known when a method is called: until then the code's own name counts, as it is loaded.
 */
#ifndef RV_PRODUCERS_RUBY_CHOSEN_METHODS_H
#define RV_PRODUCERS_RUBY_CHOSEN_METHODS_H

#include <stdbool.h>

#include "producers/ruby/ruby_api.h"

/* An event of the innermost frame, whose method may have a chosen name. */
typedef void rv_chosen_methods_fn(rb_event_flag_t event);

/*
 * Before the main script is loaded. Complains of names that cannot be.
 *   names    not NULL; kept
 *   events   of ISEQs
 */
void rv_chosen_methods_start(const char *names, rb_event_flag_t events, rv_chosen_methods_fn *handler);

/* Is this method chosen? All are where nothing is. */
bool rv_chosen_methods_has(VALUE owner, ID id);

#endif
