/* Files that the window writes on request, into the working folder: ringviz-WHAT-N.ENDING. */
#ifndef RV_WINDOW_NEW_FILE_H
#define RV_WINDOW_NEW_FILE_H

#include <stddef.h>

/*
 * Create the first that is not there yet: none is overwritten.
 *   path     receives its name, also on failure
 *   returns  a descriptor to write to, or a negative errno
 */
int rv_new_file_create(const char *what, const char *ending, char *path, size_t path_bytes);

#endif
