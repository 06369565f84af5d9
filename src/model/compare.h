/*
 * Two runs against each other, subroutine by subroutine. What has one package-qualified name and file on both sides is
 * one subroutine, whatever its line: lines move when a program is edited.
 */
#ifndef RV_MODEL_COMPARE_H
#define RV_MODEL_COMPARE_H

#include "model/stats.h"
#include "model/subroutines.h"

/* Fewer calls than this on a side say nothing about how long they take. */
#define RV_COMPARE_LEAST_CALLS 20u

/*
 * SLOWER and FASTER are claims: the calls of one side take longer than those of the other by Mann and Whitney's test,
 * two-sided, p < 0.01 over all subroutines that were tested (Bonferroni), and do so in at least 55 % of all pairs. They
 * say that the two runs differ, not why: a third run tells whether the program does or the machine.
 */
enum rv_compare_verdict {
    RV_COMPARE_SAME,
    RV_COMPARE_SLOWER,
    RV_COMPARE_FASTER,
    RV_COMPARE_FEW,
    RV_COMPARE_NEW, /* after only */
    RV_COMPARE_GONE /* before only */
};

enum { RV_COMPARE_BEFORE, RV_COMPARE_AFTER, RV_COMPARE_SIDES };

struct rv_compare_side {
    const struct rv_stats *stats;
    struct rv_subroutines *subroutines; /* outlives the comparison */
};

struct rv_compare_row {
    char *name;
    const char *file;
    uint32_t line[RV_COMPARE_SIDES];             /* 0 where there is none; of several the first defined */
    struct rv_stats_row stats[RV_COMPARE_SIDES]; /* zero where there were no calls; id is the comparison's own */
    struct rv_histogram_ranks ranks;
    double p; /* two-sided, of this subroutine alone; 1 where it was not tested */
    enum rv_compare_verdict verdict;
};

struct rv_compare {
    struct rv_compare_row *rows; /* greatest change of total time first */
    uint32_t *by_name;           /* of them */
    size_t n;
    size_t n_tested;
};

void rv_compare_init(struct rv_compare *compare, const struct rv_compare_side sides[RV_COMPARE_SIDES]);
void rv_compare_fini(struct rv_compare *compare);

/* The row of a subroutine of either side; NULL where it has none. */
const struct rv_compare_row *rv_compare_find(const struct rv_compare *compare, const struct rv_subroutine *subroutine);

/* How many times as long as before a call takes after, by medians, as a logarithm to base 2; 0 where no difference is
 * claimed. */
double rv_compare_octaves(const struct rv_compare_row *row);

#endif
