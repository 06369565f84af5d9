/*
 * Calls of one run are not independent, and a shared machine is not the same from run to run: a test that assumes
 * independent calls finds differences between a program and itself. Compared is each subroutine's mean of log time, d =
 * mean after - mean before. Sources of variation without any change of the program:
 *
 *   within a run      the variance of the mean by blocks of calls (model/diff_variance.h)
 *   one burst         all its calls saw one state of the machine, which no blocks of them show: w / n for n windows of
 *                     the run's time with calls; w is the variance between windows of subroutines that were called in
 *                     many of them, the upper quartile, as states do not affect all equally
 *   all of a run      c, the median of d over all tested subroutines: one run's machine was slower
 *   from run to run   other differences that affect subroutines unequally (addresses, caches, neighbours): a variance
 *                     tau^2 that is the same for all, chosen so that half of all |d - c| / sqrt(within^2 + burst^2 +
 *                     tau^2) are below 0.6745, as of a normal distribution (the bulk of subroutines has not changed:
 *                     Efron's empirical null)
 *
 * t = (d - c) / sqrt(within^2 + burst^2 + tau^2) by Student's distribution with Welch and Satterthwaite's degrees of
 * freedom. A claim has p < 0.01 over all tests together (Bonferroni), and is of at least 5 %. With fewer than
 * LEAST_BULK subroutines there is no bulk: then c is 0, and tau is that of quiet machines. So an equal change of all
 * subroutines is claimed of none of them; it is c, and is reported separately.
 */
#include "model/diff_significance.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

#define LEAST_P 0.01
#define LEAST_OCTAVES 0.0704 /* 5 % */
#define LEAST_BULK 8u
#define LEAST_TAU 0.05 /* octaves: 3.5 % */
#define TAU_WITHOUT_BULK 0.1
#define FREEDOM_WITHOUT_BULK 1e9 /* treated as known */
#define NORMAL_MEDIAN 0.6745     /* of |x| */

bool rv_diff_significance_is_tested(const struct rv_diff_row *row)
{
    return row->stats[RV_DIFF_BEFORE].n_calls >= RV_DIFF_LEAST_CALLS &&
           row->stats[RV_DIFF_AFTER].n_calls >= RV_DIFF_LEAST_CALLS;
}

struct test {
    double d, within;                /* octaves; variance of d, from both runs' blocks, and then their windows */
    double variances[RV_DIFF_SIDES]; /* its two terms */
    double freedoms[RV_DIFF_SIDES];
};

static struct test make_test(const struct rv_diff_levels *level, enum rv_variance_time time)
{
    struct test test = {0};
    for (int side = 0; side < RV_DIFF_SIDES; side++) {
        const struct rv_diff_variance_sums *its = &level->at[side][time];
        test.d += side == RV_DIFF_AFTER ? rv_diff_variance_mean(its) : -rv_diff_variance_mean(its);
        test.variances[side] = rv_diff_variance_of(its);
        test.freedoms[side] = fmax(its->n_blocks - 1.0, 1.0);
        test.within += test.variances[side];
    }
    return test;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return (values[(n - 1) / 2] + values[n / 2]) / 2.0;
}

/* Add what states of the machine do to means over few windows. */
static void add_states(struct test *tests, const struct rv_diff_levels *const *levels, size_t n,
                       enum rv_variance_time time, double *scratch)
{
    for (int side = 0; side < RV_DIFF_SIDES; side++) {
        size_t n_known = 0;
        for (size_t i = 0; i < n; i++) {
            const double variance = rv_diff_variance_of_windows(&levels[i]->at[side][time]);
            if (variance >= 0.0)
                scratch[n_known++] = variance;
        }
        qsort(scratch, n_known, sizeof *scratch, by_value);
        const double of_windows = n_known ? scratch[n_known * 3 / 4] : 0.0;
        for (size_t i = 0; i < n; i++)
            tests[i].within += of_windows / levels[i]->at[side][time].n_windows;
    }
}

static double median_t(const struct test *tests, size_t n, double common, double tau, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(tests[i].d - common) / sqrt(tests[i].within + tau * tau + 1e-12);
    return median(scratch, n);
}

/* By bisection: the median falls as tau grows. */
static double find_tau(const struct test *tests, size_t n, double common, double *scratch)
{
    double low = LEAST_TAU, high = 64.0;
    if (median_t(tests, n, common, low, scratch) <= NORMAL_MEDIAN)
        return low;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2.0;
        *(median_t(tests, n, common, middle, scratch) > NORMAL_MEDIAN ? &low : &high) = middle;
    }
    return high;
}

