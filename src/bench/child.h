/* Programs that are measured: started with their output in a pipe, and read meanwhile as a viewer would. */
#ifndef RV_BENCH_CHILD_H
#define RV_BENCH_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "ring/map.h"

/*
 * Start a program that has nothing to read.
 *   variables  "NAME=VALUE" to be added to its environment, or NULL; both lists end with NULL
 *   out        its standard output, for the caller to close, or NULL: it goes nowhere, as its messages do
 *   returns    its pid, to be waited for; or negative errno
 */
pid_t rv_child_start(const char *const *argv, const char *const *variables, int *out);

/* Read all rings of the map by naps of a millisecond until the child has ended, and reap it. Returns how many events.
 */
uint64_t rv_child_drain(struct rv_map *map, pid_t pid);

void rv_child_remove_folder(const char *folder);

#endif
