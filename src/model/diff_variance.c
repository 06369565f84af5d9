#include "model/diff_variance.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

struct block {
    double n, sums[RV_DIFF_VARIANCE_TIMES]; /* number of calls; sums of the logarithms of their times */
};

struct row {
    struct block *blocks; /* RV_DIFF_VARIANCE_BLOCKS of them, or NULL */
    uint64_t block_calls; /* calls in each block but the last */
    size_t n_blocks;
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

void rv_diff_variance_add(struct rv_diff_variance *variance, uint32_t id,
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
    struct block *block = &row->blocks[row->n_blocks - 1];
    block->n += 1.0;
    for (int i = 0; i < RV_DIFF_VARIANCE_TIMES; i++)
        block->sums[i] += log2((double)(time_ns[i] ? time_ns[i] : 1));
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
