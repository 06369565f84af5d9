/* Watch a command or a live file to its end: capture, show, then write what was asked for. */
#ifndef RV_CLI_WATCH_H
#define RV_CLI_WATCH_H

#include "cli/options.h"

/* Returns the exit status of ringviz. Main thread. */
int rv_watch(const struct rv_options *options);

#endif
