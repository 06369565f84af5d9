/*
 * Which subroutine of one run is which of another: by name and file, by name and the longest common tail of their
 * files' paths, by name alone where that is all there is on both sides; then the same for packages that are on one side
 * only and have the most names and files in common, as the name of an executable is.
 */
#ifndef RV_MODEL_COMPARE_MATCH_H
#define RV_MODEL_COMPARE_MATCH_H

#include <stddef.h>

#define RV_COMPARE_UNMATCHED ((size_t)-1)

struct rv_compare_subject { /* a subroutine of one side */
    char *full;             /* name with its package */
    const char *package, *name, *file;
    size_t match; /* index on the other side, or RV_COMPARE_UNMATCHED */
};

/* Set every `match`. No two subjects of a side have both name and file in common. */
void rv_compare_match(struct rv_compare_subject *before, size_t n_before, struct rv_compare_subject *after,
                      size_t n_after);

#endif
