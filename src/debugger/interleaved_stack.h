/* One stack of two: the frames that a thread tells, and between them calls that only its ring has, of other
 * languages. */
#ifndef RV_DEBUGGER_INTERLEAVED_STACK_H
#define RV_DEBUGGER_INTERLEAVED_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "debugger/ring_stack.h"

/* Begins a line without a number. */
#define RV_INTERLEAVED_STACK_INDENT "   "

/*
 *     #0 main::twice(4) at x.pl line 3
 *        sqlite3::sqlite3_step at sqlite3.c line 88734
 *        DBD::SQLite::st::execute
 *     #1 main::ask("select twice(4)") at x.pl line 9
 *
 *   told        the thread's lines, innermost first, with its numbers
 *   is_stopped  it has not run since it told them. Of one that runs, the ring may be of a later moment: then only
 *               frames on which both agree have calls between them, or none has
 *   returns     for free(), never NULL
 */
char *rv_interleaved_stack_show(struct rv_ring_stack *ring_stack, uint32_t ring, const char *told, bool is_stopped);

#endif
