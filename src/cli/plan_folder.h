/*
 * The folder in which traced processes keep the functions found in programs (patch/plans.h): ringviz/plans below
 * $XDG_CACHE_HOME, or ~/.cache.
 */
#ifndef RV_CLI_PLAN_FOLDER_H
#define RV_CLI_PLAN_FOLDER_H

#include <limits.h>

/* Make it, and drop what has not been used for longest where there is too much. Returns the path, or NULL: there is none,
 * or RINGVIZ_PLANS=off is set. */
const char *rv_plan_folder_open(char path[PATH_MAX]);

#endif
