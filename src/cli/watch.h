/* Captures a command, live file or recording to its end, shows it, then writes the requested outputs. */
#ifndef RV_CLI_WATCH_H
#define RV_CLI_WATCH_H

#include "cli/options.h"

/* Returns the exit status of ringviz. Main thread. */
int rv_watch(const struct rv_options *options);

#endif
