/*
 * Mean and variation of each subroutine's call times in one run: the mean of the logarithm of times, block by block. A
 * block is a number of consecutive calls in order of their ends. Consecutive calls share the state of the machine and
 * are not independent samples; blocks nearly are, unless all calls were made within one state of the machine: what
 * the states do to times is known of subroutines that are called in many windows, which are parts of the run's time.
 */
#ifndef RV_MODEL_DIFF_VARIANCE_H
#define RV_MODEL_DIFF_VARIANCE_H

#include <stddef.h>
#include <stdint.h>

#define RV_DIFF_VARIANCE_BLOCKS 16u /* limit per subroutine; beyond it, pairs of blocks are merged */

enum rv_variance_time {
    RV_DIFF_VARIANCE_OWN,
    RV_DIFF_VARIANCE_WHOLE,
    RV_DIFF_VARIANCE_TIMES
}; /* without and with what it calls */

struct rv_diff_variance; /* one thread at a time */

struct rv_diff_variance *rv_diff_variance_create(void);
void rv_diff_variance_destroy(struct rv_diff_variance *variance);

/* Add a finished call. */
void rv_diff_variance_add(struct rv_diff_variance *variance, uint32_t id, uint64_t end_ns,
                          const uint64_t time_ns[RV_DIFF_VARIANCE_TIMES]);

/* Sums over the blocks of one or several subroutines. Zero is none. */
struct rv_diff_variance_sums {
    double n_calls;          /* sums over blocks: of their calls n, */
    double n_squares;        /* of n^2, */
    double sum, weighted;    /* of n m and n^2 m, m being a block's mean log2 of ns, */
    double weighted_squares; /* and of n^2 m^2 */
    double n_blocks;
    double n_windows;                  /* with calls; */
    double window_sum, window_squares; /* of m and m^2 of each, */
    double window_errors;              /* and of the variance of m by its calls alone */
};
void rv_diff_variance_gather(const struct rv_diff_variance *variance, uint32_t id, enum rv_variance_time time,
                             struct rv_diff_variance_sums *sums);

/* Mean of all calls. */
double rv_diff_variance_mean(const struct rv_diff_variance_sums *sums);

/* Variance of that mean by the blocks' own, b / (b - 1) * sum(n^2 (m - mean)^2) / N^2; 0 of fewer than two blocks. */
double rv_diff_variance_of(const struct rv_diff_variance_sums *sums);

/* Variance of the means of single windows beyond that of their calls; negative if there are too few windows, or calls
 * in each. */
double rv_diff_variance_of_windows(const struct rv_diff_variance_sums *sums);

#endif
