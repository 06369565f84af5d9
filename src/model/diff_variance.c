#include "model/diff_variance.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

#define WINDOW_SHIFT 23 /* 8 ms: a scheduler's turn, or a clock's */
#define LEAST_WINDOWS 8.0
#define LEAST_CALLS_OF_WINDOW 16.0 /* on average: fewer have no exact mean */

struct block {
    double n, sums[RV_DIFF_VARIANCE_TIMES]; /* number of calls; sums of the logarithms of their times */
};

struct row {
    struct block *blocks; /* RV_DIFF_VARIANCE_BLOCKS of them, or NULL */
    uint64_t block_calls; /* calls in each block but the last */
    size_t n_blocks;
    uint64_t window; /* whose calls are in `calls` */
    struct window {
        double n, sums[RV_DIFF_VARIANCE_TIMES], squares[RV_DIFF_VARIANCE_TIMES];
    } calls;
    struct windows { /* sums of their means, of these squared, and of the variances of these by their calls alone */
        double n, sums[RV_DIFF_VARIANCE_TIMES], squares[RV_DIFF_VARIANCE_TIMES], errors[RV_DIFF_VARIANCE_TIMES];
    } windows; /* before that one */
};

struct rv_diff_variance {
    struct row *rows; /* by id */
    size_t n_rows;
};

struct rv_diff_variance *rv_diff_variance_create(void)
{
    return rv_alloc(1, sizeof(struct rv_diff_variance));
}

void rv_diff_variance_destroy(struct rv_diff_variance *variance)
{
    if (!variance)
        return;
    for (size_t i = 0; i < variance->n_rows; i++)
        free(variance->rows[i].blocks);
    free(variance->rows);
    free(variance);
}

static void join_blocks(struct row *row)
{
    for (size_t i = 0; i < RV_DIFF_VARIANCE_BLOCKS / 2; i++) {
        struct block *into = &row->blocks[i];
        const struct block *pair = &row->blocks[2 * i];
        *into = (struct block){pair[0].n + pair[1].n,
                               {pair[0].sums[0] + pair[1].sums[0], pair[0].sums[1] + pair[1].sums[1]}};
    }
    row->n_blocks = RV_DIFF_VARIANCE_BLOCKS / 2;
    row->block_calls *= 2;
}

static void add_window(struct windows *windows, const struct window *calls)
{
    for (int i = 0; i < RV_DIFF_VARIANCE_TIMES; i++) {
        const double mean = calls->sums[i] / calls->n;
        windows->sums[i] += mean;
        windows->squares[i] += mean * mean;
        windows->errors[i] += fmax(calls->squares[i] / calls->n - mean * mean, 0.0) / calls->n;
    }
    windows->n += 1.0;
}

void rv_diff_variance_add(struct rv_diff_variance *variance, uint32_t id, uint64_t end_ns,
                          const uint64_t time_ns[RV_DIFF_VARIANCE_TIMES])
{
    if (id >= variance->n_rows)
        variance->rows = rv_vec_extend(variance->rows, &variance->n_rows, (size_t)id + 1, sizeof *variance->rows);
    struct row *row = &variance->rows[id];
    if (!row->blocks)
        *row = (struct row){.blocks = rv_alloc(RV_DIFF_VARIANCE_BLOCKS, sizeof *row->blocks), .block_calls = 1};
    if (row->n_blocks == 0 || row->blocks[row->n_blocks - 1].n >= (double)row->block_calls) {
        if (row->n_blocks == RV_DIFF_VARIANCE_BLOCKS)
            join_blocks(row);
        row->blocks[row->n_blocks++] = (struct block){0};
    }
    if (end_ns >> WINDOW_SHIFT != row->window && row->calls.n > 0.0) {
        add_window(&row->windows, &row->calls);
        row->calls = (struct window){0};
    }
    row->window = end_ns >> WINDOW_SHIFT;
    struct block *block = &row->blocks[row->n_blocks - 1];
    block->n += 1.0;
    row->calls.n += 1.0;
    for (int i = 0; i < RV_DIFF_VARIANCE_TIMES; i++) {
        const double octaves = log2((double)(time_ns[i] ? time_ns[i] : 1));
        block->sums[i] += octaves;
        row->calls.sums[i] += octaves;
        row->calls.squares[i] += octaves * octaves;
    }
}

void rv_diff_variance_gather(const struct rv_diff_variance *variance, uint32_t id, enum rv_variance_time time,
                             struct rv_diff_variance_sums *sums)
{
    const struct row *row = id < variance->n_rows ? &variance->rows[id] : NULL;
    for (size_t i = 0; row && i < row->n_blocks; i++) {
        const double n = row->blocks[i].n, sum = row->blocks[i].sums[time];
        sums->n_calls += n;
        sums->n_squares += n * n;
        sums->sum += sum;
        sums->weighted += n * sum;
        sums->weighted_squares += sum * sum;
        sums->n_blocks += 1.0;
    }
    if (!row || !row->blocks)
        return;
    struct windows windows = row->windows;
    add_window(&windows, &row->calls);
    sums->n_windows += windows.n;
    sums->window_sum += windows.sums[time];
    sums->window_squares += windows.squares[time];
    sums->window_errors += windows.errors[time];
}

double rv_diff_variance_mean(const struct rv_diff_variance_sums *sums)
{
    return sums->n_calls > 0.0 ? sums->sum / sums->n_calls : 0.0;
}

double rv_diff_variance_of(const struct rv_diff_variance_sums *sums)
{
    const double mean = rv_diff_variance_mean(sums), n = sums->n_calls, blocks = sums->n_blocks;
    if (blocks < 2.0)
        return 0.0;
    double squares = sums->weighted_squares - 2.0 * mean * sums->weighted + mean * mean * sums->n_squares;
    return fmax(squares, 0.0) / (n * n) * blocks / (blocks - 1.0);
}

double rv_diff_variance_of_windows(const struct rv_diff_variance_sums *sums)
{
    const double n = sums->n_windows;
    if (n < LEAST_WINDOWS || sums->n_calls < LEAST_CALLS_OF_WINDOW * n)
        return -1.0;
    const double all = (sums->window_squares - sums->window_sum * sums->window_sum / n) / (n - 1.0);
    return fmax(all - sums->window_errors / n, 0.0);
}
