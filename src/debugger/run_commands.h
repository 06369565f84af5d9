/* Commands that resume and stop threads. */
#ifndef RV_DEBUGGER_RUN_COMMANDS_H
#define RV_DEBUGGER_RUN_COMMANDS_H

#include "debugger/console.h"

void rv_run_commands_stop(struct rv_console *console, const char *argument);   /* [RING|all|new] */
void rv_run_commands_run(struct rv_console *console, const char *argument);    /* [RING|all|new] */
void rv_run_commands_step(struct rv_console *console, const char *argument);   /* [RING] */
void rv_run_commands_next(struct rv_console *console, const char *argument);   /* [RING] */
void rv_run_commands_finish(struct rv_console *console, const char *argument); /* [RING] */
void rv_run_commands_start(struct rv_console *console, const char *argument);  /* [RING] */
void rv_run_commands_wait(struct rv_console *console, const char *argument);   /* [all] [SECONDS] */

#endif
