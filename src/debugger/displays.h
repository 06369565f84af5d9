/* Expressions of a ring that are evaluated at each stop. */
#ifndef RV_DEBUGGER_DISPLAYS_H
#define RV_DEBUGGER_DISPLAYS_H

#include "debugger/console.h"

/* Print a line each, with values. Returns their number. */
unsigned rv_displays_show(struct rv_console *console, uint32_t ring);

/* display [EXPR|delete N] */
void rv_displays_run(struct rv_console *console, const char *argument);

#endif
