/* The calling thread's Ruby frames, innermost first; those of functions in C have no number. */
#ifndef RV_PRODUCERS_RUBY_BACKTRACE_H
#define RV_PRODUCERS_RUBY_BACKTRACE_H

#include "producers/commands/text.h"
#include "producers/ruby/ruby_api.h"

/* Append "#0 Foo#bar(n=1) at FILE line N", ..., "#2 main program at FILE line N"; lines end with a newline. */
void rv_backtrace_show(struct rv_text *out);

/* A frame's binding; nil if there is no such frame. */
VALUE rv_backtrace_binding(unsigned number);

/* The code of every frame, as an array of RubyVM::InstructionSequence. */
VALUE rv_backtrace_code(void);

#endif