/* Two-sided p; by Wallace's approximation of Student's distribution. */
static double p_of(double t, double freedom)
{
    double z = sqrt(freedom * log1p(t * t / freedom)) * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0);
    return erfc(z / sqrt(2.0));
}

static struct rv_diff_change change_of(const struct test *test, double common, double tau, double tau_freedom)
{
    double variance = test->within + tau * tau, share = tau * tau * tau * tau / tau_freedom;
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        share += test->variances[side] * test->variances[side] / test->freedoms[side];
    return (struct rv_diff_change){.ratio = exp2(test->d - common),
                                   .p = p_of((test->d - common) / sqrt(variance), variance * variance / share)};
}

/* Test one kind of time for all tested rows. Own times come first: they determine the common ratio. */
static void test_rows(struct rv_diff *diff, const struct rv_diff_levels *all, enum rv_variance_time time)
{
    struct test *tests = rv_alloc(diff->n, sizeof *tests);
    const struct rv_diff_levels **levels = rv_alloc(diff->n, sizeof *levels);
    double *scratch = rv_alloc(diff->n, sizeof *scratch);
    double tau = TAU_WITHOUT_BULK, tau_freedom = FREEDOM_WITHOUT_BULK;
    size_t n = 0;
    for (size_t i = 0; i < diff->n; i++)
        if (rv_diff_significance_is_tested(&diff->rows[i])) {
            levels[n] = &all[i];
            tests[n++] = make_test(&all[i], time);
        }
    add_states(tests, levels, n, time, scratch);
    for (size_t i = 0; i < n; i++)
        scratch[i] = tests[i].d;
    if (n >= LEAST_BULK && time == RV_DIFF_VARIANCE_OWN)
        diff->common_ratio = exp2(median(scratch, n));
    double common = log2(diff->common_ratio);
    if (n >= LEAST_BULK) {
        tau = find_tau(tests, n, common, scratch);
        tau_freedom = (double)n - 1.0;
    }
    for (size_t i = 0, j = 0; i < diff->n; i++)
        if (rv_diff_significance_is_tested(&diff->rows[i]))
            diff->rows[i].changes[time] = change_of(&tests[j++], common, tau, tau_freedom);
    diff->n_tested = n;
    free(tests);
    free(levels);
    free(scratch);
}

static bool is_claimed(const struct rv_diff_change *change, size_t n_tests)
{
    return change->p * (double)n_tests < LEAST_P && fabs(log2(change->ratio)) >= LEAST_OCTAVES;
}

static enum rv_diff_verdict verdict_of(const struct rv_diff_row *row, size_t n_tested)
{
    const struct rv_diff_change *own = &row->changes[RV_DIFF_VARIANCE_OWN],
                                *whole = &row->changes[RV_DIFF_VARIANCE_WHOLE];
    if (!row->stats[RV_DIFF_BEFORE].n_calls)
        return RV_DIFF_NEW;
    if (!row->stats[RV_DIFF_AFTER].n_calls)
        return RV_DIFF_GONE;
    if (!rv_diff_significance_is_tested(row))
        return RV_DIFF_FEW;
    if (is_claimed(own, n_tested * RV_DIFF_VARIANCE_TIMES))
        return own->ratio > 1.0 ? RV_DIFF_SLOWER : RV_DIFF_FASTER;
    if (is_claimed(whole, n_tested * RV_DIFF_VARIANCE_TIMES))
        return whole->ratio > 1.0 ? RV_DIFF_SLOWER_INSIDE : RV_DIFF_FASTER_INSIDE;
    return RV_DIFF_SAME;
}

void rv_diff_significance_judge(struct rv_diff *diff, const struct rv_diff_levels *levels)
{
    for (int time = 0; time < RV_DIFF_VARIANCE_TIMES; time++)
        test_rows(diff, levels, (enum rv_variance_time)time);
    for (size_t i = 0; i < diff->n; i++)
        diff->rows[i].verdict = verdict_of(&diff->rows[i], diff->n_tested);
}

const char *rv_diff_significance_word(enum rv_diff_verdict verdict)
{
    switch (verdict) {
    case RV_DIFF_SAME:
        return "same";
    case RV_DIFF_SLOWER:
        return "slower";
    case RV_DIFF_SLOWER_INSIDE:
        return "slower-inside";
    case RV_DIFF_FASTER:
        return "faster";
    case RV_DIFF_FASTER_INSIDE:
        return "faster-inside";
    case RV_DIFF_FEW:
        return "few";
    case RV_DIFF_NEW:
        return "new";
    case RV_DIFF_GONE:
        return "gone";
    }
    return "";
}
