/* Where threads have stopped, and which of their stops were shown. */
#ifndef RV_DEBUGGER_PLACE_H
#define RV_DEBUGGER_PLACE_H

#include "debugger/console.h"

/*
 * "ring 1 stopped: main::f(2) at x.pl line 3": the innermost frame without its number; behind it what it stopped for,
 * where that is more than a place, and the values of what is displayed.
 */
void rv_place_show(struct rv_console *console, uint32_t ring);

/* A ring whose thread has stopped since that was shown last; false when there is none. */
bool rv_place_find_new(struct rv_console *console, uint32_t *ring);

#endif
