/* Comparison of two runs, subroutine by subroutine, which model/diff_match.h matches. */
#ifndef RV_MODEL_DIFF_H
#define RV_MODEL_DIFF_H

#include <stdbool.h>

#include "model/diff_variance.h"
#include "model/stats.h"
#include "model/subroutines.h"

/* With fewer calls than this on either side, a subroutine is not tested. */
#define RV_DIFF_LEAST_CALLS 20u

/*
 * SLOWER and FASTER are claims about the own time of a subroutine's calls; SLOWER_INSIDE and FASTER_INSIDE about the
 * total time of calls whose own time is unchanged: their callees changed. See model/diff_significance.c for the test. A
 * claim says that the two runs differ in this subroutine beyond the common change, not why.
 */
enum rv_diff_verdict {
    RV_DIFF_SAME,
    RV_DIFF_SLOWER,
    RV_DIFF_SLOWER_INSIDE,
    RV_DIFF_FASTER,
    RV_DIFF_FASTER_INSIDE,
    RV_DIFF_FEW,
    RV_DIFF_NEW, /* after only */
    RV_DIFF_GONE /* before only */
};

enum { RV_DIFF_BEFORE, RV_DIFF_AFTER, RV_DIFF_SIDES };

struct rv_diff_side {
    const struct rv_stats *stats;
    const struct rv_stats *own; /* the same calls, by own time */
    const struct rv_diff_variance *variance;
    struct rv_subroutines *subroutines; /* outlives the comparison */
};

struct rv_diff_change { /* of tested subroutines only */
    double ratio;       /* of the geometric mean times after / before, divided by common_ratio */
    double p;           /* two-sided, of this test alone */
};

struct rv_diff_row {
    char *name; /* as in the run after, if present there; also its file */
    const char *file;
    uint32_t line[RV_DIFF_SIDES];             /* 0 if unknown; of several definitions the first */
    struct rv_stats_row stats[RV_DIFF_SIDES]; /* zero without calls; id is the comparison's own */
    uint64_t own_p50_ns[RV_DIFF_SIDES];
    struct rv_diff_change changes[RV_DIFF_VARIANCE_TIMES];
    enum rv_diff_verdict verdict;
};

struct rv_diff_name { /* a subroutine's name on one side */
    char *full;
    const char *file;
    size_t row;
};

struct rv_diff {
    struct rv_diff_row *rows; /* slower ones first, see model/diff_order.h */
    size_t n;
    size_t n_tested;
    double common_ratio;        /* median ratio of own times over all tested subroutines; 1 if too few */
    struct rv_diff_name *names; /* of both sides, by name and file */
    size_t n_names;
};

void rv_diff_init(struct rv_diff *diff, const struct rv_diff_side sides[RV_DIFF_SIDES]);
void rv_diff_fini(struct rv_diff *diff);

/* The row of a subroutine of either side; NULL if it has none. */
const struct rv_diff_row *rv_diff_find(const struct rv_diff *diff, const struct rv_subroutine *subroutine);

/* Base-2 logarithm of the ratio of the medians after / before; 0 where no difference is claimed. */
double rv_diff_octaves(const struct rv_diff_row *row);

#endif
