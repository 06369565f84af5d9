/*
 * What the programs that this process starts need to be traced: their environment, where it is a new one; those into which
 * the loader will not preload this library are counted.
 */
#ifndef RV_PRODUCERS_NATIVE_PRELOAD_H
#define RV_PRODUCERS_NATIVE_PRELOAD_H

#include "producers/native/linkage.h"

#define RV_PRELOAD_ENVIRONMENT 512u

/* Map the count in the trace file of this process, which later may be in another root. Once, before main(). */
RV_HIDDEN void rv_preload_start(void);

/* This process is about to start the program at a path. Any thread, also between vfork and exec; keeps errno. */
RV_HIDDEN void rv_preload_expect(const char *path);

/*
 * The environment of such a program: as it is, or, where it has neither a trace file nor a preloaded library or sanitizer options of its own, with
 * ours. Its maker may have taken one of them out so that a program is not traced.
 *   extended  room for that
 * Any thread, also between vfork and exec.
 */
RV_HIDDEN char *const *rv_preload_environment(char *const *environment, char *extended[RV_PRELOAD_ENVIRONMENT]);

/* rv_preload_expect() of a command that is looked up in PATH. */
RV_HIDDEN void rv_preload_expect_command(const char *command);

#endif
