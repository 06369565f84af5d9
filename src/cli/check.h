/* --check and --repair: what a recording holds, and what of it is damaged. */
#ifndef RV_CLI_CHECK_H
#define RV_CLI_CHECK_H

#include <stdio.h>

#include "cli/options.h"

/*
 * Read options->file wholly and write what was found; with options->repair also a clean copy.
 *   returns  0 when it is whole, or was repaired; negative errno, one line printed, when it is damaged or no recording
 */
int rv_check_write(const struct rv_options *options, FILE *out);

#endif
