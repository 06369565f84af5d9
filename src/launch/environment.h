/* The environment of a traced command: ours, with the trace file and the producer in it. */
#ifndef RV_LAUNCH_ENVIRONMENT_H
#define RV_LAUNCH_ENVIRONMENT_H

#include "launch/launch.h"

/* NULL-terminated; never NULL. A producer that cannot be preloaded is said, and left out. Main thread. */
char **rv_environment_create(const struct rv_launch_params *params);

void rv_environment_destroy(char **environment);

#endif
