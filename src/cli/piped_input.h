/* FILEs that can be read only once. */
#ifndef RV_CLI_PIPED_INPUT_H
#define RV_CLI_PIPED_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Read what comes out of the pipes among these files (standard input, /dev/fd/N) to its end, so that they can be opened
 * like any other file, as often as need be. Files that are no pipe are left as they are.
 *   returns  0, or a negative errno with one line printed
 *   thread   main, before a command or another thread runs
 */
int rv_piped_input_read(const char *const *files, size_t n);

/* Does a FILE name a descriptor, as standard input and the shell's <() do? */
bool rv_piped_input_is(const char *path);

#endif
