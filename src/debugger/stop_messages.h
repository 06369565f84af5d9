/* Printing of stops, and which of them were printed. */
#ifndef RV_DEBUGGER_STOP_MESSAGES_H
#define RV_DEBUGGER_STOP_MESSAGES_H

#include <stdbool.h>

#include "debugger/console.h"

/*
 * Print "ring 1 stopped: main::f(2) at x.pl line 3": the innermost frame without its number; then the reason of the
 * stop if it is more than a place, and the values of displays. False, with nothing printed: the thread has gone on,
 * since a signal interrupted its stop.
 */
bool rv_stop_messages_show(struct rv_console *console, uint32_t ring);

/* Find a ring whose last stop was not printed yet; false when there is none. */
bool rv_stop_messages_find_new(struct rv_console *console, uint32_t *ring);

#endif
