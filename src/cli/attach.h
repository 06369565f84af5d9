/* --pid and --detach: into a running process and out of it. */
#ifndef RV_CLI_ATTACH_H
#define RV_CLI_ATTACH_H

#include "cli/options.h"
#include "ring/map.h"

/* 0, or a negative errno with one line printed. */
int rv_cli_attach(const struct rv_options *options, const char *trace_path);

/* Out again; does nothing where the process has ended. 0, or a negative errno with one line printed. */
int rv_cli_detach(const struct rv_options *options);

/* The same, and out of the processes in the trace file that it forked, which have its patches. */
int rv_cli_detach_all(const struct rv_options *options, const struct rv_map *map);

#endif
