/* --diff: two captures, one after the other, and what differs between them: as text, then to be looked at. */
#ifndef RV_CLI_DIFF_H
#define RV_CLI_DIFF_H

#include "cli/options.h"

/* Exit status; what failed has been said. */
int rv_cli_diff(const struct rv_options *options);

#endif
