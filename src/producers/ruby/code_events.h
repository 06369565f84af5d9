/*
 * Events of chosen code only: of the lines of a method or block, of its entry, or of one line. The rest of the program
 * keeps its speed. Events that cannot be chosen by code, for files that are loaded and for exceptions, are here, too.
 *
 * All need the GVL. Code is a RubyVM::InstructionSequence.
 */
#ifndef RV_PRODUCERS_RUBY_CODE_EVENTS_H
#define RV_PRODUCERS_RUBY_CODE_EVENTS_H

#include <stdbool.h>

#include "producers/ruby/ruby_api.h"

/* Whom events are for: a breakpoint of a thread, by its number; 0: another use by the thread. */
struct rv_code_events_owner {
    const struct rv_code_events_thread *thread; /* NULL: none, nothing is done */
    unsigned number;
};

/* An owner in the calling thread; rv_code_events_begin_thread() comes first. */
struct rv_code_events_owner rv_code_events_owner(unsigned number);

static inline bool rv_code_events_is_owner(struct rv_code_events_owner a, struct rv_code_events_owner b)
{
    return a.thread == b.thread && a.number == b.number;
}

/* Enable a tracepoint for this code only; raises where that has none of its events. line: as below. */
VALUE rv_code_events_enable(VALUE tracepoint, VALUE code, unsigned long line);

/* tracepoint: identifies the target where an event belongs to several. */
typedef void rv_code_events_fn(VALUE tracepoint, void *unused);

struct rv_code_events_handlers {
    rv_code_events_fn *line, *entry, *raise, *loaded;
};

/*
 * Events of this code, until it is released. Nothing is done where the owner has them already.
 *   line  0: of all lines, also of the blocks in it
 */
void rv_code_events_add_lines(struct rv_code_events_owner owner, VALUE code, unsigned long line);
void rv_code_events_add_entry(struct rv_code_events_owner owner, VALUE code);
void rv_code_events_add_raise(struct rv_code_events_owner owner);
void rv_code_events_add_loaded(struct rv_code_events_owner owner);

/* Keep an object for the owner. */
void rv_code_events_keep(struct rv_code_events_owner owner, VALUE object);

/* Release all targets and objects of the owner. Events may come until the program continues. */
void rv_code_events_release(struct rv_code_events_owner owner);

/* Is this the tracepoint of a target? */
bool rv_code_events_has(VALUE tracepoint);

/* Does the owner's thread still exist? */
bool rv_code_events_is_alive(struct rv_code_events_owner owner);

/*
 * The calling thread may own targets from now on; it ends, which needs no GVL; it is the only one left, in a forked
 * child.
 */
void rv_code_events_begin_thread(void);
void rv_code_events_end_thread(void);
void rv_code_events_fork(void);

/* The native thread continues with another of Ruby's: exchange what it is here for what that one is, NULL: nothing
 * yet. */
void rv_code_events_swap(struct rv_code_events_thread **other);

/* While a handler may wait or call the program, nothing is taken back. */
void rv_code_events_begin(void);
void rv_code_events_end(void);

/* The code that is loaded, all of it: slow. */
typedef void rv_code_events_code_fn(VALUE code, void *context);
void rv_code_events_each_code(rv_code_events_code_fn *each, void *context);

/* This code, and all that is in it. */
void rv_code_events_each_inner(VALUE code, rv_code_events_code_fn *each, void *context);

/* Does code begin an event of that kind ("line", "call", "b_call") on that line? 0: on any. */
bool rv_code_events_has_event(VALUE code, const char *kind, unsigned long line);

/* Once. */
void rv_code_events_start(const struct rv_code_events_handlers *handlers);

#endif
