/*
 * Tasks that go on in callbacks: a closure that is handed to an event loop (AnyEvent, EV, Mojo, Coro) while a task is
 * current runs for that task, and each of Coro's coroutines has a current task of its own. Nothing of the program is
 * replaced: the closure's CV, and the coroutine's stack, have magic of ours. Until a program has begun a task, a call
 * costs one test more.
 */
#ifndef RV_PRODUCERS_PERL_EVENT_LOOP_TASKS_H
#define RV_PRODUCERS_PERL_EVENT_LOOP_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/perl/perl_api.h"

extern bool rv_tasks_are_told __attribute__((visibility("hidden"))); /* by any thread so far */

/* As the functions of ringviz/producer.h. */
void rv_tasks_begin(pTHX_ uint64_t id, uint32_t name);
void rv_tasks_switch(pTHX_ uint64_t id);
void rv_tasks_end(pTHX_ uint64_t id);

/* The thread may be in another coroutine by now. */
void rv_tasks_follow(pTHX);

/* A sub is called, with these arguments: note callbacks among them that it is to call for the current task. */
void rv_tasks_note(pTHX_ const CV *cv, SV *const *arguments, SSize_t n);

/* A Perl sub was entered: it may be such a callback, or be given one. In the scope that ends with it. */
void rv_tasks_enter(pTHX_ CV *cv);

#endif
