/* Console commands for breakpoints and stopping watches. */
#ifndef RV_DEBUGGER_BREAKPOINT_COMMANDS_H
#define RV_DEBUGGER_BREAKPOINT_COMMANDS_H

#include "debugger/console.h"

/* [[all] SUB|[FILE:]LINE [if EXPR]|delete N|delete all] */
void rv_breakpoint_commands_break(struct rv_console *console, const char *argument);

/* [EXPR|delete N|delete all] */
void rv_breakpoint_commands_watch(struct rv_console *console, const char *argument);

#endif
