/* Counts the programs started by this process into which the loader will not preload this library. */
#ifndef RV_PRODUCERS_NATIVE_PRELOAD_H
#define RV_PRODUCERS_NATIVE_PRELOAD_H

#include "producers/native/linkage.h"

/* Map the count in the trace file of this process, which later may be in another root. Once, before main(). */
RV_HIDDEN void rv_preload_start(void);

/* This process is about to start the program at a path. Any thread, also between vfork and exec; keeps errno. */
RV_HIDDEN void rv_preload_expect(const char *path);

/* The same of a command that is looked up in PATH. */
RV_HIDDEN void rv_preload_expect_command(const char *command);

#endif
