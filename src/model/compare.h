/* Comparison of two runs, subroutine by subroutine, which model/compare_match.h matches. */
#ifndef RV_MODEL_COMPARE_H
#define RV_MODEL_COMPARE_H

#include <stdbool.h>

#include "model/time_variance.h"
#include "model/stats.h"
#include "model/subroutines.h"

/* With fewer calls than this on either side, a subroutine is not tested. */
#define RV_COMPARE_LEAST_CALLS 20u

/*
 * SLOWER and FASTER are claims about the own time of a subroutine's calls; SLOWER_INSIDE and FASTER_INSIDE about the
 * total time of calls whose own time is unchanged: their callees changed. See model/compare.c for the test. A claim
 * says that the two runs differ in this subroutine beyond the common change, not why.
 */
enum rv_compare_verdict {
    RV_COMPARE_SAME,
    RV_COMPARE_SLOWER,
    RV_COMPARE_SLOWER_INSIDE,
    RV_COMPARE_FASTER,
    RV_COMPARE_FASTER_INSIDE,
    RV_COMPARE_FEW,
    RV_COMPARE_NEW, /* after only */
    RV_COMPARE_GONE /* before only */
};

enum { RV_COMPARE_BEFORE, RV_COMPARE_AFTER, RV_COMPARE_SIDES };

struct rv_compare_side {
    const struct rv_stats *stats;
    const struct rv_stats *own; /* the same calls, by own time */
    const struct rv_time_variance *variance;
    struct rv_subroutines *subroutines; /* outlives the comparison */
};

struct rv_compare_change { /* of tested subroutines only */
    double ratio;          /* of the geometric mean times after / before, divided by common_ratio */
    double p;              /* two-sided, of this test alone */
};

struct rv_compare_row {
    char *name; /* as in the run after, if present there; also its file */
    const char *file;
    uint32_t line[RV_COMPARE_SIDES];             /* 0 if unknown; of several definitions the first */
    struct rv_stats_row stats[RV_COMPARE_SIDES]; /* zero without calls; id is the comparison's own */
    uint64_t own_p50_ns[RV_COMPARE_SIDES];
    struct rv_compare_change changes[RV_TIME_VARIANCE_TIMES];
    enum rv_compare_verdict verdict;
};

struct rv_compare_name { /* a subroutine's name on one side */
    char *full;
    const char *file;
    size_t row;
};

struct rv_compare {
    struct rv_compare_row *rows; /* slower ones first, see by_verdict() */
    size_t n;
    size_t n_tested;
    double common_ratio;           /* median ratio of own times over all tested subroutines; 1 if too few */
    struct rv_compare_name *names; /* of both sides, by name and file */
    size_t n_names;
};

void rv_compare_init(struct rv_compare *compare, const struct rv_compare_side sides[RV_COMPARE_SIDES]);
void rv_compare_fini(struct rv_compare *compare);

/* Were there at least RV_COMPARE_LEAST_CALLS on both sides? */
bool rv_compare_is_tested(const struct rv_compare_row *row);

/* The row of a subroutine of either side; NULL if it has none. */
const struct rv_compare_row *rv_compare_find(const struct rv_compare *compare, const struct rv_subroutine *subroutine);

/* "slower", "faster-inside", "few": as --diff prints it. */
const char *rv_compare_verdict_word(enum rv_compare_verdict verdict);

/* Base-2 logarithm of the ratio of the medians after / before; 0 where no difference is claimed. */
double rv_compare_octaves(const struct rv_compare_row *row);

#endif
