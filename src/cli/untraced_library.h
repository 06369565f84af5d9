/* The library in which most of a run's time was spent, where its functions are not traced. */
#ifndef RV_CLI_UNTRACED_LIBRARY_H
#define RV_CLI_UNTRACED_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#include "pipeline/session.h"
#include "ring/map.h"

struct rv_untraced_library {
    char file[PATH_MAX]; /* "libsqlite3.so.0" */
    int n_stem;          /* bytes of it before ".so" */
    double share;        /* of the own time of all calls */
};

/*
 * Calls of libraries are traced where a program has few names of its own, or --libcalls asks for them: then all that a
 * library does is own time of these calls.
 *   patches  of struct rv_options: what was asked to be traced
 *   returns  false: no library had more than half of the time, or its functions are traced, or cannot be (libc)
 *   thread   main; the session has ended
 */
bool rv_untraced_library_find(struct rv_session *session, const struct rv_map *map, const char *patches,
                              struct rv_untraced_library *library);

#endif
