/* Ruby's headers, which do not compile with our warnings, and the frame that a thread executes. */
#ifndef RV_PRODUCERS_RUBY_RUBY_API_H
#define RV_PRODUCERS_RUBY_RUBY_API_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wundef"
#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/encoding.h>
#pragma GCC diagnostic pop

/*
 * Not in the headers, but exported, with these first members, by Ruby 2.5 to 3.4 (vm_core.h). Control frames lie in an
 * array of each fiber that grows downwards: the innermost has the lowest address.
 */
struct rv_execution_context {
    VALUE *stack;
    size_t stack_size;
    const char *frame;
};
extern _Thread_local struct rv_execution_context *ruby_current_ec __attribute__((tls_model("initial-exec")));

#endif
