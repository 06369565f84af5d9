/* A trace file that somebody cuts short while it is mapped: one clear line, and the report of what was read. */
#ifndef RV_CLI_SIGBUS_H
#define RV_CLI_SIGBUS_H

#include <stdbool.h>

#include "ring/map.h"

/*
 * From now on, touching what is no longer in this file prints one line and puts zeroes in the place of all of it: no
 * ring has an owner or an event there. At most one map at a time; it is borrowed until rv_sigbus_release(). Main
 * thread.
 */
void rv_sigbus_catch(const struct rv_map *map);
void rv_sigbus_release(void);

/* That has happened since the map was caught. Any thread. */
bool rv_sigbus_has_come(void);

#endif
