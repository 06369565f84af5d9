/* Captures a command, live file or recording to its end, shows it, then writes the requested outputs. */
#ifndef RV_CLI_RUN_SESSION_H
#define RV_CLI_RUN_SESSION_H

#include "cli/options.h"

/* Returns the exit status of ringviz. Main thread. */
int rv_run_session(const struct rv_options *options);

#endif
