/* --check and --repair: contents of and damage in a recording. */
#ifndef RV_CLI_CHECK_H
#define RV_CLI_CHECK_H

#include <stdio.h>

#include "cli/options.h"

/*
 * Read all of options->file and write the findings; with options->repair also a clean copy.
 *   returns  0 when it is undamaged or was repaired; negative errno with one line printed when damaged or not a
 *            recording
 */
int rv_check_write(const struct rv_options *options, FILE *out);

#endif
