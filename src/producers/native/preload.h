/*
 * What the programs that this process starts need to be traced: their environment, where it is a new one; those into which
 * the loader will not preload this library are counted.
 */
#ifndef RV_PRODUCERS_NATIVE_PRELOAD_H
#define RV_PRODUCERS_NATIVE_PRELOAD_H

#include <stddef.h>

#include "producers/native/visibility.h"

/* Map the count in the trace file of this process, which later may be in another root. Once, before main(). */
RV_HIDDEN void rv_preload_start(void);

/* This process is about to start the program at a path. Any thread, also between vfork and exec; keeps errno. */
RV_HIDDEN void rv_preload_expect(const char *path);

/*
 * The environment of such a program gets our variables where it has neither a trace file nor a preloaded library or sanitizer
 * options of its own: its maker may have taken one of them out so that a program is not traced. Any thread, also between
 * vfork and exec, on whatever stack there is.
 *   room      entries that the extended environment takes, with its end; 0: it is left as it is, as one that cannot be
 *             read is
 *   extended  room for n_room of them. Returns it
 */
RV_HIDDEN size_t rv_preload_environment_room(char *const *environment);
RV_HIDDEN char *const *rv_preload_environment(char *const *environment, char **extended, size_t n_room);

/* rv_preload_expect() of a command that is looked up in PATH. */
RV_HIDDEN void rv_preload_expect_command(const char *command);

#endif
