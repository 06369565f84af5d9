/* Functions that were not traced any more from some moment on, as the lanes' marks say (stream/not_traced.h). */
#ifndef RV_EXPORT_NOT_TRACED_H
#define RV_EXPORT_NOT_TRACED_H

#include <stdbool.h>

#include "model/lanes.h"
#include "model/subroutines.h"

struct rv_not_traced {
    uint32_t pid;
    uint64_t at_ns, until_ns; /* since the trace's begin; until: 0 = to its end */
    char what[640];           /* "lua::luaH_getint, 48.12 M calls/s" */
    size_t n_more;            /* later ones of the function that were folded into it */
};

/* "after 1.200 s", "from 1.200 to 5.300 s". Returns out. */
char *rv_not_traced_when(const struct rv_not_traced *one, char out[64]);

/* All, by time; *n of them; to be freed. Any thread. */
struct rv_not_traced *rv_not_traced_take(struct rv_lanes *lanes, struct rv_subroutines *subroutines, size_t *n);

/* Is one of them about the function of this full name? */
bool rv_not_traced_has(const struct rv_not_traced *all, size_t n, const char *full_name);

/* Fold those about one function, of whatever processes, into the first of them. Returns how many are left, by time. */
size_t rv_not_traced_fold(struct rv_not_traced *all, size_t n);

#endif
