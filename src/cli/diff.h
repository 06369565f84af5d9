/* --diff: compares two captures: as text, and in a window or picture. */
#ifndef RV_CLI_DIFF_H
#define RV_CLI_DIFF_H

#include "cli/options.h"

/* Returns an exit status; errors are printed. */
int rv_cli_diff(const struct rv_options *options);

#endif
