/* Which subroutines are slower or faster in one run than in another, beyond chance. */
#ifndef RV_MODEL_DIFF_SIGNIFICANCE_H
#define RV_MODEL_DIFF_SIGNIFICANCE_H

#include "model/diff.h"
#include "model/diff_variance.h"

struct rv_diff_levels { /* of the call times of one row */
    struct rv_diff_variance_sums at[RV_DIFF_SIDES][RV_DIFF_VARIANCE_TIMES];
};

/* Test all rows, which have their calls: sets changes, verdict, n_tested and common_ratio. levels: one for each row. */
void rv_diff_significance_judge(struct rv_diff *diff, const struct rv_diff_levels *levels);

/* Were there at least RV_DIFF_LEAST_CALLS on both sides? */
bool rv_diff_significance_is_tested(const struct rv_diff_row *row);

/* "slower", "faster-inside", "few": as --diff prints it. */
const char *rv_diff_significance_word(enum rv_diff_verdict verdict);

#endif
