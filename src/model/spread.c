#include "model/spread.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

struct block {
    double n, sums[RV_SPREAD_TIMES]; /* number of calls; sums of the logarithms of their times */
};

struct row {
    struct block *blocks; /* RV_SPREAD_BLOCKS of them, or NULL */
    uint64_t block_calls; /* calls in each block but the last */
    size_t n_blocks;
};

struct rv_spread {
    struct row *rows; /* by id */
    size_t n_rows;
};

struct rv_spread *rv_spread_create(void)
{
    return rv_alloc(1, sizeof(struct rv_spread));
}

void rv_spread_destroy(struct rv_spread *spread)
{
    if (!spread)
        return;
    for (size_t i = 0; i < spread->n_rows; i++)
        free(spread->rows[i].blocks);
    free(spread->rows);
    free(spread);
}

static void join_blocks(struct row *row)
{
    for (size_t i = 0; i < RV_SPREAD_BLOCKS / 2; i++) {
        struct block *into = &row->blocks[i];
        const struct block *pair = &row->blocks[2 * i];
        *into = (struct block){pair[0].n + pair[1].n,
                               {pair[0].sums[0] + pair[1].sums[0], pair[0].sums[1] + pair[1].sums[1]}};
    }
    row->n_blocks = RV_SPREAD_BLOCKS / 2;
    row->block_calls *= 2;
}

void rv_spread_add(struct rv_spread *spread, uint32_t id, const uint64_t time_ns[RV_SPREAD_TIMES])
{
    if (id >= spread->n_rows)
        spread->rows = rv_vec_extend(spread->rows, &spread->n_rows, (size_t)id + 1, sizeof *spread->rows);
    struct row *row = &spread->rows[id];
    if (!row->blocks)
        *row = (struct row){.blocks = rv_alloc(RV_SPREAD_BLOCKS, sizeof *row->blocks), .block_calls = 1};
    if (row->n_blocks == 0 || row->blocks[row->n_blocks - 1].n >= (double)row->block_calls) {
        if (row->n_blocks == RV_SPREAD_BLOCKS)
            join_blocks(row);
        row->blocks[row->n_blocks++] = (struct block){0};
    }
    struct block *block = &row->blocks[row->n_blocks - 1];
    block->n += 1.0;
    for (int i = 0; i < RV_SPREAD_TIMES; i++)
        block->sums[i] += log2((double)(time_ns[i] ? time_ns[i] : 1));
}

void rv_spread_gather(const struct rv_spread *spread, uint32_t id, enum rv_spread_time time,
                      struct rv_spread_level *level)
{
    const struct row *row = id < spread->n_rows ? &spread->rows[id] : NULL;
    for (size_t i = 0; row && i < row->n_blocks; i++) {
        const double n = row->blocks[i].n, sum = row->blocks[i].sums[time];
        level->n_calls += n;
        level->n_squares += n * n;
        level->sum += sum;
        level->weighted += n * sum;
        level->weighted_squares += sum * sum;
        level->n_blocks += 1.0;
    }
}

double rv_spread_mean(const struct rv_spread_level *level)
{
    return level->n_calls > 0.0 ? level->sum / level->n_calls : 0.0;
}

double rv_spread_variance(const struct rv_spread_level *level)
{
    const double mean = rv_spread_mean(level), n = level->n_calls, blocks = level->n_blocks;
    if (blocks < 2.0)
        return 0.0;
    double squares = level->weighted_squares - 2.0 * mean * level->weighted + mean * mean * level->n_squares;
    return fmax(squares, 0.0) / (n * n) * blocks / (blocks - 1.0);
}
