/* Two runs against each other, subroutine by subroutine. Which is which: model/compare_match.h. */
#ifndef RV_MODEL_COMPARE_H
#define RV_MODEL_COMPARE_H

#include <stdbool.h>

#include "model/spread.h"
#include "model/stats.h"
#include "model/subroutines.h"

/* Fewer calls than this on a side say nothing about how long they take. */
#define RV_COMPARE_LEAST_CALLS 20u

/*
 * SLOWER and FASTER are claims about the own time of a subroutine's calls; SLOWER_INSIDE and FASTER_INSIDE about the
 * whole time of calls whose own time is the same: it is what they call. How a claim is made: model/compare.c. They say
 * that the two runs differ in this subroutine beyond what all have in common, not why.
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
    const struct rv_stats *own; /* the same calls, by their own times */
    const struct rv_spread *spread;
    struct rv_subroutines *subroutines; /* outlives the comparison */
};

struct rv_compare_change { /* from calls before to calls after; of tested subroutines */
    double ratio;          /* of their mean times (geometric), over what all have in common */
    double p;              /* two-sided, of this test alone */
};

struct rv_compare_row {
    char *name; /* after, where it is there; and its file */
    const char *file;
    uint32_t line[RV_COMPARE_SIDES];             /* 0 where there is none; of several the first defined */
    struct rv_stats_row stats[RV_COMPARE_SIDES]; /* zero where there were no calls; id is the comparison's own */
    uint64_t own_p50_ns[RV_COMPARE_SIDES];
    struct rv_compare_change changes[RV_SPREAD_TIMES];
    enum rv_compare_verdict verdict;
};

struct rv_compare_name { /* of a subroutine of a side */
    char *full;
    const char *file;
    size_t row;
};

struct rv_compare {
    struct rv_compare_row *rows; /* slower ones first, those by their own time before; see by_verdict() */
    size_t n;
    size_t n_tested;
    double common_ratio;           /* of own times, in the middle of all tested subroutines; 1 of too few */
    struct rv_compare_name *names; /* of both sides, by name and file */
    size_t n_names;
};

void rv_compare_init(struct rv_compare *compare, const struct rv_compare_side sides[RV_COMPARE_SIDES]);
void rv_compare_fini(struct rv_compare *compare);

/* Were there enough calls on both sides? */
bool rv_compare_is_tested(const struct rv_compare_row *row);

/* The row of a subroutine of either side; NULL where it has none. */
const struct rv_compare_row *rv_compare_find(const struct rv_compare *compare, const struct rv_subroutine *subroutine);

/* How many times as long as before a call takes after, by medians, as a logarithm to base 2; 0 where no difference is
 * claimed. */
double rv_compare_octaves(const struct rv_compare_row *row);

#endif
