/* Opens the user's editor at a line of a file. */
#ifndef RV_WINDOW_EDITOR_H
#define RV_WINDOW_EDITOR_H

#include <stdint.h>

/*
 * Start $VISUAL or $EDITOR with "+LINE FILE"; its words are separated by spaces, and no shell reads them. A relative
 * path begins with "./", so that it is a path for every editor. Does not wait.
 *   returns  0, or a negative errno with one line printed: none is set, or the file cannot be read
 */
int rv_editor_open(const char *path, uint32_t line);

#endif
