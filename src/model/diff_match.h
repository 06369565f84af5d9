/*
 * Matches the subroutines of two runs: by name and file; by name and the longest common tail of their files' paths; by
 * name alone if the name is unique on both sides. Then the same for packages that only one side has (an executable's
 * name, for instance): those with most names and files in common are matched.
 */
#ifndef RV_MODEL_DIFF_MATCH_H
#define RV_MODEL_DIFF_MATCH_H

#include <stddef.h>

#define RV_DIFF_UNMATCHED ((size_t)-1)

struct rv_diff_subject { /* a subroutine of one side */
    char *full;          /* name with its package */
    const char *package, *name, *file;
    size_t match; /* index on the other side, or RV_DIFF_UNMATCHED */
};

/* Set every `match`. No two subjects of a side have both name and file in common. */
void rv_diff_match(struct rv_diff_subject *before, size_t n_before, struct rv_diff_subject *after, size_t n_after);

#endif
