/*
 * What the programs that this process starts need to be traced: their environment, where it is a new one; those into
 * which the loader will not preload this library are counted.
 */
#ifndef RV_PRODUCERS_NATIVE_PRELOAD_H
#define RV_PRODUCERS_NATIVE_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "producers/native/visibility.h"

/* Map the count in the trace file of this process, which later may be in another root. Once, before main(). */
RV_HIDDEN void rv_preload_start(void);

/*
 * This process is about to start the program at a path, or a command that is looked up in PATH. Any thread, also
 * between vfork and exec; keeps errno.
 *   returns  whether it gets another user's rights, so that the loader preloads nothing into it
 */
RV_HIDDEN bool rv_preload_expect(const char *path);
RV_HIDDEN bool rv_preload_expect_command(const char *command);

/* How an environment is changed, found in one look: another thread may change it meanwhile. */
struct rv_preload_change {
    size_t n_entries;    /* that are copied */
    const char *options; /* of Ruby, without our switch: those of entry ruby_at; NULL: our variables are added */
    size_t n_options, ruby_at;
};

/*
 * The environment of such a program gets our variables where it has neither a trace file nor a preloaded library or
 * sanitizer options of its own: its maker may have taken one of them out so that a program is not traced. That of a
 * privileged one lacks our switch in RUBYOPT: a ruby that it starts with another user's rights would refuse to load
 * anything, and end. Any thread, also between vfork and exec, on whatever stack there is.
 *   find     returns the bytes of the changed environment; 0: it is left as it is, as one that cannot be read is
 *   changed  room for them, of which no more is written whatever has become of the environment. Returned
 */
RV_HIDDEN size_t rv_preload_find_change(char *const *environment, bool is_privileged, struct rv_preload_change *change);
RV_HIDDEN char *const *rv_preload_change(char *const *environment, const struct rv_preload_change *change,
                                         char **changed);

#endif
