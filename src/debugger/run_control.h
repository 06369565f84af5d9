/* Commands that resume and stop threads. */
#ifndef RV_DEBUGGER_RUN_CONTROL_H
#define RV_DEBUGGER_RUN_CONTROL_H

#include "debugger/console.h"

void rv_run_control_stop(struct rv_console *console, const char *argument);   /* [RING|all|new] */
void rv_run_control_run(struct rv_console *console, const char *argument);    /* [RING|all|new] */
void rv_run_control_step(struct rv_console *console, const char *argument);   /* [RING] */
void rv_run_control_next(struct rv_console *console, const char *argument);   /* [RING] */
void rv_run_control_finish(struct rv_console *console, const char *argument); /* [RING] */
void rv_run_control_start(struct rv_console *console, const char *argument);  /* [RING] */
void rv_run_control_wait(struct rv_console *console, const char *argument);   /* [all] [SECONDS] */

#endif
