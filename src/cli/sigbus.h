/* Truncation of a mapped trace file: prints one line, and lets the report of the data read so far be written. */
#ifndef RV_CLI_SIGBUS_H
#define RV_CLI_SIGBUS_H

#include <stdbool.h>

#include "ring/map.h"

/*
 * From now on, an access past the end of this file prints one line and maps zeroes over all of it: then no ring has an
 * owner or events. At most one map at a time, borrowed until rv_sigbus_release(). Main
 * thread.
 */
void rv_sigbus_catch(const struct rv_map *map);
void rv_sigbus_release(void);

/* Has this happened since rv_sigbus_catch()? Any thread. */
bool rv_sigbus_has_come(void);

#endif
