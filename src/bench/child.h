/* Measured programs: their output goes to a pipe, and their rings are drained as by a viewer. */
#ifndef RV_BENCH_CHILD_H
#define RV_BENCH_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "ring/map.h"

/*
 * Start a program without standard input.
 *   variables  "NAME=VALUE" to add to its environment, or NULL; both lists end with NULL
 *   out        its standard output, which the caller closes; NULL: discarded, as are its messages
 *   returns    its pid, to be waited for; or negative errno
 */
pid_t rv_child_start(const char *const *argv, const char *const *variables, int *out);

/* Read n numbers from a child's output, and close it. 0; -EIO: there are fewer. */
int rv_child_read_numbers(int out, double *numbers, unsigned n);

/* Drain all rings of the map every millisecond until the child has ended, and reap it. Returns the number of events.
 */
uint64_t rv_child_drain(struct rv_map *map, pid_t pid);

/* Remove a folder and the files in it. */
void rv_child_remove_folder(const char *folder);

#endif
