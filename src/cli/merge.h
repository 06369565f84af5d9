/* --merge: merges several recordings into one. */
#ifndef RV_CLI_MERGE_H
#define RV_CLI_MERGE_H

#include "cli/options.h"

/* Returns an exit status; errors are printed. */
int rv_cli_merge(const struct rv_options *options);

#endif
