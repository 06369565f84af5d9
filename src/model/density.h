/*
 * Density cells summarize spans that are too short to draw. Level k (1 .. RV_TIMELINE_LEVELS - 1) has cells of 2^(13 +
 * 2(k-1)) ns per depth: time covered, calls that ended there, and the majority subroutine (Boyer-Moore: a guess when
 * none has half of the time).
 *
 * A span is added to one level, the finest whose cells are longer than it; a finished cell is added to the next level.
 * Each level keeps the current and the previous column open, the only ones that a span shorter than a cell can touch.
 * So a span costs O(1) amortised, the split is exact, and every level is sorted by time.
 */
#ifndef RV_MODEL_DENSITY_H
#define RV_MODEL_DENSITY_H

#include "model/box.h"
#include "model/chunked_log.h"
#include "model/timeline.h"

#define RV_DENSITY_ROWS 4096u /* deeper spans are counted in the last row */

struct rv_density_sum { /* of one row in one open column */
    uint64_t covered_ns, n_calls, weight;
    uint32_t id;
};

struct rv_density_column {
    uint64_t words;              /* bit w: masks[w] is not zero */
    uint64_t *masks;             /* bit r % 64 of word r / 64: row r has a sum */
    struct rv_density_sum *sums; /* zero where the mask bit is */
};

struct rv_density_level {
    uint64_t current;                 /* column of the latest end; the previous one is open too */
    struct rv_density_column open[2]; /* by column & 1 */
    uint32_t n_rows;
    struct rv_chunked_log cells; /* finished, key = column */
};

struct rv_density {
    struct rv_density_level levels[RV_TIMELINE_LEVELS + 1]; /* [0] unused; the last: finished coarsest cells */
    uint64_t first_column_end_ns; /* end of the finest level's current column; 0 = no span yet */
    uint32_t finest;              /* lowest level in use: 1, or set before the first span */
};

/* log2 of a cell's width in ns; level >= 1. */
static inline unsigned rv_density_shift(uint32_t level)
{
    return 13 + 2 * (level - 1);
}

/* Begin of the cell that has this time; of level 0, which has no cells, the time itself. */
static inline uint64_t rv_density_begin_ns(uint32_t level, uint64_t at_ns)
{
    return level ? at_ns >> rv_density_shift(level) << rv_density_shift(level) : at_ns;
}

void rv_density_init(struct rv_density *density);
void rv_density_fini(struct rv_density *density);
/* Memory that the cells take. */
size_t rv_density_bytes(const struct rv_density *density);

/* The general case of the function below. */
void rv_density_advance_far(struct rv_density *density, uint64_t end_ns);

/* Finish the columns before this end time. Call before each rv_density_add(). */
static inline void rv_density_advance(struct rv_density *density, uint64_t end_ns)
{
    if (__builtin_expect(end_ns >= density->first_column_end_ns, 0))
        rv_density_advance_far(density, end_ns);
}

/* Make room for a depth. */
void rv_density_grow_rows(struct rv_density_level *level, uint32_t row);

/*
 * Majority by weight: the held subroutine gains its own weight and loses the others', and is replaced when beaten.
 * Masks instead of branches: the subroutine is unpredictable.
 */
static inline void rv_density_sum_add(struct rv_density_sum *sum, const struct rv_density_sum *more)
{
    uint64_t held = sum->weight, weight = more->weight;
    uint64_t if_same = -(uint64_t)(sum->id == more->id), if_beaten = -(uint64_t)(held < weight);
    uint64_t apart = ((held - weight) ^ if_beaten) - if_beaten;
    sum->covered_ns += more->covered_ns;
    sum->n_calls += more->n_calls;
    sum->weight = apart + ((held + weight - apart) & if_same);
    sum->id ^= (sum->id ^ more->id) & (uint32_t)if_beaten;
}

/* The sum of a depth in a column, which has it from now on. */
static inline struct rv_density_sum *rv_density_touch(struct rv_density_column *column, uint32_t row)
{
    struct rv_density_sum *sum = &column->sums[row];
    if (sum->n_calls == 0) {
        column->words |= UINT64_C(1) << (row / 64);
        column->masks[row / 64] |= UINT64_C(1) << (row % 64);
    }
    return sum;
}

/* Add a span shorter than this level's cells. It touches the current column and perhaps the previous one. */
static inline void rv_density_add(struct rv_density *density, uint32_t level_idx, const struct rv_span *span)
{
    struct rv_density_level *level = &density->levels[level_idx];
    uint32_t row = span->depth < RV_DENSITY_ROWS ? span->depth : RV_DENSITY_ROWS - 1;
    if (__builtin_expect(row >= level->n_rows, 0))
        rv_density_grow_rows(level, row);

    uint64_t column_start = level->current << rv_density_shift(level_idx);
    uint64_t inside = span->end - (span->start > column_start ? span->start : column_start);
    struct rv_density_sum more = {.covered_ns = inside, .n_calls = 1, .weight = inside + 1, .id = span->id};
    rv_density_sum_add(rv_density_touch(&level->open[level->current & 1], row), &more);
    if (span->start < column_start) {
        uint64_t before = column_start - span->start;
        more = (struct rv_density_sum){.covered_ns = before, .weight = before, .id = span->id};
        rv_density_sum_add(rv_density_touch(&level->open[(level->current & 1) ^ 1], row), &more);
    }
}

/*
 * Add spans of one level with rising ends, up to the first that needs more work by rv_density_advance() or
 * rv_density_add(): it leaves the finest column, begins before this level's or is deeper than all before.
 *   last_ns  in: ends before it stop the run; out: the last end added
 *   returns  spans added
 */
size_t rv_density_add_run(struct rv_density *density, uint32_t level, const struct rv_span *spans, size_t n,
                          uint64_t *last_ns);

/*
 * Set the open columns of `past` to those of `density` at time at_ns, as far as finished cells contain them. Then add
 * the exact spans of each level by rv_density_add_back(). `past` is used for nothing else.
 */
void rv_density_rewind(struct rv_density *past, const struct rv_density *density, uint64_t at_ns);

/* Add a span shorter than this level's cells that ended in one of its two open columns. */
void rv_density_add_back(struct rv_density *past, uint32_t level, const struct rv_span *span);

/*
 * Add a cell to a level's column: the current or the previous one; an earlier cell is moved to the previous. The cell's
 * depth is below RV_DENSITY_ROWS.
 */
void rv_density_put(struct rv_density *density, uint32_t level, const struct rv_timeline_cell *cell);

/* Number of a level's cells that overlap [from, to): exactly as many as a query returns. */
uint64_t rv_density_count(const struct rv_density *density, uint32_t level, uint64_t from_ns, uint64_t to_ns);
size_t rv_density_query(const struct rv_density *density, uint32_t level, uint64_t from_ns, uint64_t to_ns,
                        struct rv_box *out, size_t max);

#endif
