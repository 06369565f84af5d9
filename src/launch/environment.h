/* The environment of a traced command: ours, with the trace file and the producers in it. */
#ifndef RV_LAUNCH_ENVIRONMENT_H
#define RV_LAUNCH_ENVIRONMENT_H

#include "launch/launch.h"

/* NULL-terminated; never NULL. A producer that cannot be used is said, and left out. Main thread. */
char **rv_environment_create(const struct rv_launch_params *params);

/* "NAME=front", with the separator and `back` behind it where that is given and not empty. */
void rv_environment_set(char **environment, const char *name, const char *front, char separator, const char *back);

void rv_environment_destroy(char **environment);

#endif
