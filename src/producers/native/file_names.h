/* Name ids of source files, for statements: found by the path's text each time, since runtimes copy paths. */
#ifndef RV_PRODUCERS_NATIVE_FILE_NAMES_H
#define RV_PRODUCERS_NATIVE_FILE_NAMES_H

#include <stdint.h>

/* The id of a name without a package and a name of its own, in this file; 0: it cannot have one. Any thread. */
uint32_t rv_file_names_id(const char *path);

#endif
