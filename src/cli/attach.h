/* --pid and --detach: into a running process and out of it. */
#ifndef RV_CLI_ATTACH_H
#define RV_CLI_ATTACH_H

#include <stddef.h>
#include <sys/types.h>

#include "cli/options.h"
#include "ring/map.h"

#define RV_CLI_ATTACH_BELOW 4096u

/* The processes that run below one but ourselves, parents first; those beyond RV_CLI_ATTACH_BELOW are left out. Returns
 * their number. */
size_t rv_cli_attach_below(pid_t pid, pid_t below[RV_CLI_ATTACH_BELOW]);

/* Also into the processes that run below it, with --follow=all; else says that there are some. 0, or a negative errno
 * with one line printed; processes below it that refuse have a line each. */
int rv_cli_attach(const struct rv_options *options, const struct rv_map *map);

/* Out of what a ringviz that was killed has left: of those below, too, with --follow=all. Does nothing where the
 * process has ended. 0, or a negative errno with one line printed. */
int rv_cli_detach(const struct rv_options *options);

/* Out again: of the process, and of those in the trace file that this ringviz has got into or that have its patches by
 * fork. */
int rv_cli_detach_all(const struct rv_options *options, const struct rv_map *map);

#endif
