/*
 * Finds the functions of programs that several traced processes run, once for the others of them: `make` runs a compiler
 * a hundred times, and to plan it takes longer than to compile a small file. By ringviz rather than by the first of the
 * processes, whose word about another's code would have to be believed.
 */
#ifndef RV_CLI_PLANNER_H
#define RV_CLI_PLANNER_H

#include "ring/map.h"

struct rv_planner; /* opaque */

/* The map is borrowed. NULL where nothing can be patched, or plans cannot be shared. All functions are NULL-safe. */
struct rv_planner *rv_planner_create(const struct rv_map *map);

/* For the environment of commands (launch.h). */
const char *rv_planner_place(const struct rv_planner *planner);

/* Processes may have come: has a thread plan what a second one of them runs. One thread, the drain. */
void rv_planner_look(struct rv_planner *planner);

/* Waits a second for a plan that is being made, then leaves it and its thread to the end of the process. */
void rv_planner_destroy(struct rv_planner *planner);

#endif
