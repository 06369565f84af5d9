/* One event as Ruby itself has it, to see where things lie that its headers do not tell. */
#ifndef RV_PRODUCERS_RUBY_SAMPLE_EVENT_H
#define RV_PRODUCERS_RUBY_SAMPLE_EVENT_H

#include "producers/ruby/ruby_api.h"

/* Its first members in Ruby 3.1 to 3.4 (struct rb_trace_arg_struct, vm_core.h). */
struct rv_raw_event {
    rb_event_flag_t event;
    const struct rv_execution_context *context;
    const void *frame;
    VALUE self;
    ID id, called;
    VALUE owner;
    VALUE data; /* at a return: the result */
};

/* Call it within an event, of code that is loaded: no code is changed for that one. It must not raise. Not in a
 * hook. */
void rv_sample_event(void (*see)(const struct rv_raw_event *event));

#endif
