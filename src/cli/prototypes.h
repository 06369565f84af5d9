/* --prototypes, DWARF for what -x chooses, and --syscalls: which arguments and results are captured. */
#ifndef RV_CLI_PROTOTYPES_H
#define RV_CLI_PROTOTYPES_H

#include "cli/options.h"

/*
 * Read them into what the trace file is to have. Of prototypes of one name the last counts, a file's before DWARF's.
 *   params   captures are set, to be freed by the caller
 *   returns  0, or a negative errno with one line printed
 */
int rv_cli_prototypes_read(const struct rv_options *options, struct rv_map_params *params);

#endif
