/* The environment of a traced command: ours, with the trace file and the producers in it. */
#ifndef RV_LAUNCH_ENVIRONMENT_H
#define RV_LAUNCH_ENVIRONMENT_H

#include "launch/launch.h"

/* NULL-terminated; never NULL. A producer that cannot be used is omitted, with one line printed. Main thread. */
char **rv_environment_create(const struct rv_launch_params *params);

/* Set "NAME=front", followed by the separator and `back` unless that is NULL or empty. */
void rv_environment_set(char **environment, const char *name, const char *front, char separator, const char *back);

/* Called in the command's process: with --follow=no, this process is the one to be traced. */
void rv_environment_name_process(char **environment);

void rv_environment_destroy(char **environment);

#endif
