/* A trace file that somebody cuts short while it is mapped: one clear line instead of a crash. */
#ifndef RV_APP_BUS_ERROR_H
#define RV_APP_BUS_ERROR_H

#include "ring/map.h"

/*
 * From now on, touching what is no longer in this file prints one line and ends the program with status 1. At most one
 * map at a time; it is borrowed until rv_bus_error_release(). Main thread.
 */
void rv_bus_error_catch(const struct rv_map *map);
void rv_bus_error_release(void);

#endif
